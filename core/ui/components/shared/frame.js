// The frame of a look: a JSON header, then raw numbers. core/runs/wire.py writes it.

const UNIT = 65534 // a weight of 1
const MASKED = 65535

/**
 * @typedef {object} Prediction
 * @property {"class" | "blank" | "next"} kind
 * @property {number | null} position
 * @property {string[]} labels
 * @property {number} size
 * @property {string | null} correct
 *
 * @typedef {object} Look
 * @property {Record<string, any>} header
 * @property {Float32Array[]} logits one array a prediction
 * @property {Float32Array[][]} maps head → query → weights of the keys; NaN where masked
 */

/**
 * @param {ArrayBuffer} buffer
 * @returns {Look}
 */
export function readFrame(buffer) {
  const length = new DataView(buffer).getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)))
  let place = 4 + length
  const logits = header.predictions.map((/** @type {Prediction} */ { size }) => {
    const numbers = new Float32Array(buffer, place, size)
    place += numbers.byteLength
    return numbers
  })
  const [heads, queries, keys] = header.shape
  const cells = new Uint16Array(buffer, place, heads * queries * keys)
  return { header, logits, maps: readMaps(cells, heads, queries, keys) }
}

/**
 * @param {Uint16Array} cells
 * @param {number} heads
 * @param {number} queries
 * @param {number} keys
 */
function readMaps(cells, heads, queries, keys) {
  const row = (/** @type {number} */ start) =>
    Float32Array.from(cells.subarray(start, start + keys), cell => (cell === MASKED ? NaN : cell / UNIT))
  return Array.from({ length: heads }, (_, head) =>
    Array.from({ length: queries }, (_, query) => row((head * queries + query) * keys)),
  )
}
