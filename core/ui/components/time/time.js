// The component `time`: the scrubber beneath the curve. It sets the moment that the page looks at (shared/moment.js), by
// hand or by playing; what is to be seen there is fetched once by shared/past.js, so no frame costs a question.

import { moment } from "../shared/moment.js"
import { aimedAt, hasPast, past, pastSteps } from "../shared/past.js"
import { lastStep, watch } from "../shared/stream.js"
import { motionUnwanted } from "../shared/theme.js"
import { fill, lossWords } from "../shared/words.js"
import { spaceBar } from "./keys.js"
import { further, player } from "./player.js"

const SPEEDS = [0.5, 1, 2, 4]
const KEY = "attention-live.speed"
const MARGIN = 1.01 // the curve's axis ends a little after its last step, and the scrubber lies beneath it
const FAR = 10 // snapshots that PageUp and PageDown go
/** @type {Record<string, number>} */
const MOVES = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -FAR, PageUp: FAR }

/** @typedef {import("../shared/stream.js").Course} Course */

/** @param {any} component what Streamlit passes */
export function mount(component) {
  const time = new Time(component)
  time.update(component)
  return time
}

class Time {
  /** @param {any} component */
  constructor(component) {
    const root = (this.root = /** @type {HTMLElement} */ (component.parentElement.querySelector(".attention-time")))
    const part = (/** @type {string} */ name) => /** @type {any} */ (root.querySelector(`.time-${name}`))
    this.play = /** @type {HTMLButtonElement} */ (part("play"))
    this.slider = /** @type {HTMLInputElement} */ (part("slider"))
    this.words = /** @type {HTMLElement} */ (part("words"))
    this.speed = /** @type {HTMLSelectElement} */ (part("speed"))
    this.newest = /** @type {HTMLButtonElement} */ (part("newest"))
    this.data = component.data
    this.run = ""
    /** @type {Course | null} */
    this.course = null
    /** @type {(() => void)[]} */
    this.leave = [] // what ends with a run
    /** @type {import("../shared/past.js").Past | null} */
    this.past = null
    this.player = player({
      steps: () => this.steps(),
      speed: () => Number(this.speed.value),
      step: () => this.moment.get().step,
      move: step => this.moment.set(step, step !== null),
    })
    this.speed.append(...SPEEDS.map(one => new Option(`${one}×`, String(one))))
    this.speed.value = String(chosenSpeed())
    this.speed.addEventListener("change", () => keepSpeed(this.speed.value))
    this.play.addEventListener("click", () => this.toggle())
    this.newest.addEventListener("click", () => this.moment.set(null))
    this.slider.addEventListener("input", () => this.drag())
    this.slider.addEventListener("keydown", event => this.key(event))
    this.stopKeys = spaceBar(this.slider, () => this.toggle())
    this.motion = matchMedia("(prefers-reduced-motion: reduce)")
    this.motionChanged = () => this.show()
    this.motion.addEventListener("change", this.motionChanged)
  }

  get moment() {
    return moment(this.run)
  }

  /** @param {any} component */
  update(component) {
    this.data = component.data
    const { run, labels, language, margins } = this.data
    this.root.lang = language
    this.root.style.setProperty("--time-left", `${margins[0]}px`)
    this.root.style.setProperty("--time-right", `${margins[1]}px`)
    this.slider.setAttribute("aria-label", labels.slider)
    for (const [part, name] of [[this.speed, labels.speed], [this.newest, labels.newest]]) {
      part.title = name
      part.setAttribute("aria-label", name)
    }
    this.newest.textContent = labels.newest_short
    if ((run?.id ?? "") !== this.run) this.follow(run?.id ?? "")
    this.show()
  }

  /** @param {string} run */
  follow(run) {
    this.letGo()
    this.run = run
    if (!run) return
    const watching = watch(run, course => this.hear(course))
    this.past = past(run)
    this.past.subscribe(() => this.show())
    this.leave = [() => watching.stop(), this.moment.subscribe(() => this.show()), () => this.past?.close()]
  }

  letGo() {
    this.player.stop()
    for (const leave of this.leave) leave()
    this.leave = []
    this.course = this.past = null
  }

  /** @param {Course} course */
  hear(course) {
    this.course = course
    const { step, playing } = this.moment.get()
    const steps = this.steps()
    if (step !== null && !steps.includes(step)) this.moment.set(aimedAt(course, step), playing) // thinned out meanwhile
    this.show()
  }

  /** @returns {number[]} */
  steps() {
    return this.course ? pastSteps(this.course) : []
  }

  /** @returns {boolean} whether that could be */
  toggle() {
    if (!this.course || !hasPast(this.course)) return false
    const { step, playing } = this.moment.get()
    if (motionUnwanted()) this.moment.set(step === null ? this.steps()[0] : further(this.steps(), step, 1))
    else this.moment.set(step ?? this.steps()[0], !playing)
    return true
  }

  drag() {
    if (this.course) this.moment.set(aimedAt(this.course, Number(this.slider.value)))
    this.show() // the thumb snaps to where there is something to see
  }

  /** @param {KeyboardEvent} event the slider's own steps would be single steps of the training */
  key(event) {
    const ends = { Home: this.steps()[0] ?? null, End: null }
    const { key } = event
    if (event.ctrlKey || event.altKey || event.metaKey || !(key in MOVES || key in ends)) return
    event.preventDefault()
    if (!this.course || !hasPast(this.course)) return
    const { step } = this.moment.get()
    const earlier = this.steps().filter(one => one < (this.course?.step ?? 0)) // where it stands now is the newest
    this.moment.set(key in MOVES ? further(earlier, step, MOVES[key]) : ends[/** @type {"Home" | "End"} */ (key)])
  }

  show() {
    const { course } = this
    const there = course !== null && hasPast(course)
    const now = this.moment.get()
    for (const part of [this.play, this.slider, this.speed]) part.disabled = !there
    this.newest.disabled = !there || now.step === null
    this.root.dataset.past = course === null || course.status === "" ? "unknown" : there ? "kept" : "none"
    this.root.dataset.moment = now.step === null ? "newest" : String(now.step)
    this.root.dataset.playing = String(now.playing)
    if (now.playing && there) this.player.start()
    else this.player.stop()
    this.showButton(now.playing)
    this.showSlider(now.step)
    const words = there ? this.standing(now.step) : this.nothing()
    if (this.words.textContent !== words) this.words.textContent = this.words.title = words
  }

  /** @param {boolean} playing */
  showButton(playing) {
    const { labels } = this.data
    const shape = motionUnwanted() ? "next" : playing ? "pause" : "play"
    if (this.play.dataset.shape === shape && this.play.title === labels[shape]) return
    this.play.dataset.shape = shape
    this.play.title = labels[shape]
    this.play.setAttribute("aria-label", labels[shape])
  }

  /** @param {number | null} step */
  showSlider(step) {
    const { course, data, slider } = this
    const end = course ? lastStep(course) : (data.run?.steps ?? 1)
    const now = step ?? course?.step ?? data.run?.step ?? 0
    slider.max = String(Math.max(1, Math.round(MARGIN * end)))
    slider.value = String(now)
    slider.style.setProperty("--time-share", String(now / Number(slider.max)))
    slider.setAttribute("aria-valuetext", course && hasPast(course) ? this.standing(step) : this.nothing())
  }

  /** @param {number | null} step @returns {string} where one stands */
  standing(step) {
    const { course, data, past } = this
    if (!course) return ""
    const at = step ?? course.step
    const loss = at > 0 ? course.loss[at - 1] : undefined
    const words = [fill(step === null ? data.labels.at_newest : data.labels.at, { step: at })]
    if (loss !== undefined) words.push(fill(data.labels.loss, { loss: lossWords(loss) }))
    const { have, all, full } = past?.progress() ?? { have: 0, all: 0, full: false }
    if (step !== null && have > 0 && have < all) words.push(fill(full ? data.labels.full : data.labels.some, { have, all }))
    return words.join(" · ")
  }

  /** @returns {string} why there is nothing to look back at */
  nothing() {
    const { course, data } = this
    if (!data.run) return data.labels.no_run
    if (!course || course.status === "" || course.status === "gone") return ""
    return course.from_file ? data.labels.from_file : data.labels.not_yet
  }

  unmount() {
    this.letGo()
    this.stopKeys()
    this.motion.removeEventListener("change", this.motionChanged)
  }
}

/** @returns {number} the speed that was chosen in this tab */
function chosenSpeed() {
  try {
    const kept = Number(sessionStorage.getItem(KEY))
    return SPEEDS.includes(kept) ? kept : 1
  } catch {
    return 1 // storage may be forbidden
  }
}

/** @param {string} speed */
function keepSpeed(speed) {
  try {
    sessionStorage.setItem(KEY, speed)
  } catch {
    // then it lasts as long as the page
  }
}
