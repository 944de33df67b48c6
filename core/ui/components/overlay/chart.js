// The chart of several runs: a line a run.

import { setAxes } from "../curve/axes.js"
import { perStep } from "../curve/chart.js"
import { history } from "../curve/export.js"
import { counted, losses, measured, smooth, span } from "../curve/series.js"
import { describe, draw, figureFrom } from "../shared/plotly.js"
import { lastStep } from "../shared/stream.js"
import { pageTheme } from "../shared/theme.js"
import { fill, lossWords } from "../shared/words.js"

/** @typedef {import("../shared/stream.js").Course} Course */
/** @typedef {import("./overlay.js").Run} Run */
/** @typedef {{ log: boolean, tokens: boolean, zoom: Record<string, [number, number]>, hidden: Set<string> }} View */

const TRAINING_LOSS = "training_loss"

/**
 * @param {any} Plotly
 * @param {HTMLElement} root
 * @param {HTMLElement} plot
 * @param {Record<string, any>} data
 * @param {Map<string, Course>} courses
 * @param {View} view
 * @returns {number} how many runs have a line
 */
export function paint(Plotly, root, plot, data, courses, view) {
  const figure = figureFrom(root, data.figures, "overlay")
  const { layout } = figure
  const styles = data.styles[pageTheme(root)]
  const share = !data.metric.endsWith("loss")
  const shown = data.runs.flatMap((/** @type {Run} */ run, /** @type {number} */ place) => {
    const course = courses.get(run.id)
    return course && !view.hidden.has(run.id) ? [{ run, course, style: styles[place] }] : []
  })
  figure.data = shown.flatMap((/** @type {any} */ { run, course, style }) => lines(run, course, style, data.metric, view))
  setAxes(layout, {
    x: Math.max(1, ...shown.map((/** @type {any} */ { course }) => perStep(course, view) * lastStep(course))),
    losses: figure.data.map(trace => trace.y),
    references: [],
    log: view.log && !share,
    zoom: view.zoom,
  })
  if (share) layout.yaxis.range = view.zoom.yaxis ?? [0, 1.02]
  layout.xaxis.title.text = view.tokens ? data.labels.tokens_axis : data.labels.steps_axis
  Object.assign(layout, { width: plot.clientWidth, height: data.height })
  draw(Plotly, plot, figure, data.labels.plotly, { doubleClick: false })
  describe(plot, fact(data, courses))
  return new Set(figure.data.filter(trace => trace.x.length > 0).map(trace => trace.meta)).size
}

/**
 * Of the training loss every step faintly and the moving average strongly; of anything else where it was measured.
 * @param {Run} run
 * @param {Course} course
 * @param {{ color: string, dash: string }} style
 * @param {string} metric
 * @param {View} view
 */
function lines({ id, name }, course, { color, dash }, metric, view) {
  const factor = perStep(course, view)
  const strong = { name: escaped(name), meta: id, line: { color, dash, width: 2.25 }, hovertemplate: `${escaped(name)} <b>%{y:.3g}</b><extra></extra>` }
  if (metric !== TRAINING_LOSS) {
    const points = counted(measured(course.evaluations, metric), factor)
    return [{ ...strong, ...points, mode: "lines+markers", marker: { color, size: 5 } }]
  }
  const raw = counted(losses(course.loss), factor)
  const average = counted(losses(smooth(course.loss, span(course.steps))), factor)
  const faint = { meta: id, showlegend: false, hoverinfo: "skip", opacity: 0.22, line: { color, width: 1 } }
  return [
    { ...faint, ...raw, mode: "lines" },
    { ...strong, ...average, mode: raw.x.length === 1 ? "markers" : "lines", marker: { color, size: 6 } },
  ]
}

/** @param {string} words Plotly reads some HTML, and places in braces */
const escaped = words => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("%{", "% {")

/**
 * The newest value of a measure.
 * @param {Course | undefined} course
 * @param {string} metric
 * @returns {{ step: number, value: number } | null}
 */
export function newest(course, metric) {
  if (!course) return null
  if (metric === TRAINING_LOSS) {
    const value = course.loss.at(-1)
    return value === undefined || value === null ? null : { step: course.loss.length, value }
  }
  const found = course.evaluations.findLast(one => Number.isFinite(one[metric]))
  return found ? { step: found.step, value: found[metric] } : null
}

/** @param {number} value @param {string} metric */
export const valueWords = (value, metric) => (metric.endsWith("loss") ? lossWords(value) : value.toFixed(3))

/**
 * What the chart shows, in a sentence.
 * @param {Record<string, any>} data
 * @param {Map<string, Course>} courses
 */
export function fact({ runs, metric, labels }, courses) {
  const said = runs.flatMap((/** @type {Run} */ { id, name }) => {
    const now = newest(courses.get(id), metric)
    return now ? [fill(labels.fact_run, { name, step: now.step, value: valueWords(now.value, metric) })] : []
  })
  return said.length === 0
    ? labels.empty
    : fill(labels.fact, { measure: labels.measure, count: said.length, runs: said.join(labels.comma) })
}

/**
 * The histories of all runs, one beneath the other: as the history of one, with the run's name before each row.
 * @param {Record<string, any>} data
 * @param {Map<string, Course>} courses
 * @returns {(string | number | null | undefined)[][]}
 */
export function historyTable({ runs }, courses) {
  const tables = runs.flatMap((/** @type {Run} */ { id, name }) => {
    const course = courses.get(id)
    return course ? [{ name, rows: history(course) }] : []
  })
  const columns = [...new Set(tables.flatMap((/** @type {any} */ { rows }) => rows[0]))]
  const body = tables.flatMap((/** @type {any} */ { name, rows: [head, ...rows] }) => {
    const places = columns.map(column => head.indexOf(column))
    return rows.map((/** @type {any[]} */ row) => [name, ...places.map(place => row[place])])
  })
  return [["run", ...columns], ...body]
}
