// The axes of the chart. Their ranges stay while a run is trained: the steps to come are on the axis from the start, and
// the losses grow in leaps. What a person has zoomed into stays as it is.

const EMPTY = 1 // the loss at the top of an axis on which nothing is drawn yet
const SMALLEST = 1e-6 // nobody needs to tell smaller losses apart

/** @typedef {Record<string, [number, number]>} Ranges */

/**
 * @param {Record<string, any>} layout
 * @param {{ x: number, losses: number[][], references: number[], log: boolean, zoom: Ranges }} given `x`: where it ends
 */
export function setAxes(layout, { x, losses, references, log, zoom }) {
  const all = [references, ...losses]
  layout.yaxis.type = log ? "log" : "linear"
  layout.xaxis.range = [0, 1.01 * Math.max(1, x)]
  layout.yaxis.range = log ? logRange(all) : [0, leap(1.04 * extreme(all, Math.max, 0, EMPTY))]
  if (log) layout.yaxis.dtick = layout.yaxis.range[1] - layout.yaxis.range[0] > 3 ? 1 : "D2"
  layout.yaxis.exponentformat = log ? "none" : "SI"
  for (const name of ["xaxis", "yaxis", "yaxis2"]) {
    if (!layout[name]) continue
    layout[name].autorange = false
    if (zoom[name]) layout[name].range = zoom[name]
  }
}

/**
 * The next round number, so that a range changes seldom.
 * @param {number} value
 * @returns {number}
 */
export function leap(value) {
  const unit = 10 ** Math.floor(Math.log10(value))
  return unit * ([1, 1.5, 2, 2.5, 3, 4, 5, 5.5, 6, 7, 8, 10].find(round => round * unit >= value * (1 - 1e-9)) ?? 10)
}

/** @param {number[][]} all @returns {[number, number]} */
function logRange(all) {
  const low = Math.max(SMALLEST, extreme(all, Math.min, SMALLEST, EMPTY / 10))
  const high = extreme(all, Math.max, SMALLEST, EMPTY)
  return [Math.floor(3 * Math.log10(0.9 * low)) / 3, Math.ceil(10 * Math.log10(1.1 * high)) / 10]
}

/**
 * @param {number[][]} all
 * @param {(...values: number[]) => number} choose
 * @param {number} above what counts at all
 * @param {number} otherwise
 */
function extreme(all, choose, above, otherwise) {
  const found = all.map(one => one.reduce((best, value) => (value > above ? choose(best, value) : best), choose()))
  const best = choose(...found)
  return Number.isFinite(best) ? best : otherwise
}


/**
 * What a person has zoomed into, as Plotly tells it.
 * @param {Ranges} zoom
 * @param {Record<string, any>} told
 * @returns {Ranges}
 */
export function zoomed(zoom, told) {
  const result = { ...zoom }
  for (const name of ["xaxis", "yaxis", "yaxis2"])
    if (`${name}.range[0]` in told) result[name] = [told[`${name}.range[0]`], told[`${name}.range[1]`]]
  return result
}
