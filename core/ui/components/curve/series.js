// A run's numbers as points of a line, and its marks so that they can be told apart.

const MOST_POINTS = 4000 // more than a screen has columns: beyond that a bucket's smallest and largest value stand for it
const CLOSE = 0.03 // of the steps: marks of one setting that are nearer are one movement of its slider

/** @typedef {{ step: number, setting: string, value: any }} Mark */

/**
 * The losses of all steps, thinned out where nobody could see more; peaks stay.
 * @param {number[]} loss `loss[i]` is of step `i + 1`
 * @returns {{ x: number[], y: number[] }}
 */
export function losses(loss) {
  const places = loss.length <= MOST_POINTS ? [...loss.keys()] : extremes(loss)
  return { x: places.map(place => place + 1), y: places.map(place => loss[place]) }
}

/** @param {number[]} values @returns {number[]} places */
function extremes(values) {
  const size = Math.ceil((2 * values.length) / MOST_POINTS)
  const places = []
  for (let start = 0; start < values.length; start += size) {
    let low = start
    let high = start
    for (let place = start; place < Math.min(start + size, values.length); place++) {
      if (values[place] < values[low]) low = place
      if (values[place] > values[high]) high = place
    }
    places.push(...(low === high ? [low] : [Math.min(low, high), Math.max(low, high)]))
  }
  return places
}

/**
 * The values of one measure, where it was taken.
 * @param {{ step: number, [metric: string]: number }[]} evaluations
 * @param {string} metric
 */
export function measured(evaluations, metric) {
  const taken = evaluations.filter(one => Number.isFinite(one[metric]))
  return { x: taken.map(one => one.step), y: taken.map(one => one[metric]) }
}

/**
 * The marks that are drawn: of one movement of a slider only where it ended.
 * @param {Mark[]} marks
 * @param {number} steps
 * @returns {Mark[]}
 */
export function settled(marks, steps) {
  return marks.filter(({ step, setting }, place) => {
    const next = marks.slice(place + 1).find(other => other.setting === setting)
    return !next || next.step - step > CLOSE * steps
  })
}

/**
 * Over how many steps the training loss is averaged: the longer the run, the more.
 * @param {number} steps
 * @returns {number}
 */
export const span = steps => Math.max(5, Math.min(50, Math.round(steps / 40)))

/**
 * An exponential moving average that is fair from the first step on: weights are those of the steps there have been.
 * @param {number[]} values
 * @param {number} steps
 * @returns {number[]}
 */
export function smooth(values, steps) {
  const fade = 1 - 2 / (steps + 1)
  let sum = 0
  let weight = 0
  return values.map(value => {
    sum = fade * sum + value
    weight = fade * weight + 1
    return sum / weight
  })
}

/**
 * The same points on an axis that counts something else.
 * @param {{ x: number[], y: number[] }} series
 * @param {number} factor how much of it there is to a step
 */
export const counted = ({ x, y }, factor) => ({ x: factor === 1 ? x : x.map(step => step * factor), y })
