// How large the maps are drawn: cells as square as may be, and names that can be read.

const SMALLEST_ROOM = 10 // pixels a token of the large map, so that its name can be read
const LEAST_BARS = 210 // pixels that are left for the bars beside it
const GAP = 16

/**
 * The size of the figure of small maps.
 * @param {Record<string, any>} layout
 * @param {number} heads
 * @param {number} width pixels that there are
 */
export function gridSize(layout, heads, width) {
  const across = span(layout.xaxis.domain)
  const down = span(layout.yaxis.domain)
  const columns = new Set(Array.from({ length: heads }, (_, head) => axisOf(layout, "x", head).domain[0])).size
  const widest = Math.min(0.9 * (width / columns), Math.max(150, 0.19 * width), 300)
  const { l, r } = layout.margin
  const side = Math.floor(Math.min(widest, (width - l - r) * across))
  return { side, width: Math.round(side / across) + l + r, height: Math.round(side / down) }
}

/**
 * The size of the large map beside its bars (or above them, on a narrow page).
 * @param {Record<string, any>} layout
 * @param {number} queries
 * @param {number} keys
 * @param {number} width pixels that there are
 */
export function zoomSize(layout, queries, keys, width) {
  const { l, r, t, b } = layout.margin
  const usual = Math.max(276, Math.min(0.3 * width, 440))
  const wanted = Math.max(usual, SMALLEST_ROOM * Math.max(queries, keys))
  const beside = width - l - r - GAP - LEAST_BARS
  const side = Math.round(Math.min(wanted, beside >= 240 ? beside : width - l - r, 640))
  return { side, width: side + l + r, height: side + t + b }
}

/** @param {Record<string, any>} layout @param {"x" | "y"} letter @param {number} head */
export const axisOf = (layout, letter, head) => layout[`${letter}axis${head === 0 ? "" : head + 1}`]

/** @param {[number, number]} domain */
const span = ([from, to]) => to - from
