// How large the maps are drawn: cells as square as may be, names that can be read, and all of it on one screen.
// Heads, the large map and the bars stand side by side; both masks share the room of the large map and the bars.

const SMALLEST_ROOM = 10 // pixels a token of the large map, so that its name can be read
const GAP = 12
const NARROW = 560 // pixels; below that everything stands in one column
const OTHER_BARS = 130 // pixels of height for the bars of a mask, when both stand side by side

/** @param {number} width */
export const isNarrow = width => width < NARROW

/**
 * Pixels that the block of small maps may take.
 * @param {number} width pixels that there are
 * @param {boolean} both
 */
const blockWidth = (width, both) => (isNarrow(width) ? Math.min(width, 300) : Math.min(380, (both ? 0.2 : 0.25) * width))

/** @param {number} width */
const barsWidth = width => Math.max(140, Math.min(0.22 * width, 320))

/**
 * The size of the figure of small maps.
 * @param {Record<string, any>} layout
 * @param {number} heads
 * @param {number} width pixels that there are
 * @param {boolean} [both]
 */
export function gridSize(layout, heads, width, both = false) {
  const across = span(layout.xaxis.domain)
  const down = span(layout.yaxis.domain)
  const { l, r } = layout.margin
  const side = Math.floor((blockWidth(width, both) - l - r) * across)
  return { side, width: Math.round(side / across) + l + r, height: Math.round(side / down) }
}

/**
 * The size of the large map. `beneath`: it needs so much room that the bars go beneath the small maps.
 * @param {Record<string, any>} layout
 * @param {number} queries
 * @param {number} keys
 * @param {number} width pixels that there are
 * @param {boolean} [both]
 */
export function zoomSize(layout, queries, keys, width, both = false) {
  const { l, r, t, b } = layout.margin
  const edge = l + r
  const readable = SMALLEST_ROOM * Math.max(queries, keys)
  const size = (/** @type {number} */ side) => ({ side, width: side + edge, height: side + t + b })
  if (isNarrow(width)) return { ...size(Math.round(Math.min(width - edge, 480))), beneath: false }
  const free = width - blockWidth(width, both) - GAP
  if (both) return { ...size(Math.round(Math.min((free - GAP) / 2 - edge, Math.max(200, 0.27 * width), 300))), beneath: false }
  const beside = free - GAP - barsWidth(width) - edge
  const usual = Math.min(beside, Math.max(240, Math.min(0.325 * width, 440)))
  if (readable <= usual * 1.1) return { ...size(Math.round(usual)), beneath: false }
  if (readable <= beside) return { ...size(readable), beneath: false }
  return { ...size(Math.round(Math.min(readable, free - edge, 640))), beneath: true }
}

/**
 * The bars end where the large map ends, within reason.
 * @param {HTMLElement} root
 * @param {string} kind of the prediction
 * @param {boolean} both
 */
export function barsHeight(root, kind, both) {
  if (both) return OTHER_BARS
  if (kind === "class") return 118
  const [map, bars] = [".attention-zoom", ".predictions"].map(name => root.querySelector(name)?.getBoundingClientRect())
  return Math.max(200, Math.min((map?.bottom ?? 0) - (bars?.top ?? 0), 440))
}

/** @param {Record<string, any>} layout @param {"x" | "y"} letter @param {number} head */
export const axisOf = (layout, letter, head) => layout[`${letter}axis${head === 0 ? "" : head + 1}`]

/** @param {[number, number]} domain */
const span = ([from, to]) => to - from
