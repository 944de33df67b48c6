// The frames of a look and of a run's past: a JSON header, then raw numbers. core/runs/wire.py writes them.

const UNIT = 65534 // a weight of 1
const MASKED = 65535

/**
 * @typedef {object} Prediction
 * @property {"class" | "blank" | "next" | "visible"} kind
 * @property {number | null} position
 * @property {string[]} labels
 * @property {number} size
 * @property {string | null} correct
 *
 * @typedef {object} Look
 * @property {Record<string, any>} header
 * @property {Float32Array[]} logits one array a prediction
 * @property {Float32Array[][]} maps head → query → weights of the keys; NaN where masked
 * @property {Uint8Array[]} overview cells of every entry of header.maps: 0 to 254 for weights of 0 to 1, 255 where masked
 * @property {Uint8Array | null} rollout cells of the shape header.rollout, in the same coding
 * @property {Float32Array[] | null} baseline the logits without the ablation, where header.ablation tells of one
 */

/**
 * @param {ArrayBuffer} buffer
 * @returns {Look}
 */
export function readFrame(buffer) {
  const { header, reader } = open(buffer)
  const logits = reader.logits(header.predictions)
  const [heads, queries, keys] = header.shape
  const cells = reader.take(Uint16Array, heads * queries * keys)
  const overview = (header.maps ?? []).map((/** @type {{ shape: number[] }} */ { shape }) => reader.bytes(shape))
  const rollout = header.rollout ? reader.bytes(header.rollout) : null
  reader.align()
  const baseline = header.ablation ? reader.logits(header.predictions) : null
  return { header, logits, maps: readMaps(cells, heads, queries, keys), overview, rollout, baseline }
}

/**
 * @typedef {object} PastStep
 * @property {number} step
 * @property {number | null} loss
 * @property {Record<string, any>[]} statistics one an entry of header.maps
 * @property {Uint8Array[]} maps cells of every entry of header.maps, coded as a look's overview
 * @property {Float32Array[]} logits one array a prediction
 */

/**
 * Reads what a run's model made of a text at several steps.
 * @param {ArrayBuffer} buffer
 * @returns {{ header: Record<string, any>, frames: PastStep[] }}
 */
export function readPast(buffer) {
  const { header, reader } = open(buffer)
  const frames = header.frames.map((/** @type {Record<string, any>} */ told) => {
    const maps = header.maps.map((/** @type {{ shape: number[] }} */ { shape }) => reader.bytes(shape))
    reader.align()
    return { ...told, maps, logits: reader.logits(header.predictions) }
  })
  return { header, frames }
}

/** @param {ArrayBuffer} buffer @returns {{ header: Record<string, any>, reader: Reader }} the payload is left to read */
function open(buffer) {
  const length = new DataView(buffer).getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)))
  return { header, reader: new Reader(buffer, 4 + length) }
}

/** Lays typed arrays over a buffer, one after another. */
class Reader {
  /** @param {ArrayBuffer} buffer @param {number} place */
  constructor(buffer, place) {
    this.buffer = buffer
    this.place = place
  }

  /**
   * @template {Uint8Array | Uint16Array | Float32Array} Numbers
   * @param {new (buffer: ArrayBuffer, place: number, size: number) => Numbers} Kind
   * @param {number} size
   * @returns {Numbers}
   */
  take(Kind, size) {
    const numbers = new Kind(this.buffer, this.place, size)
    this.place += numbers.byteLength
    return numbers
  }

  /** @param {number[]} shape */
  bytes(shape) {
    return this.take(
      Uint8Array,
      shape.reduce((size, side) => size * side, 1),
    )
  }

  /** @param {Prediction[]} predictions @returns {Float32Array[]} one array each */
  logits(predictions) {
    return predictions.map(({ size }) => this.take(Float32Array, size))
  }

  /** Go on at the next multiple of 4, where floats may lie. */
  align() {
    this.place += -this.place & 3
  }
}

/**
 * @param {Uint16Array} cells
 * @param {number} heads
 * @param {number} queries
 * @param {number} keys
 */
function readMaps(cells, heads, queries, keys) {
  const row = (/** @type {number} */ start) => {
    const weights = new Float32Array(keys) // filled by a loop: a function for every cell takes ten times as long
    for (let key = 0; key < keys; key++) {
      const cell = cells[start + key]
      weights[key] = cell === MASKED ? NaN : cell / UNIT
    }
    return weights
  }
  return Array.from({ length: heads }, (_, head) =>
    Array.from({ length: queries }, (_, query) => row((head * queries + query) * keys)),
  )
}
