// The component `curve`: a run's curves and its progress, live, without Python. Python hears once when it stops running.
// A line marks the moment that the page looks at; a click sets it, and so does dragging the line.

import { marker } from "../shared/marker.js"
import { moment } from "../shared/moment.js"
import { aimedAt, hasPast } from "../shared/past.js"
import { forget, loadPlotly, onWidth } from "../shared/plotly.js"
import { isOver, watch } from "../shared/stream.js"
import { zoomed } from "./axes.js"
import { paintChart, perStep } from "./chart.js"
import { takeAway } from "./export.js"
import { before, remember } from "./past.js"
import { showProgress } from "./progress.js"
import { chosen, connect, showSwitches } from "./switches.js"

const PAUSE = 200 // milliseconds between two paintings

/** @typedef {import("../shared/stream.js").Course} Course */

/** @param {any} component what Streamlit passes */
export function mount(component) {
  const curve = new Curve(component)
  curve.update(component)
  return curve
}

class Curve {
  /** @param {any} component */
  constructor(component) {
    this.root = /** @type {HTMLElement} */ (component.parentElement.querySelector(".attention-curve"))
    this.data = component.data
    this.setTrigger = component.setTriggerValue
    this.plotly = null
    this.watching = null
    this.course = nothingYet(null)
    this.run = ""
    this.status = "" // of the newest event
    /** @type {(() => void) | null} */
    this.leaveMoment = null
    this.told = false // whether Python has heard of this end
    this.timer = 0
    this.last = 0
    this.closed = false
    this.choice = chosen()
    /** @type {import("./axes.js").Ranges} */
    this.zoom = {}
    this.resized = () => this.paint()
    addEventListener("resize", this.resized) // the height follows the window's
    this.stopWatchingWidth = onWidth(this.root, this.resized)
    this.plot = /** @type {HTMLElement} */ (this.root.querySelector(".curve-plot"))
    /** @type {number | null} */
    this.left = null // the moment before the last click
    this.marker = marker(/** @type {HTMLElement} */ (this.root.querySelector(".curve-stage")), this.plot, {
      picked: x => this.pick(x / perStep(this.course, this.choice)),
      undone: () => {
        moment(this.run).set(this.left)
        this.showAll()
      },
    })
    this.save = /** @type {HTMLElement} */ (this.root.querySelector(".save-image"))
    takeAway(this.save, this.plot, () => ({ data: this.data, course: this.course }))
    connect(this.root, choice => this.choose(choice))
    loadPlotly().then(Plotly => {
      this.plotly = Plotly
      this.paint()
    }, console.error)
  }

  /** @param {any} component */
  update(component) {
    this.data = component.data
    this.setTrigger = component.setTriggerValue
    this.root.lang = this.data.language
    this.root.dataset.present = String(this.data.present)
    this.save.title = this.data.labels.save
    this.save.setAttribute("aria-label", this.data.labels.save)
    const { run } = this.data
    if ((run?.id ?? "") !== this.run) this.follow(run)
    else if (run && isOver(this.course.status) && !isOver(run.status)) this.watching?.goOn()
    this.paint()
  }

  /** @param {import("./switches.js").Choice} choice */
  choose(choice) {
    this.choice = choice
    this.zoom = {} // it was of other axes
    this.paint()
  }

  /** @param {Run | null} run */
  follow(run) {
    this.watching?.stop()
    this.watching = null
    this.leaveMoment?.()
    this.run = run?.id ?? ""
    this.told = false
    this.status = ""
    this.zoom = {}
    this.course = nothingYet(run)
    if (run) this.watching = watch(run.id, course => this.hear(course))
    this.leaveMoment = run ? moment(run.id).subscribe(() => this.mark()) : null
  }

  /** @param {Course} course */
  hear(course) {
    const before = this.status
    this.course = course
    this.status = course.status // the course itself is one object that changes
    this.tell(before, course)
    const rest = this.last + PAUSE - performance.now()
    if (rest <= 0 || course.status !== before) this.paint()
    else if (!this.timer) this.timer = setTimeout(() => this.paint(), rest)
  }

  /**
   * Tell Python when a run is no longer running, so that its page shows the buttons that fit: once for every such end.
   * @param {string} before
   * @param {Course} course
   */
  tell(before, { status }) {
    const drawn = this.data.run?.status // what Python knew when it drew the page
    const ended = status !== "running" && (before === "running" || drawn === "running")
    if (ended && !this.told && drawn !== status) this.setTrigger("ended", status)
    this.told = ended || (this.told && status !== "running")
  }

  paint() {
    clearTimeout(this.timer)
    this.timer = 0
    if (this.closed) return
    this.last = performance.now()
    const { data, course } = this
    if (this.run) remember(data.experiment, { course, settings: data.run.settings })
    showProgress(this.root, course, data)
    showSwitches(this.root, this.choice, data.labels)
    if (this.plotly) requestAnimationFrame(() => this.paintChart())
  }

  paintChart() {
    if (this.closed) return
    const view = { ...this.choice, zoom: this.zoom, ghost: before(this.data.experiment, this.run) }
    paintChart(this.plotly, this.root, this.data, this.course, view)
    this.listen(/** @type {any} */ (this.plot))
    this.mark()
  }

  /** @param {number} step */
  pick(step) {
    if (!hasPast(this.course)) return
    this.left = moment(this.run).get().step
    moment(this.run).set(aimedAt(this.course, step))
  }

  /** Show the moment that is looked at; faintly the newest, where there is something to go back to. */
  mark() {
    const { step } = moment(this.run).get()
    const shown = step ?? (hasPast(this.course) ? this.course.step : null)
    this.marker.show(shown === null ? null : shown * perStep(this.course, this.choice), step === null)
    this.root.dataset.moment = step === null ? "newest" : String(step)
  }

  /**
   * Keep what a person zooms into; a double click shows all again. Plotly's own memory of it would be lost whenever the
   * range beneath changes.
   * @param {any} plot
   */
  listen(plot) {
    if (this.listening) return
    this.listening = true
    plot.on("plotly_relayout", (/** @type {any} */ told) => {
      this.zoom = zoomed(this.zoom, told)
      this.mark()
    })
    plot.on("plotly_doubleclick", () => this.showAll())
  }

  showAll() {
    this.zoom = {}
    this.paint()
  }

  unmount() {
    this.closed = true
    clearTimeout(this.timer)
    removeEventListener("resize", this.resized)
    this.watching?.stop()
    this.leaveMoment?.()
    this.marker.close()
    this.stopWatchingWidth()
    forget(this.plot)
  }
}

/** @typedef {{ id: string, status: string, step: number, steps: number, settings: Record<string, any> }} Run */

/**
 * What is shown of a run until its stream has spoken.
 * @param {Run | null} run
 * @returns {Course}
 */
const nothingYet = run => ({
  run: run?.id ?? "",
  loss: [],
  evaluations: [],
  marks: [],
  step: run?.step ?? 0,
  steps: run?.steps ?? 0,
  status: run?.status ?? "",
  reason: null,
  steps_per_second: null,
  seconds_left: null,
  from_file: false,
  tokens: 0,
  tokens_per_step: null,
  parameters: null,
  baselines: {},
  snapshots: [],
  silent: false,
})
