// The past of a run: what its model made of one text at every step that has a snapshot, fetched once and kept here, so
// that time can be scrubbed and played without a question a frame.
// A few steps at a time, coarse to fine, one question in flight; another text or another mask begins anew.

import { address } from "./address.js"
import { readPast } from "./frame.js"
import { moment } from "./moment.js"
import { watch } from "./stream.js"

const MOST_STEPS = 16 // in one question; the server refuses more
const ROOM = 24 * 2 ** 20 // bytes of frames that are kept: beyond that time stays coarser
const RETRY = 1000 // milliseconds, doubled at each failure
const LONGEST_RETRY = 8000

/** @typedef {import("./stream.js").Course} Course */
/** @typedef {{ entropy: (number | null)[], distance: (number | null)[], previous: (number | null)[], first: (number | null)[],
 *   self: (number | null)[], uniform_entropy: number | null }} Statistics one value a head
 *
 * @typedef {object} PastFrame What the model made of the text after a step.
 * @property {number} step its own: of the newest snapshot at or before the step that was asked for
 * @property {number | null} loss
 * @property {Statistics[]} statistics one an entry of `header.maps`
 * @property {Uint8Array[]} maps the cells of every entry of `header.maps`: 0–254 for a weight of 0–1, 255 where masked
 * @property {Uint8Array | null} rollout in the same coding, of the shape `header.rollout`
 * @property {Float32Array[]} logits one array a prediction (`header.predictions`)
 * @property {Record<string, any>} header what all frames of a text share: tokens, streams, maps, predictions, notices
 *
 * @typedef {object} Past
 * @property {(text: string, causal_mask: boolean | null, given: number) => void} want fetch the past of this text, and what
 *   is added to it while the run learns; `given`: how many characters there were before any were cut off
 * @property {() => void} rest fetch nothing more on this part's account; what is there stays
 * @property {(step: number) => PastFrame | null} frame the nearest one there is by now
 * @property {() => number[]} steps of the frames there are by now, ascending
 * @property {() => { have: number, all: number, full: boolean }} progress `all`: how many steps can be looked back at;
 *   `full`: there is no room for more, so the rest is left out
 * @property {(listener: () => void) => () => void} subscribe called when frames have come or gone; returns what ends that
 * @property {() => void} close
 */

/** @type {Map<string, Store>} */
const stores = new Map()

/**
 * The past of a run, as one part of the page uses it. The parts share what was fetched; the text is the one that any of
 * them has wanted last.
 * @param {string} run
 * @returns {Past}
 */
export function past(run) {
  const store = stores.get(run) ?? new Store(run)
  stores.set(run, store)
  const part = {}
  store.parts.add(part)
  /** @type {(() => void)[]} */
  const own = []
  const rest = () => void store.wanting.delete(part)
  return {
    want(text, causal_mask, given) {
      if (!store.parts.has(part)) return
      store.wanting.add(part)
      store.want({ text, given, causal_mask })
    },
    rest,
    frame: step => store.nearest(step),
    steps: () => [...store.frames.keys()].sort((one, other) => one - other),
    progress: () => store.progress(),
    subscribe(listener) {
      const stop = () => void store.listeners.delete(listener)
      store.listeners.add(listener)
      own.push(stop)
      return stop
    },
    close() {
      rest()
      for (const stop of own) stop()
      store.parts.delete(part)
      if (store.parts.size > 0) return
      store.close()
      if (stores.get(run) === store) stores.delete(run)
    },
  }
}

class Store {
  /** @param {string} run */
  constructor(run) {
    this.run = run
    this.parts = new Set()
    this.wanting = new Set() // the parts for whom it fetches
    this.listeners = new Set()
    /** @type {Map<number, PastFrame>} */
    this.frames = new Map()
    /** @type {Set<number>} */
    this.answered = new Set() // steps that were asked for, whichever snapshot stood in for them
    /** @type {number[]} */
    this.all = [] // steps that can be looked back at
    /** @type {{ text: string, given: number, causal_mask: boolean | null } | null} */
    this.topic = null
    /** @type {AbortController | null} */
    this.call = null // the question in flight
    this.refused = false // asking again would not help
    this.failures = 0
    this.timer = 0
    this.step = 0
    this.watching = watch(run, course => this.hear(course))
  }

  /** @param {Course} course */
  hear(course) {
    const now = pastSteps(course)
    if (course.step < this.step) this.forget(step => step > course.step) // resumed from an earlier step
    this.step = course.step
    if (String(now) === String(this.all)) return
    this.all = now
    if (this.forget(step => !now.includes(step)) > 0) this.tell()
    this.fetch()
  }

  /** @param {{ text: string, given: number, causal_mask: boolean | null }} topic */
  want(topic) {
    if (JSON.stringify(topic) !== JSON.stringify(this.topic)) {
      this.topic = topic
      this.call?.abort()
      this.call = null
      this.refused = false
      if (this.forget(() => true) > 0) this.tell()
    }
    this.fetch()
  }

  /** @param {(step: number) => boolean} which @returns {number} how many frames went */
  forget(which) {
    const gone = [...this.frames.keys()].filter(which)
    for (const step of gone) this.frames.delete(step)
    for (const step of this.answered) if (which(step)) this.answered.delete(step)
    return gone.length
  }

  tell() {
    for (const listener of [...this.listeners]) listener()
  }

  /** @param {number} step */
  nearest(step) {
    /** @type {PastFrame | null} */
    let best = null
    for (const frame of this.frames.values())
      if (!best || Math.abs(frame.step - step) < Math.abs(best.step - step)) best = frame
    return best
  }

  progress() {
    const have = this.all.filter(step => this.answered.has(step)).length
    return { have, all: this.all.length, full: have < this.all.length && this.room() === 0 }
  }

  /** @returns {number} how many more frames may be kept */
  room() {
    const sizes = [...this.frames.values()].map(bytes)
    const used = sizes.reduce((sum, size) => sum + size, 0)
    return sizes.length === 0 ? MOST_STEPS : Math.max(0, Math.floor((ROOM - used) / Math.max(...sizes)))
  }

  /** @returns {number[]} the steps to ask for next: the one that is looked at, then coarse to fine */
  next() {
    const looked = moment(this.run).get().step
    const ordered = coarseToFine(this.all.length).map(place => this.all[place])
    if (looked !== null) ordered.unshift(...ordered.splice(ordered.indexOf(nearest(this.all, looked)), 1))
    return ordered.filter(step => !this.answered.has(step)).slice(0, Math.min(MOST_STEPS, this.room()))
  }

  async fetch() {
    clearTimeout(this.timer)
    const { topic } = this
    if (this.call || this.refused || !topic || this.wanting.size === 0 || this.all.length === 0) return
    const steps = this.next()
    if (steps.length === 0) return
    const call = (this.call = new AbortController())
    try {
      const answer = await post(this.run, { ...topic, steps }, call.signal)
      if (this.call !== call) return // another text has come meanwhile
      this.call = null
      this.failures = 0
      this.take(answer, steps)
    } catch (problem) {
      if (this.call !== call) return
      this.call = null
      this.fail(problem)
    }
  }

  /** @param {{ header: Record<string, any>, frames: Omit<PastFrame, "header">[] }} answer @param {number[]} steps that were asked for */
  take({ header, frames }, steps) {
    const left = frames.length > 0 ? header.left : [] // an answer without any frame would be asked for for ever
    frames.forEach((frame, place) => {
      const { streams } = header.frames[place] // of what a model writes itself, and so otherwise at every step
      this.frames.set(frame.step, { ...frame, header: streams ? { ...header, streams } : header })
    })
    for (const step of steps) if (!left.includes(step)) this.answered.add(step)
    this.tell()
    this.fetch()
  }

  /** @param {any} problem */
  fail({ code }) {
    this.refused = code === "no_run" || code === "bad_request"
    if (!this.refused) this.timer = setTimeout(() => this.fetch(), Math.min(LONGEST_RETRY, RETRY * 2 ** this.failures++))
  }

  close() {
    clearTimeout(this.timer)
    this.call?.abort()
    this.call = null
    this.topic = null
    this.watching.stop()
  }
}

/**
 * The steps of a run that can be looked back at, ascending: its snapshots, and where it stands unless it is moving on.
 * None of a model that came from a file: only its end was kept.
 * @param {Course} course
 * @returns {number[]}
 */
export function pastSteps({ snapshots, step, status }) {
  const steps = snapshots.filter(one => one <= step)
  const still = status !== "running" && status !== "lost" && status !== ""
  return still && steps.length > 0 && steps.at(-1) !== step ? [...steps, step] : steps
}

/**
 * The one of some steps that is nearest to a step.
 * @param {number[]} steps not empty
 * @param {number} step
 * @returns {number}
 */
export const nearest = (steps, step) =>
  steps.reduce((best, one) => (Math.abs(one - step) < Math.abs(best - step) ? one : best))

/**
 * The moment that somebody means who points at a step: the nearest one that can be looked back at, or the newest (null).
 * @param {Course} course
 * @param {number} step
 * @returns {number | null}
 */
export function aimedAt(course, step) {
  const found = nearest([...pastSteps(course), course.step], step)
  return found === course.step ? null : found
}

/**
 * Whether there is anything to look back at: something earlier than where the run stands.
 * @param {Course} course
 * @returns {boolean}
 */
export const hasPast = course => course.step > 0 && pastSteps(course).some(step => step < course.step)

/**
 * Places in a list, ordered so that any beginning of them is spread evenly over it: the ends, the middle, the quarters …
 * @param {number} count
 * @returns {number[]}
 */
export function coarseToFine(count) {
  if (count === 0) return []
  const places = new Set([count - 1, 0])
  for (let parts = 2; places.size < count; parts *= 2)
    for (let part = 1; part < parts; part += 2) places.add(Math.round((part / parts) * (count - 1)))
  return [...places]
}

/** @param {PastFrame} frame @returns {number} its size in memory, nearly */
const bytes = ({ maps, rollout, logits }) => [...maps, ...(rollout ? [rollout] : []), ...logits].reduce((sum, one) => sum + one.byteLength, 0)

/**
 * @param {string} run
 * @param {object} body
 * @param {AbortSignal} signal
 */
async function post(run, body, signal) {
  const headers = { "Content-Type": "application/json" }
  const url = address(`api/past/${encodeURIComponent(run)}`)
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal, cache: "no-store" })
  if (response.ok) return readPast(await response.arrayBuffer())
  const told = await response.json().catch(() => ({}))
  throw Object.assign(new Error(told.message ?? ""), { code: told.error ?? "unreachable" })
}
