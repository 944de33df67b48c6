// The stream of a run: one connection a run and tab, however many components watch it. A browser opens six connections
// to one origin over all its tabs, so a hidden tab gives its own back and catches up when it is seen again.

import { address } from "./address.js"

/**
 * @typedef {object} Course What is known of a run's course; `loss[i]` is the loss of step `i + 1`.
 * @property {string} run
 * @property {number[]} loss
 * @property {{ step: number, [metric: string]: number }[]} evaluations
 * @property {{ step: number, setting: string, value: any }[]} marks
 * @property {number} step
 * @property {number} steps
 * @property {string} status "" until something is known; "gone" when the server knows no such run
 * @property {string | null} reason
 * @property {number | null} steps_per_second
 * @property {number | null} seconds_left
 * @property {number} tokens how many characters or digits it has read
 * @property {number | null} tokens_per_step
 * @property {number | null} parameters how many the model has
 * @property {Record<string, number>} baselines what guesses without a model reach
 * @property {boolean} from_file whether it was trained somewhere else, and its weights and its curve were read from a file
 * @property {number[]} snapshots the steps that can be looked back at
 * @property {boolean} silent whether the server has not answered lately
 *
 * @typedef {(course: Course) => void} Listener
 */

const OVER = ["finished", "stopped", "failed", "gone"]
const STATE = ["step", "steps", "status", "reason", "steps_per_second", "seconds_left", "tokens", "from_file"].concat(
  ["tokens_per_step", "parameters", "baselines", "snapshots"], // these come first, and again only when they change
)
const FIRST_PAUSE = 500 // milliseconds until the first reconnection; doubled at each failure
const LONGEST_PAUSE = 8000

/** @type {Map<string, Channel>} */
const channels = new Map()

document.addEventListener("visibilitychange", () => {
  for (const channel of channels.values()) document.hidden ? channel.close() : channel.open()
})

/**
 * Follow a run. The listener is called with what is known already, and again with everything new.
 * @param {string} run
 * @param {Listener} listener
 * @returns {{ stop(): void, goOn(): void }} `goOn`: the run, once over, has been taken up again
 */
export function watch(run, listener) {
  const channel = channels.get(run) ?? new Channel(run)
  channels.set(run, channel)
  channel.listeners.add(listener)
  if (channel.course.status) queueMicrotask(() => channel.listeners.has(listener) && listener(channel.course))
  channel.open()
  return {
    goOn: () => channel.goOn(),
    stop() {
      channel.listeners.delete(listener)
      if (channel.listeners.size > 0) return
      channel.close()
      if (channels.get(run) === channel) channels.delete(run)
    },
  }
}

class Channel {
  /** @param {string} run */
  constructor(run) {
    this.course = newCourse(run)
    /** @type {Set<Listener>} */
    this.listeners = new Set()
    /** @type {EventSource | null} */
    this.source = null
    this.over = false
    this.failures = 0
    this.timer = 0
  }

  get url() {
    return address(`api/stream/${encodeURIComponent(this.course.run)}?from=${this.course.loss.length}`)
  }

  open() {
    if (this.source || this.over || document.hidden) return
    clearTimeout(this.timer)
    const source = (this.source = new EventSource(this.url))
    source.onmessage = event => this.hear(JSON.parse(event.data))
    source.addEventListener("end", () => this.end())
    source.onerror = () => this.fail(source.readyState === EventSource.CLOSED)
  }

  close() {
    clearTimeout(this.timer)
    this.source?.close()
    this.source = null
  }

  end() {
    this.over = true
    this.close()
  }

  goOn() {
    this.over = false
    this.open()
  }

  /** @param {any} event */
  hear(event) {
    this.failures = 0
    this.course.silent = false
    absorb(this.course, event)
    this.tell()
  }

  tell() {
    for (const listener of this.listeners) listener(this.course)
  }

  /** @param {boolean} refused whether there was an answer, though not a stream */
  async fail(refused) {
    this.close()
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.failures++)
    this.timer = setTimeout(() => this.open(), pause) // not the browser's own retry: that would ask for old steps again
    if (this.failures > 1 && this.course.status && !this.course.silent) {
      this.course.silent = true // once may be a mere flap
      this.tell()
    }
    if (refused && (await this.isGone()) && this.listeners.size > 0) {
      this.end()
      this.course.status = "gone"
      this.tell()
    }
  }

  /** An EventSource does not tell why it was refused, so ask once more in a way that does. */
  async isGone() {
    const asked = new AbortController()
    try {
      const response = await fetch(this.url, { signal: asked.signal, cache: "no-store" })
      return response.status === 404
    } catch {
      return false
    } finally {
      asked.abort()
    }
  }
}

/**
 * What is known of a run before its stream has spoken.
 * @param {string} run
 * @returns {Course}
 */
export const newCourse = run => ({
  run,
  loss: [],
  evaluations: [],
  marks: [],
  step: 0,
  steps: 0,
  status: "",
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

/**
 * Take an event in. One that begins before our end belongs to a run that was resumed from an earlier step.
 * @param {Course} course
 * @param {any} event
 */
export function absorb(course, event) {
  const start = Math.min(event.from, course.loss.length)
  course.loss.length = start
  course.loss.push(...event.loss)
  course.evaluations = [...course.evaluations.filter(one => one.step <= start), ...event.evaluations]
  course.marks = [...course.marks.filter(one => one.step <= start), ...event.marks]
  for (const name of STATE) if (name in event) course[name] = event[name]
}

/**
 * @param {string} status
 * @returns {boolean}
 */
export const isOver = status => OVER.includes(status)

/**
 * Where an axis of a run's steps ends: with the run as planned, or soon after where it failed.
 * @param {Course} course
 * @returns {number}
 */
export const lastStep = ({ status, step, steps }) => (status === "failed" ? 1.2 * (step + 1) : Math.max(step, steps))
