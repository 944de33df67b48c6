// How large the maps are drawn: cells as square as may be, names that can be read, and all of it on one screen.
// On the left the small maps with the bars beneath them, on the right the large map; both masks share the right.

const SMALLEST_ROOM = 10 // pixels a token of the large map, so that its name can be read
const PRESENTED_BELOW = 60 // pixels beneath the map in presenter view, where the scrubber may stand
const LARGEST_SMALL = 150 // pixels of a small map, however few heads there are
const SMALLEST_LARGE = 280 // pixels of the large map
const ABOVE_AND_BELOW = 430 // pixels of the page above the large map and beneath it, so that all of it is in sight
const GAP = 12
const NARROW = 560 // pixels; below that everything stands in one column
const CLASS_BARS = 58 // pixels for the bars of two classes; they say their probability and need no axis
const FEW = 4 // rows of small maps that stand above each other; more of them stand two abreast
const SIDE_BY_SIDE = 4 // heads of a row that has room for another beside it
const OTHER_BARS = 130 // pixels of height for the bars of a mask, when both stand side by side

/** @param {number} width */
export const isNarrow = width => width < NARROW

/**
 * How many rows of small maps stand beside each other.
 * @param {number} rows
 * @param {number} heads
 * @param {number} width pixels that there are
 * @param {boolean} both
 */
export const abreast = (rows, heads, width, both) =>
  rows > FEW && heads <= SIDE_BY_SIDE && !both && !isNarrow(width) ? 2 : 1

/**
 * Pixels that the block of small maps may take, with the bars beneath it.
 * @param {number} width pixels that there are
 * @param {boolean} both
 * @param {number} [columns] rows of small maps beside each other
 */
export function blockWidth(width, both, columns = 1) {
  if (isNarrow(width)) return width
  if (columns > 1) return Math.min(720, 0.6 * width)
  return both ? Math.min(360, 0.24 * width) : Math.min(560, Math.max(240, 0.43 * width))
}

/**
 * The size of the figure of small maps.
 * @param {Record<string, any>} layout
 * @param {number} heads
 * @param {number} width pixels that there are
 * @param {boolean} [both]
 * @param {number} [columns] rows of small maps beside each other
 */
export function gridSize(layout, heads, width, both = false, columns = 1) {
  const across = span(layout.xaxis.domain)
  const down = span(layout.yaxis.domain)
  const { l, r } = layout.margin
  const room = (blockWidth(width, both, columns) - (columns - 1) * GAP) / columns
  const side = Math.floor(Math.min((room - l - r) * across, LARGEST_SMALL))
  return { side, width: Math.round(side / across) + l + r, height: Math.round(side / down) }
}

/**
 * The size of the large map.
 * @param {Record<string, any>} layout
 * @param {number} queries
 * @param {number} keys
 * @param {number} width pixels that there are
 * @param {boolean} [both]
 * @param {number} [height] pixels of the window
 * @param {number} [columns] rows of small maps beside each other
 */
export function zoomSize(layout, queries, keys, width, both = false, height = Infinity, columns = 1) {
  const { l, r, t, b } = layout.margin
  const edge = l + r
  const readable = SMALLEST_ROOM * Math.max(queries, keys)
  const size = (/** @type {number} */ side) => ({ side: Math.round(side), width: Math.round(side) + edge, height: Math.round(side) + t + b })
  if (isNarrow(width)) return size(Math.min(width - edge, 480))
  const free = width - blockWidth(width, both, columns) - GAP
  if (both) return size(Math.min((free - GAP) / 2 - edge, Math.max(200, 0.27 * width), 300))
  const usual = Math.min(0.42 * width, Math.max(SMALLEST_LARGE, height - ABOVE_AND_BELOW))
  return size(Math.min(free - edge, Math.max(usual, Math.min(readable, 720)), 720))
}

/**
 * The size of the large map in presenter view: as high as the window leaves room for.
 * @param {Record<string, any>} layout
 * @param {number} width
 * @param {number} height pixels from the top of the map to the bottom of the window
 */
export function presentedSize(layout, width, height) {
  const { l, r, t, b } = layout.margin
  const side = Math.round(Math.max(SMALLEST_LARGE, Math.min(height - PRESENTED_BELOW - t - b, 0.66 * width - l - r)))
  return { side, width: side + l + r, height: side + t + b }
}

/**
 * The bars end where the large map ends, within reason.
 * @param {HTMLElement} root
 * @param {string} kind of the prediction
 * @param {boolean} both
 */
export function barsHeight(root, kind, both) {
  if (root.dataset.present === "true") return kind === "class" ? 150 : 330
  if (both) return OTHER_BARS
  if (kind === "class") return CLASS_BARS
  const [map, bars] = [".attention-zoom", ".predictions"].map(name => root.querySelector(name)?.getBoundingClientRect())
  return Math.max(132, Math.min((map?.bottom ?? 0) - (bars?.top ?? 0), 440))
}

/** @param {Record<string, any>} layout @param {"x" | "y"} letter @param {number} head */
export const axisOf = (layout, letter, head) => layout[`${letter}axis${head === 0 ? "" : head + 1}`]

/** @param {[number, number]} domain */
const span = ([from, to]) => to - from
