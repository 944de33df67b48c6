// Where the maps and the bars are painted: the row of heads first, then the large map, then the bars, a frame each, so
// that what follows the typing is seen before the rest is drawn.

import { forget, loadPlotly, onWidth } from "../shared/plotly.js"
import { pageTheme } from "../shared/theme.js"
import { paintBars, paintOtherBars } from "./bars.js"
import { paintGrid } from "./grid.js"
import { paintOtherZoom, paintZoom } from "./zoom.js"

/** @typedef {"grid" | "zoom" | "bars" | "otherZoom" | "otherBars"} Part */

/** @type {Part[]} */
const PARTS = ["grid", "zoom", "otherZoom", "bars", "otherBars"]
const PAINTERS = {
  grid: paintGrid,
  zoom: paintZoom,
  otherZoom: paintOtherZoom,
  bars: paintBars,
  otherBars: paintOtherBars,
}

/** @type {Part[]} */
const OTHERS = ["otherZoom", "otherBars"]

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {() => import("./view.js").View | null} options.view what there is to paint
 * @param {(part: Part, view: import("./view.js").View) => void} options.painted called after each part
 * @param {() => void} options.failed Plotly could not be loaded
 */
export function stage(root, { view, painted, failed }) {
  /** @type {any} */
  let plotly = null
  let theme = ""
  let frame = 0
  /** @type {Set<Part>} */
  const wanted = new Set()
  let width = 0
  const stopWatchingWidth = onWidth(root, () => {
    width = root.clientWidth
    show(...PARTS)
  })

  /** @param {Part[]} parts */
  function show(...parts) {
    for (const part of parts) wanted.add(part)
    theme = pageTheme(root)
    begin()
  }

  function begin() {
    if (plotly && !frame && wanted.size > 0) frame = requestAnimationFrame(step)
  }

  function step() {
    frame = 0
    const seen = view()
    if (seen && !seen.other) for (const part of OTHERS) wanted.delete(part)
    const part = PARTS.find(one => wanted.has(one))
    if (!part || !seen) return wanted.clear()
    wanted.delete(part)
    setTimeout(begin) // after this frame has reached the screen, whatever becomes of this part
    PAINTERS[part](plotly, seen)
    painted(part, seen)
  }

  loadPlotly().then(loaded => {
    plotly = loaded
    show(...PARTS)
  }, failed)

  return {
    show,
    showAll: () => show(...PARTS),
    /** Pixels that there are. Asking the element each time would make the browser lay the page out in between. */
    width: () => (width ||= root.clientWidth),
    idle: () => wanted.size === 0,
    isOutdated: () => theme !== pageTheme(root),
    close() {
      plotly = null
      cancelAnimationFrame(frame)
      stopWatchingWidth()
      for (const plot of root.querySelectorAll(".look-plot")) forget(/** @type {HTMLElement} */ (plot))
    },
  }
}
