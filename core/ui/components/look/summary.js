// What the large map shows instead of one head: the mean of the layer's heads, or rollout up to the layer. Both hide what a
// single head does, so they are named as what they are.

import { cellsOf } from "./layers.js"

/** @typedef {import("../shared/frame.js").Look} Look */
/** @typedef {"head" | "mean" | "rollout"} Summary */

/**
 * The maps that one of is shown large, and which: the chosen head among its layer's, or a summary alone.
 * @param {Look} look its layer is the one that is shown
 * @param {number} head
 * @param {Summary} summary
 * @returns {{ maps: Float32Array[][], head: number, summary: Summary }} `summary`: what it is in fact, for there is no rollout
 *   where the streams of two texts meet
 */
export function shownLarge(look, head, summary) {
  const own = Math.min(head, look.maps.length - 1)
  if (summary === "mean") return { maps: [meanOf(look.maps)], head: 0, summary }
  const rolled = summary === "rollout" ? rolloutOf(look) : null
  return rolled ? { maps: [rolled], head: 0, summary: "rollout" } : { maps: look.maps, head: own, summary: "head" }
}

/**
 * The mean of some heads, cell by cell; what one of them may not see, none may.
 * @param {Float32Array[][]} maps head → query → weights of the keys
 * @returns {Float32Array[]}
 */
export function meanOf(maps) {
  return maps[0].map((row, query) =>
    row.map((_, key) => maps.reduce((sum, map) => sum + map[query][key], 0) / maps.length),
  )
}

/** @param {Look} look @returns {Float32Array[] | null} */
function rolloutOf({ header, rollout }) {
  if (!rollout || !header.rollout) return null
  const [, queries, keys] = header.rollout
  const size = queries * keys
  const cells = rollout.subarray(header.layer * size, (header.layer + 1) * size)
  return cellsOf(cells, [1, queries, keys])[0]
}
