// The maps follow the training: when the run has moved on and what was asked is painted, it is time for another look.

import { isOver, watch } from "../shared/stream.js"

const SHORTEST = 400 // milliseconds between two looks of its own
const LAST_LOOKS = 5 // at the end: the snapshot may come a moment after the news of it
const SHARE = 12 // a look that took long is followed by a pause so many times as long, so that training keeps its pace …
const LONGEST = 2000 // … but not by a longer one than this

/**
 * @param {object} options
 * @param {() => boolean} options.ready whether everything that was asked has been answered and painted
 * @param {() => number | null} options.painted the step that is painted
 * @param {() => number} options.took milliseconds that the last look took
 * @param {() => void} options.look
 * @param {(course: import("../shared/stream.js").Course) => void} options.moved called whenever the run has moved
 */
export function follower({ ready, painted, took, look, moved }) {
  let run = ""
  let status = ""
  /** @type {ReturnType<typeof watch> | null} */
  let watching = null
  let step = -1
  let last = 0
  let timer = 0
  let lastLooks = 0

  function consider() {
    clearTimeout(timer)
    const shown = painted()
    if (!watching || shown === null || shown === step) return
    const left = last + Math.min(LONGEST, Math.max(SHORTEST, SHARE * took())) - performance.now()
    const end = isOver(status)
    if ((left > 0 && (!end || lastLooks > 0)) || !ready()) {
      timer = setTimeout(consider, Math.max(50, left))
      return
    }
    if (end && ++lastLooks > LAST_LOOKS) return
    last = performance.now()
    look()
    timer = setTimeout(consider, SHORTEST)
  }

  return {
    /** @param {{ id: string, status: string } | null} wanted the run to follow, as Python knows it */
    follow(wanted) {
      if (wanted && wanted.id === run) {
        if (isOver(status) && !isOver(wanted.status)) watching?.goOn()
        return
      }
      this.close()
      run = wanted?.id ?? ""
      status = ""
      step = -1
      if (!wanted) return
      watching = watch(wanted.id, course => {
        step = course.step
        status = course.status
        lastLooks = 0
        moved(course)
        consider()
      })
    },
    close() {
      clearTimeout(timer)
      watching?.stop()
      watching = null
      run = ""
    },
  }
}
