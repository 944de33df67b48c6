// The component `overlay`: one measure of several runs in one chart, live, without Python. Python hears once when none of
// them is training any more.

import { zoomed } from "../curve/axes.js"
import { chosen, connect, showSwitches } from "../curve/switches.js"
import { download, table } from "../shared/files.js"
import { menu } from "../shared/menu.js"
import { pictureItems, pictureOf } from "../shared/picture.js"
import { forget, loadPlotly, onWidth } from "../shared/plotly.js"
import { watchAll } from "../shared/streams.js"
import { inImage } from "../curve/legend.js"
import { fact, historyTable, paint } from "./chart.js"
import { showLegend } from "./legend.js"

const PAUSE = 200 // milliseconds between two paintings
const ENDED = ["finished", "stopped", "failed", "gone", "paused", "lost"]

/** @typedef {import("../shared/stream.js").Course} Course */

/** @param {any} component what Streamlit passes */
export function mount(component) {
  const overlay = new Overlay(component)
  overlay.update(component)
  return overlay
}

class Overlay {
  /** @param {any} component */
  constructor(component) {
    this.root = /** @type {HTMLElement} */ (component.parentElement.querySelector(".attention-overlay"))
    const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (this.root.querySelector(name))
    this.plot = part(".overlay-plot")
    this.legend = part(".overlay-legend")
    this.empty = part(".overlay-empty")
    this.save = part(".save-image")
    this.data = component.data
    this.setTrigger = component.setTriggerValue
    this.plotly = null
    /** @type {Map<string, Course>} */
    this.courses = new Map()
    /** @type {Set<string>} */
    this.hidden = new Set()
    this.runs = ""
    /** @type {{ stop(): void, goOn(run: string): void } | null} */
    this.watching = null
    this.told = false
    this.timer = 0
    this.last = 0
    this.closed = false
    this.choice = chosen()
    /** @type {import("../curve/axes.js").Ranges} */
    this.zoom = {}
    this.stopWatchingWidth = onWidth(this.root, () => this.paint())
    menu(this.save, () => this.offers())
    connect(this.root, choice => {
      this.choice = choice
      this.zoom = {} // it was of other axes
      this.paint()
    })
    loadPlotly().then(Plotly => {
      this.plotly = Plotly
      this.paint()
    }, console.error)
  }

  /** @param {any} component */
  update(component) {
    const before = this.data
    this.data = component.data
    this.setTrigger = component.setTriggerValue
    const { runs, labels, language, metric } = this.data
    this.root.lang = language
    this.save.title = labels.save
    this.save.setAttribute("aria-label", labels.save)
    if (before.metric !== metric) this.zoom = {}
    const names = runs.map((/** @type {Run} */ run) => run.id)
    if (names.join() !== this.runs) this.follow(names)
    else for (const run of runs) if (run.status === "running") this.watching?.goOn(run.id)
    this.told = this.told && !runs.some((/** @type {Run} */ run) => run.status === "running")
    this.paint()
  }

  /** @param {string[]} runs */
  follow(runs) {
    this.watching?.stop()
    this.runs = runs.join()
    this.told = false
    this.zoom = {}
    this.courses = new Map()
    this.watching = runs.length > 0 ? watchAll(runs, course => this.hear(course)) : null
  }

  /** @param {Course} course */
  hear(course) {
    this.courses.set(course.run, course)
    this.tell()
    const rest = this.last + PAUSE - performance.now()
    if (rest <= 0) this.paint()
    else if (!this.timer) this.timer = setTimeout(() => this.paint(), rest)
  }

  /** Tell Python when the last of the runs that it saw training has stopped. */
  tell() {
    const { runs } = this.data
    const now = runs.map((/** @type {Run} */ run) => this.courses.get(run.id)?.status ?? run.status)
    const drawn = runs.some((/** @type {Run} */ run) => run.status === "running")
    if (!drawn || this.told || !now.every((/** @type {string} */ status) => ENDED.includes(status))) return
    this.told = true
    this.setTrigger("ended", now)
  }

  paint() {
    clearTimeout(this.timer)
    this.timer = 0
    if (this.closed) return
    this.last = performance.now()
    showSwitches(this.root, this.choice, this.data.labels)
    showLegend(this.root, this.legend, this.data, this.courses, this.hidden, run => this.toggle(run))
    if (this.plotly) requestAnimationFrame(() => this.paintChart())
  }

  paintChart() {
    if (this.closed) return
    const view = { ...this.choice, zoom: this.zoom, hidden: this.hidden }
    const drawn = paint(this.plotly, this.root, this.plot, this.data, this.courses, view)
    this.empty.textContent = drawn ? "" : this.data.labels.empty
    this.empty.hidden = drawn > 0
    this.root.dataset.drawn = String(drawn)
    this.root.dataset.ids = this.runs // so that whoever tests the page knows whose lines these are
    this.listen(/** @type {any} */ (this.plot))
  }

  /** @param {string} run */
  toggle(run) {
    if (!this.hidden.delete(run)) this.hidden.add(run)
    this.paint()
  }

  /**
   * Keep what a person zooms into; a double click shows all again.
   * @param {any} plot
   */
  listen(plot) {
    if (this.listening || !plot.on) return
    this.listening = true
    plot.on("plotly_relayout", (/** @type {any} */ told) => (this.zoom = zoomed(this.zoom, told)))
    plot.on("plotly_doubleclick", () => {
      this.zoom = {}
      this.paint()
    })
  }

  /** What one takes away: the chart as it is seen, and the histories behind it. */
  offers() {
    const { data, courses, plot } = this
    const { take } = data.labels
    const stamp = [fact(data, courses)]
    const csv = () => download(table(historyTable(data, courses)), "runs.csv")
    return [...pictureItems(take, "runs", () => pictureOf(plot, stamp, inImage)), { name: "csv", label: take.csv, run: csv }]
  }

  unmount() {
    this.closed = true
    clearTimeout(this.timer)
    this.watching?.stop()
    this.stopWatchingWidth()
    forget(this.plot)
  }
}

/** @typedef {{ id: string, name: string, experiment: string, status: string, steps: number }} Run as Python knew it */
