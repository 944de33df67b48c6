// The component `curve`: a run's curves and its progress, live, without Python. Python hears once when it stops running.

import { forget, loadPlotly, onWidth, saveImage } from "../shared/plotly.js"
import { isOver, watch } from "../shared/stream.js"
import { paintChart } from "./chart.js"
import { showProgress } from "./progress.js"

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
    /** @type {Course | null} */
    this.course = null
    this.run = ""
    this.status = "" // of the newest event
    this.told = false // whether Python has heard of this end
    this.timer = 0
    this.last = 0
    this.closed = false
    this.stopWatchingWidth = onWidth(this.root, () => this.paint())
    this.plot = /** @type {HTMLElement} */ (this.root.querySelector(".curve-plot"))
    this.save = /** @type {HTMLElement} */ (this.root.querySelector(".save-image"))
    this.save.addEventListener("click", () => saveImage(this.plot, `loss-${this.data.experiment}`))
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
    this.save.title = this.data.labels.save
    this.save.setAttribute("aria-label", this.data.labels.save)
    const { run } = this.data
    if ((run?.id ?? "") !== this.run) this.follow(run)
    else if (run && this.course && isOver(this.course.status) && !isOver(run.status)) this.watching?.goOn()
    this.paint()
  }

  /** @param {Run | null} run */
  follow(run) {
    this.watching?.stop()
    this.watching = null
    this.run = run?.id ?? ""
    this.told = false
    this.status = ""
    this.course = run ? nothingYet(run) : null
    if (run) this.watching = watch(run.id, course => this.hear(course))
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
    if (this.closed || !this.course) return
    this.last = performance.now()
    showProgress(this.root, this.course, this.data)
    if (this.plotly) requestAnimationFrame(() => this.course && !this.closed && paintChart(this.plotly, this.root, this.data, this.course))
  }

  unmount() {
    this.closed = true
    clearTimeout(this.timer)
    this.watching?.stop()
    this.stopWatchingWidth()
    forget(this.plot)
  }
}

/** @typedef {{ id: string, status: string, step: number, steps: number }} Run */

/**
 * What is shown of a run until its stream has spoken.
 * @param {Run} run
 * @returns {Course}
 */
const nothingYet = ({ id, status, step, steps }) => ({
  run: id,
  loss: [],
  evaluations: [],
  marks: [],
  step,
  steps,
  status,
  reason: null,
  steps_per_second: null,
  seconds_left: null,
})
