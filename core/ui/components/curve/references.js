// Lines that say what can be reached without a model, and what changed while one was trained.

import { fill } from "../shared/words.js"
import { valueWords } from "./past.js"
import { settled } from "./series.js"

/** @typedef {import("../shared/stream.js").Course} Course */
/** @typedef {{ shapes: any[], annotations: any[] }} Drawn */

const LETTERS = 13 // pixels: the height of words
const LOSSES = ["uniform_loss", "unigram_loss", "bigram_loss"]

/** @param {Record<string, number>} baselines @returns {number[]} */
export const lossReferences = baselines => LOSSES.filter(name => name in baselines).map(name => baselines[name])

/**
 * @param {Course} course
 * @param {Record<string, any>} labels
 * @param {Record<string, any>} lines
 * @param {{ log: boolean, share: boolean, background: string, pixels: (words: any) => number }} how
 *   `share`: whether there is an axis for shares
 * @returns {Drawn}
 */
export function references({ baselines }, labels, lines, { log, share, background, pixels }) {
  const drawn = LOSSES.filter(name => name in baselines).map((name, place) => ({
    line: { ...lines.loss, y0: baselines[name], y1: baselines[name] },
    words: {
      ...lines.loss_words,
      y: log ? Math.log10(baselines[name]) : baselines[name],
      yanchor: place === 1 ? "top" : "bottom", // the unigram loss lies close beneath ln V
      text: fill(labels.baselines[name], { value: baselines[name].toFixed(2) }),
    },
  }))
  const majority = baselines.majority_accuracy
  if (share && majority !== undefined)
    drawn.push({
      line: { ...lines.share, y0: majority, y1: majority },
      words: { ...lines.share_words, y: majority, text: majorityWords(baselines, labels) },
    })
  return {
    shapes: drawn.map(one => one.line),
    annotations: readable(drawn.map(one => one.words), pixels).map(words => ({ ...words, bgcolor: background })),
  }
}

/**
 * Put words above or below their lines, so that none stands on others or below the axis. Where there is no room the line
 * stays without words.
 * @param {any[]} annotations
 * @param {(words: any) => number} pixels how far above the lower end of its axis
 */
function readable(annotations, pixels) {
  /** @type {number[]} */
  const bottoms = []
  return annotations.flatMap(words => {
    for (const yanchor of words.yanchor === "top" ? ["top", "bottom"] : ["bottom", "top"]) {
      const bottom = pixels(words) - (yanchor === "top" ? LETTERS : 0)
      if (bottom < 0 || bottoms.some(other => Math.abs(other - bottom) < LETTERS)) continue
      bottoms.push(bottom)
      return [{ ...words, yanchor }]
    }
    return []
  })
}

/**
 * What always giving the most frequent answer reaches; "" where that means nothing.
 * @param {Record<string, number>} baselines
 * @param {Record<string, any>} labels
 * @returns {string}
 */
export function majorityWords({ majority_accuracy: share, majority_answer: answer }, labels) {
  if (share === undefined) return ""
  const words = answer === undefined ? labels.baselines.always : labels.baselines[`always_${answer}`]
  return fill(words, { value: share.toFixed(2) })
}

/**
 * The marks of live changes, and where the loss was no longer a number.
 * @param {Course} course
 * @param {Record<string, any>} labels
 * @param {Record<string, any>} lines
 * @param {{ factor: number, background: string, bad: string }} how
 * @returns {Drawn}
 */
export function marks(course, labels, lines, { factor, background, bad }) {
  const last = course.status === "failed" ? 2 * course.step : Math.max(course.steps, course.step)
  const found = settled(course.marks, last).map(({ step, setting, value }) => ({
    step,
    text: `${labels.settings[setting] ?? setting} ${valueWords(setting, value, labels)}`,
    color: null,
  }))
  if (course.reason === "non_finite_loss")
    found.push({ step: course.step + 1, text: labels.not_a_number, color: bad })
  return {
    shapes: found.map(({ step, color }) => ({
      ...lines.mark,
      x0: factor * step,
      x1: factor * step,
      ...(color && { line: { color, width: 2 }, opacity: 1 }),
    })),
    annotations: found.map(({ step, text, color }) => ({
      ...lines.mark_words,
      x: factor * step,
      xanchor: step > 0.9 * last ? "right" : "left",
      text,
      bgcolor: background,
      font: { ...lines.mark_words.font, ...(color && { color }) },
    })),
  }
}
