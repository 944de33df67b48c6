// Every layer of a look: the one that was asked for with its exact weights, the others as they came for the overview.

const MASKED = 255
const UNIT = 254 // a weight of 1

/** @typedef {import("../shared/frame.js").Look} Look */

/** How many layers a look has. @param {Look} look */
export const layersOf = ({ header }) => header.maps?.length ?? header.layers

/**
 * The weights of every head of a layer: exact ones for the layer that was asked for, else in steps of 1/254.
 * @param {Look} look
 * @param {number} layer
 * @returns {Float32Array[][]} head → query → weights of the keys
 */
export function mapsOf(look, layer) {
  const { header, maps, overview } = look
  if (layer === header.layer && maps.length > 0) return maps
  const entry = header.maps?.[layer]
  if (!entry || !overview) return maps
  const [heads, queries, keys] = entry.shape
  const cells = overview[layer]
  const row = (/** @type {number} */ start) =>
    Float32Array.from(cells.subarray(start, start + keys), cell => (cell === MASKED ? NaN : cell / UNIT))
  return Array.from({ length: heads }, (_, head) =>
    Array.from({ length: queries }, (_, query) => row((head * queries + query) * keys)),
  )
}

/**
 * The tokens along both sides of a layer's maps: the same for self-attention, two streams for cross-attention.
 * @param {Record<string, any>} header
 * @param {number} layer
 * @returns {{ queries: string[], keys: string[] }}
 */
export function tokensOf({ tokens, streams, maps }, layer) {
  const { queries, keys } = maps?.[layer] ?? {}
  return { queries: streams?.[queries] ?? tokens, keys: streams?.[keys] ?? tokens }
}

/**
 * A look as if another of its layers had been asked for.
 * @param {Look} look
 * @param {number} layer
 * @returns {Look}
 */
export function lookAt(look, layer) {
  const { header } = look
  const wanted = Math.min(layer, layersOf(look) - 1)
  if (wanted === header.layer && look.maps.length > 0) return look
  const shape = header.maps?.[wanted]?.shape ?? header.shape
  return { ...look, header: { ...header, layer: wanted, shape }, maps: mapsOf(look, wanted) }
}
