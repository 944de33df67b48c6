// What moves the moment on by itself: from snapshot to snapshot, at the pace that was chosen, in the browser alone.

const WHOLE = 8000 // milliseconds that a whole run takes at the normal pace …
const [QUICKEST, SLOWEST] = [80, 500] // … but none of its frames stands shorter or longer than this

/**
 * How long a frame stands.
 * @param {number} frames
 * @param {number} speed
 * @returns {number} milliseconds
 */
export const standing = (frames, speed) => Math.max(QUICKEST, Math.min(SLOWEST, WHOLE / Math.max(1, frames))) / speed

/**
 * Where a player that looks at a step looks next.
 * @param {number[]} steps ascending, not empty
 * @param {number | null} step null: the newest
 * @param {number} places how many frames on; backwards if negative
 * @returns {number | null} null beyond the last one
 */
export function further(steps, step, places) {
  const before = step === null ? steps.length : steps.filter(one => one < step).length
  const here = places > 0 && steps[before] === step ? before : before - Number(places > 0)
  return steps[Math.max(0, here + places)] ?? null
}

/**
 * @param {object} options
 * @param {() => number[]} options.steps
 * @param {() => number} options.speed
 * @param {() => number | null} options.step the one that is looked at
 * @param {(step: number | null) => void} options.move
 */
export function player({ steps, speed, step, move }) {
  let frame = 0
  let before = 0 // when the last frame was drawn
  let owed = 0 // of a frame: what has passed of the one that stands

  /** @param {number} now */
  function tick(now) {
    frame = requestAnimationFrame(tick)
    const all = steps()
    owed += (now - before) / standing(all.length, speed())
    before = now
    const places = Math.floor(owed)
    if (places === 0) return
    owed -= places
    move(further(all, step(), places))
  }

  return {
    start() {
      if (frame) return
      before = performance.now()
      owed = 0
      frame = requestAnimationFrame(tick)
    },
    stop() {
      cancelAnimationFrame(frame)
      frame = 0
    },
  }
}
