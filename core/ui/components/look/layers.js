// Every layer of a look: the one that was asked for with its exact weights, the others as they came for the overview.

import { rowsOf } from "../shared/frame.js"
import { fill } from "../shared/words.js"
import { abreast } from "./geometry.js"

// What each of the 256 cells stands for: 0 to 254 a weight of 0 to 1, 255 a masked one. A table is twenty times as quick as
// a function for every cell.
const WEIGHTS = Float32Array.from({ length: 256 }, (_, cell) => (cell === 255 ? NaN : cell / 254))

/** @typedef {import("../shared/frame.js").Look} Look */

/** @type {WeakMap<Uint8Array, Float32Array[][]>} cells → what they were read as: several parts of the page ask for them */
const known = new WeakMap()

/** How many layers a look has. @param {Look} look */
export const layersOf = ({ header }) => header.maps?.length ?? header.layers

/**
 * How many rows of small maps stand beside each other: three kinds of attention are three times as many rows.
 * @param {Look} look
 * @param {number} width pixels that there are
 * @param {boolean} both
 */
export const columnsOf = (look, width, both) =>
  look.header.streams?.target ? abreast(layersOf(look), look.maps.length, width, both) : 1

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
  const cells = overview[layer]
  const found = known.get(cells) ?? cellsOf(cells, entry.shape)
  known.set(cells, found)
  return found
}

/**
 * What cells of a byte stand for.
 * @param {Uint8Array} cells
 * @param {number[]} shape
 * @returns {Float32Array[][]} head → query → weights of the keys; NaN where masked
 */
export function cellsOf(cells, [heads, queries, keys]) {
  const weights = new Float32Array(cells.length)
  for (let place = 0; place < cells.length; place++) weights[place] = WEIGHTS[cells[place]]
  return rowsOf(weights, heads, queries, keys)
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
 * What a layer of attention is called: by its number, or, where two streams meet, by whose attention it is.
 * @param {Record<string, any>} header
 * @param {number} layer among all that there are
 * @param {Record<string, any>} labels
 */
export function layerName({ maps }, layer, labels) {
  const kindOf = (/** @type {any} */ one) => `${one.queries}-${one.keys}`
  const kind = maps?.[layer] ? kindOf(maps[layer]) : ""
  const words = labels.layer_kinds[kind]
  if (!words) return fill(labels.layer, { layer })
  const before = maps.slice(0, layer).filter((/** @type {any} */ one) => kindOf(one) === kind).length
  return fill(words, { layer: before })
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
