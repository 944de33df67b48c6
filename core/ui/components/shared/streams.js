// The courses of many runs over one connection. A browser opens six to one server over all its tabs, so that six streams
// would block every look; however many charts of several runs a page has, they share this one. What one run's own
// components watch (stream.js) is apart from it.

import { address } from "./address.js"
import { absorb, newCourse } from "./stream.js"

/** @typedef {import("./stream.js").Course} Course */
/** @typedef {import("./stream.js").Listener} Listener */

const TOGETHER = 30 // milliseconds in which what is asked for goes into one connection
const FIRST_PAUSE = 500 // until the first reconnection; doubled at each failure
const LONGEST_PAUSE = 8000

/** @typedef {{ course: Course, listeners: Set<Listener>, over: boolean }} Followed */

/** @type {Map<string, Followed>} */
const followed = new Map()
/** @type {EventSource | null} */
let source = null
let timer = 0
let failures = 0

document.addEventListener("visibilitychange", () => (document.hidden ? close() : soon()))

/**
 * Follow several runs. The listener is called with what is known of each already, and with everything new of any.
 * @param {string[]} runs
 * @param {Listener} listener
 * @returns {{ stop(): void, goOn(run: string): void }} `goOn`: a run, once over, has been taken up again
 */
export function watchAll(runs, listener) {
  for (const run of runs) {
    const one = followed.get(run) ?? { course: newCourse(run), listeners: new Set(), over: false }
    followed.set(run, one)
    one.listeners.add(listener)
    if (one.course.status) queueMicrotask(() => one.listeners.has(listener) && listener(one.course))
  }
  soon()
  return {
    goOn(run) {
      const one = followed.get(run)
      if (!one?.over) return
      one.over = false
      soon()
    },
    stop() {
      for (const run of runs) {
        const one = followed.get(run)
        one?.listeners.delete(listener)
        if (one?.listeners.size === 0) followed.delete(run)
      }
      soon()
    },
  }
}

/** @param {number} pause */
function soon(pause = TOGETHER) {
  clearTimeout(timer)
  timer = setTimeout(open, pause)
}

function close() {
  clearTimeout(timer)
  source?.close()
  source = null
}

function open() {
  close()
  const wanted = [...followed.values()].filter(one => !one.over)
  if (wanted.length === 0 || document.hidden) return
  const query = wanted.map(({ course }) => `run=${encodeURIComponent(`${course.run}.${course.loss.length}`)}`).join("&")
  const opened = (source = new EventSource(address(`api/streams?${query}`)))
  for (const one of wanted)
    opened.addEventListener(one.course.run, event => {
      failures = 0
      one.course.silent = false
      absorb(one.course, JSON.parse(event.data))
      tell(one)
    })
  opened.addEventListener("end", event => end(JSON.parse(event.data)))
  opened.onerror = () => fail()
}

/** @param {{ run: string, status: string }} told */
function end({ run, status }) {
  const one = followed.get(run)
  if (!one) return
  one.over = true
  if (status === "gone") one.course.status = status
  tell(one)
  if ([...followed.values()].every(other => other.over)) close() // before the browser takes its end for a failure
}

function fail() {
  close()
  soon(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures++)) // not the browser's own retry: it would ask for old steps
}

/** @param {Followed} one */
function tell({ course, listeners }) {
  for (const listener of listeners) listener(course)
}
