// The chart of a run: training loss, held-out loss and the experiment's own measure, with the marks of live changes.

import { describe, draw, figureFrom } from "../shared/plotly.js"
import { fill, lossWords } from "../shared/words.js"
import { losses, measured, settled } from "./series.js"

/** @typedef {import("../shared/stream.js").Course} Course */

/**
 * @param {any} Plotly
 * @param {HTMLElement} root
 * @param {Record<string, any>} data
 * @param {Course} course
 */
export function paintChart(Plotly, root, data, course) {
  const plot = /** @type {HTMLElement} */ (root.querySelector(".curve-plot"))
  const figure = figureFrom(root, data.figures, "curve")
  const series = [losses(course.loss), measured(course.evaluations, "held_out_loss"), measured(course.evaluations, data.metric)]
  figure.data.forEach((trace, place) => Object.assign(trace, series[place], { visible: place === 0 || series[place].x.length > 0 }))
  const width = plot.clientWidth
  const height = Math.max(280, Math.min(420, 0.72 * width))
  Object.assign(figure.layout, { width, height, uirevision: course.run }, markings(course, data, figure.layout))
  if (course.loss.length === 0) figure.layout.xaxis.range = [0, Math.max(1, course.steps)]
  draw(Plotly, plot, figure, data.labels.plotly)
  root.dataset.marks = String(course.marks.length)
  describe(plot, fact(course, data.labels))
}

/** @param {Course} course @param {Record<string, any>} data @param {Record<string, any>} layout */
function markings(course, { labels, mark }, { font }) {
  const marks = settled(course.marks, Math.max(course.steps, course.step))
  return {
    shapes: marks.map(({ step }) => ({ ...mark.line, x0: step, x1: step, line: { ...mark.line.line, color: font.color } })),
    annotations: marks.map(one => ({ ...mark.words, x: one.step, text: markWords(one, labels), font: { size: 11 } })),
  }
}

/** @param {import("./series.js").Mark} mark @param {Record<string, any>} labels */
function markWords({ setting, value }, labels) {
  const said = typeof value === "boolean" ? (value ? labels.on : labels.off) : value
  return `${labels.settings[setting] ?? setting} ${said}`
}

/** @param {Course} course @param {Record<string, any>} labels */
function fact({ loss }, labels) {
  if (loss.length === 0) return labels.no_steps
  const [first, last] = [loss[0], loss[loss.length - 1]].map(lossWords)
  return fill(labels.chart_fact, { steps: loss.length, first, last })
}
