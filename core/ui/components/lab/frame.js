// The frame of the lab: a JSON header, then float32 arrays one after another. core/runs/labs.py writes it.

/**
 * @typedef {object} Matrix
 * @property {number} rows
 * @property {number} columns
 * @property {Float32Array} data row after row
 *
 * @typedef {object} Answer
 * @property {Record<string, any>} header
 * @property {Record<string, Matrix>} arrays
 */

/**
 * @param {ArrayBuffer} buffer
 * @returns {Answer}
 */
export function readLab(buffer) {
  const length = new DataView(buffer).getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)))
  /** @type {Record<string, Matrix>} */
  const arrays = {}
  let place = 4 + length
  for (const { name, shape } of header.arrays) {
    const [rows, columns] = shape
    arrays[name] = { rows, columns, data: new Float32Array(buffer, place, rows * columns) }
    place += 4 * rows * columns
  }
  return { header, arrays }
}

/**
 * The tokens along one side of the maps: the same on both for self-attention, two rows of tokens for cross-attention.
 * @param {Record<string, any>} header
 * @param {"queries" | "keys"} side
 * @returns {string[]}
 */
export const tokensOf = (header, side) => header.streams[header[side]]

/** Which rows of tokens a layer joins. @param {{ queries: string, keys: string }} map */
export const kindOf = ({ queries, keys }) => `${queries}-${keys}`

/**
 * The layer that joins these rows of tokens and stands where the given one stands among those of its own kind.
 * @param {Record<string, any>} header
 * @param {string} kind
 * @returns {number} −1 where no layer joins them
 */
export function layerOf({ maps, layer }, kind) {
  const own = kindOf(maps[layer])
  const place = maps.slice(0, layer).filter((/** @type {any} */ one) => kindOf(one) === own).length
  const found = [...maps.keys()].filter(number => kindOf(maps[number]) === kind)
  return found[Math.min(place, found.length - 1)] ?? -1
}

/**
 * @param {Matrix} matrix
 * @param {number} row
 */
export const rowOf = ({ columns, data }, row) => data.subarray(row * columns, (row + 1) * columns)

/**
 * The weights, with what is masked not a number: a cell that may not be looked at is something else than a small weight.
 * @param {Record<string, Matrix>} arrays
 * @returns {Matrix}
 */
export function openWeights({ weights, masked }) {
  const data = weights.data.map((weight, place) => (masked.data[place] === -Infinity ? NaN : weight))
  return { ...weights, data }
}

/**
 * What a query takes from every key: its weights times the values. (keys, d_v)
 * @param {Record<string, Matrix>} arrays
 * @param {number} query
 * @returns {Matrix}
 */
export function weightedValues(arrays, query) {
  const { value } = arrays
  const share = rowOf(openWeights(arrays), query)
  const data = value.data.map((number, place) => number * share[Math.floor(place / value.columns)])
  return { rows: value.rows, columns: value.columns, data }
}

/**
 * The smallest and the largest number of a matrix; what is not finite does not count.
 * @param {Matrix} matrix
 */
export function bounds({ data }) {
  let [low, high] = [Infinity, -Infinity]
  for (const number of data) {
    if (!Number.isFinite(number)) continue
    if (number < low) low = number
    if (number > high) high = number
  }
  return low > high ? { low: 0, high: 0 } : { low, high }
}
