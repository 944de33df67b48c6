// A vertical line over each of a plot's areas, at one place of its x axes, and pointing at such a place.
// It is drawn over Plotly instead of by it: a line that follows a finger must not redraw a thousand points.

const STILL = 4 // pixels: a pointer that has moved less has clicked, not dragged
const TWICE = 400 // milliseconds: two clicks that are closer are a double click

/** @typedef {{ left: number, top: number, width: number, height: number, low: number, high: number }} Area in pixels, and in x */

/**
 * The areas of a plot, one an x axis, in its order of axes.
 * @param {any} plot
 * @returns {Area[]} none before it is drawn
 */
export function areas({ layout }) {
  if (!layout?.width) return []
  const { l, r, t, b } = layout.margin
  const inner = layout.width - l - r
  const names = Object.keys(layout).filter(name => /^xaxis\d*$/.test(name))
  return names.sort((one, other) => one.length - other.length || one.localeCompare(other)).map(name => {
    const [from, to] = layout[name].domain ?? [0, 1]
    const [low, high] = layout[name].range
    return { left: l + from * inner, top: t, width: (to - from) * inner, height: layout.height - t - b, low, high }
  })
}

/**
 * Lines on a plot that begins at the upper left corner of a positioned stage.
 * @param {HTMLElement} stage
 * @param {HTMLElement} plot
 * @param {object} tell
 * @param {(x: number) => void} tell.picked somebody has clicked at a place of an x axis, or drags the line there
 * @param {() => void} tell.undone the last click was the first half of a double click, which shows all of the plot again
 */
export function marker(stage, plot, { picked, undone }) {
  /** @type {HTMLElement[]} */
  let lines = []
  let clicked = -Infinity // when
  const point = (/** @type {PointerEvent} */ event) => {
    const corner = plot.getBoundingClientRect()
    return { x: event.clientX - corner.left, y: event.clientY - corner.top }
  }

  /** @param {PointerEvent} event @returns {boolean} whether it belongs to the second half of a double click */
  function second(event) {
    const soon = event.timeStamp - clicked < TWICE
    clicked = -Infinity
    return soon
  }

  /** @param {PointerEvent} event */
  function press(event) {
    if (event.button !== 0 || !event.isPrimary) return
    const line = lines.find(one => one.contains(/** @type {Node} */ (event.target)))
    if (line && second(event)) undone() // it has come beneath the pointer by the first click
    else if (line) drag(event, line)
    else if (event.target instanceof Element && event.target.closest(".draglayer")) click(event)
  }

  /** @param {PointerEvent} event @param {HTMLElement} line */
  function drag(event, line) {
    event.preventDefault()
    line.setPointerCapture(event.pointerId)
    const move = (/** @type {PointerEvent} */ moved) => {
      const area = areas(plot)[lines.indexOf(line)]
      if (area) picked(placeOf(area, point(moved).x))
    }
    line.addEventListener("pointermove", move)
    line.addEventListener("lostpointercapture", () => line.removeEventListener("pointermove", move), { once: true })
  }

  /** @param {PointerEvent} event */
  function click(event) {
    const start = point(event)
    const area = areas(plot).find(one => inside(one, start))
    if (!area) return
    const release = (/** @type {PointerEvent} */ up) => {
      const end = point(up)
      if (Math.hypot(end.x - start.x, end.y - start.y) >= STILL) return
      if (second(up)) return undone()
      clicked = up.timeStamp
      picked(placeOf(area, end.x))
    }
    addEventListener("pointerup", release, { once: true, capture: true }) // Plotly lays a cover of its own over the page
  }

  stage.addEventListener("pointerdown", press, true)
  return {
    /**
     * Put the lines to a place; null takes them away.
     * @param {number | null} x
     * @param {boolean} faint whether they only say where one could begin to drag
     */
    show(x, faint) {
      const places = x === null ? [] : areas(plot)
      while (lines.length > places.length) lines.pop()?.remove()
      while (lines.length < places.length) lines.push(stage.appendChild(newLine()))
      places.forEach((area, number) => put(lines[number], area, x ?? 0, faint))
    },
    close() {
      stage.removeEventListener("pointerdown", press, true)
      for (const line of lines) line.remove()
      lines = []
    },
  }
}

/** @returns {HTMLElement} it can be dragged, but the scrubber is what a keyboard moves */
function newLine() {
  const line = document.createElement("div")
  line.className = "moment-line"
  line.setAttribute("aria-hidden", "true")
  return line
}

/** @param {HTMLElement} line @param {Area} area @param {number} x @param {boolean} faint */
function put(line, { left, top, width, height, low, high }, x, faint) {
  const share = (x - low) / (high - low)
  line.hidden = !(share >= 0 && share <= 1) // one has zoomed into other steps
  line.dataset.faint = String(faint)
  Object.assign(line.style, { left: `${left + share * width}px`, top: `${top}px`, height: `${height}px` })
}

/** @param {Area} area @param {number} pixel @returns {number} */
const placeOf = ({ left, width, low, high }, pixel) =>
  low + Math.max(0, Math.min(1, (pixel - left) / width)) * (high - low)

/** @param {Area} area @param {{ x: number, y: number }} point */
const inside = ({ left, top, width, height }, { x, y }) =>
  x >= left && x <= left + width && y >= top && y <= top + height
