// The chart of a run: its losses and its own measure, what they can be compared with, and where something changed.

import { describe, draw, figureFrom, isPresented, READABLE } from "../shared/plotly.js"
import { lastStep } from "../shared/stream.js"
import { pageTheme, themeValue } from "../shared/theme.js"
import { fill, lossWords } from "../shared/words.js"
import { setAxes } from "./axes.js"
import { differences } from "./past.js"
import { showLegend } from "./legend.js"
import { lossReferences, marks, references } from "./references.js"
import { counted, losses, measured, smooth, span } from "./series.js"

/** @typedef {import("../shared/stream.js").Course} Course */
/** @typedef {{ log: boolean, tokens: boolean, zoom: Record<string, [number, number]>, ghost: import("./past.js").Known | null }} View */

const [LOWEST, HIGHEST, BELOW] = [130, 440, 58] // pixels; below it stand the scrubber and a gap
const MOST_DIFFERENCES = 2 // between this run and the one before, that are named in the legend

/**
 * @param {any} Plotly
 * @param {HTMLElement} root
 * @param {Record<string, any>} data
 * @param {Course} course
 * @param {View} view
 */
export function paintChart(Plotly, root, data, course, view) {
  const plot = /** @type {HTMLElement} */ (root.querySelector(".curve-plot"))
  const figure = figureFrom(root, data.figures, "curve")
  const { layout } = figure
  const factor = perStep(course, view)
  const series = allSeries(course, data.metric, view)
  figure.data.forEach((trace, place) => Object.assign(trace, series[place], { visible: series[place].x.length > 0 }))
  name(figure.data, course, data, view)
  setAxes(layout, {
    x: factor * lastStep(course),
    losses: figure.data.filter(trace => (trace.yaxis ?? "y") === "y").map(trace => trace.y),
    references: lossReferences(course.baselines),
    log: view.log,
    zoom: view.zoom,
  })
  layout.xaxis.title.text = view.tokens ? data.labels.tokens_axis : data.labels.steps_axis
  showLegend(/** @type {HTMLElement} */ (root.querySelector(".curve-legend")), figure.data)
  Object.assign(layout, size(plot), { uirevision: course.run })
  Object.assign(layout, lines(root, data, course, view, layout))
  if (isPresented(root)) for (const { font } of layout.annotations) font.size = READABLE
  draw(Plotly, plot, figure, data.labels.plotly, { doubleClick: false }) // ours shows all again, as it now is
  Object.assign(root.dataset, { marks: String(course.marks.length), drawn: `${course.run} ${course.loss.length}` })
  describe(plot, fact(course, data.labels))
}

/**
 * As wide as its place, and as high as a screen leaves room for: the panel is seen whole as long as that is possible.
 * @param {HTMLElement} plot
 */
function size(plot) {
  const width = plot.clientWidth
  const scrolled = plot.closest('[data-testid="stMain"]')?.scrollTop ?? 0
  const room = window.innerHeight - plot.getBoundingClientRect().top - BELOW
  const known = Number(plot.dataset.height)
  const most = isPresented(plot) ? room : Math.min(HIGHEST, room, width)
  const height = scrolled > 0 && known ? known : Math.round(Math.max(LOWEST, most))
  plot.dataset.height = String(height)
  return { width, height }
}

/** @param {Course} course @param {{ tokens: boolean }} view how much a step counts on the axis */
export const perStep = (course, view) =>
  view.tokens ? (course.tokens_per_step ?? (course.step > 0 ? course.tokens / course.step : 1)) : 1

/**
 * In the order of the figure's traces (core/figures/curve.py).
 * @param {Course} course
 * @param {string} metric
 * @param {View} view
 */
function allSeries(course, metric, view) {
  const factor = perStep(course, view)
  const old = view.ghost?.course
  const past = old ? perStep(old, view) : 1
  const raw = counted(losses(course.loss), factor)
  return [
    { ...raw, mode: raw.x.length === 1 ? "markers" : "lines" },
    counted(measured(course.evaluations, "held_out_loss"), factor),
    counted(measured(course.evaluations, metric), factor),
    counted(losses(smooth(course.loss, span(course.steps))), factor),
    counted(losses(smooth(old?.loss ?? [], span(old?.steps ?? 0))), past),
    counted(measured(old?.evaluations ?? [], metric), past),
  ]
}

/**
 * Names that depend on the runs.
 * @param {any[]} traces
 * @param {Course} course
 * @param {Record<string, any>} data
 * @param {View} view
 */
function name(traces, course, { labels, run }, { ghost }) {
  traces[3].name = fill(labels.smoothed, { steps: span(course.steps) })
  if (!ghost) return
  const different = differences(ghost.settings, run?.settings ?? {}, labels)
  if (different.length > MOST_DIFFERENCES) different.splice(MOST_DIFFERENCES, different.length, "…")
  const words = { differences: different.join(labels.comma) }
  traces[4].name = different.length > 0 ? fill(labels.previous_of, words) : labels.previous
}

/**
 * @param {HTMLElement} root
 * @param {Record<string, any>} data
 * @param {Course} course
 * @param {View} view
 * @param {Record<string, any>} layout
 */
function lines(root, data, course, view, layout) {
  const templates = data.lines[pageTheme(root)]
  const how = {
    log: view.log,
    share: "yaxis2" in layout,
    factor: perStep(course, view),
    pixels: (/** @type {any} */ { yref, y }) => {
      const [low, high] = layout[yref.replace("y", "yaxis")].range
      return ((y - low) / (high - low)) * (layout.height - layout.margin.t - layout.margin.b)
    },
    background: translucent(themeValue(root, "background-color")),
    bad: themeValue(root, "red-color"),
  }
  const compared = references(course, data.labels, templates, how)
  const changed = marks(course, data.labels, templates, how)
  return {
    shapes: [...compared.shapes, ...changed.shapes],
    annotations: [...compared.annotations, ...changed.annotations],
  }
}

/** @param {string} color words stay readable on it where a curve runs behind them */
const translucent = color => (/^#[\da-f]{6}$/i.test(color) ? `${color}c8` : color)

/** @param {Course} course @param {Record<string, any>} labels */
function fact({ loss }, labels) {
  if (loss.length === 0) return labels.no_steps
  const [first, last] = [loss[0], loss[loss.length - 1]].map(lossWords)
  return fill(labels.chart_fact, { steps: loss.length, first, last })
}
