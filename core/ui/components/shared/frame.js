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
  const [past, ...others] = header.only_past
  const maps = readMaps(reader.cells(Uint16Array, header.shape, past), header.shape)
  const [overview, rollout] = reader.overview(header, others)
  reader.align()
  const baseline = header.ablation ? reader.logits(header.predictions) : null
  return { header, logits, maps, overview, rollout, baseline }
}

/**
 * @typedef {object} PastStep
 * @property {number} step
 * @property {number | null} loss
 * @property {Record<string, any>[]} statistics one an entry of header.maps
 * @property {Uint8Array[]} maps cells of every entry of header.maps, coded as a look's overview
 * @property {Uint8Array | null} rollout cells of the shape header.rollout, in the same coding
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
    const [maps, rollout] = reader.overview(header, header.only_past)
    reader.align()
    return { ...told, maps, rollout, logits: reader.logits(header.predictions) }
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

  /**
   * The cells of maps (…, queries, keys); what was not sent of those that look back only, is masked.
   * @template {Uint8Array | Uint16Array} Cells
   * @param {(new (buffer: ArrayBuffer, place: number, size: number) => Cells) & (new (size: number) => Cells)} Kind
   * @param {number[]} shape
   * @param {boolean} past whether only those at and before each query were sent
   * @returns {Cells}
   */
  cells(Kind, shape, past) {
    const size = shape.reduce((product, side) => product * side, 1)
    if (!past) return this.take(Kind, size)
    const side = shape[shape.length - 1]
    const rows = size / side
    const sent = this.take(Kind, (rows * (side + 1)) / 2)
    const cells = new Kind(size).fill(MASKED) // a byte keeps the lower half of it: 255
    for (let row = 0, from = 0; row < rows; row++) {
      const seen = (row % side) + 1
      cells.set(sent.subarray(from, from + seen), row * side)
      from += seen
    }
    return cells
  }

  /**
   * A byte a cell: of every entry of header.maps, then of the rollout where there is one.
   * @param {Record<string, any>} header
   * @param {boolean[]} past
   * @returns {[Uint8Array[], Uint8Array | null]}
   */
  overview({ maps = [], rollout }, past) {
    const shapes = [...maps.map((/** @type {{ shape: number[] }} */ { shape }) => shape), ...(rollout ? [rollout] : [])]
    const cells = shapes.map((shape, place) => this.cells(Uint8Array, shape, past[place]))
    return [cells.slice(0, maps.length), cells[maps.length] ?? null]
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

/** @param {Uint16Array} cells @param {number[]} shape */
function readMaps(cells, [heads, queries, keys]) {
  const weights = new Float32Array(cells.length) // filled by a loop: a function for every cell takes ten times as long
  for (let place = 0; place < cells.length; place++) weights[place] = cells[place] === MASKED ? NaN : cells[place] / UNIT
  return rowsOf(weights, heads, queries, keys)
}

/**
 * Maps as rows of one array: an array for every row would be thousands to make and to throw away.
 * @param {Float32Array} weights
 * @param {number} heads
 * @param {number} queries
 * @param {number} keys
 * @returns {Float32Array[][]} head → query → weights of the keys
 */
export const rowsOf = (weights, heads, queries, keys) =>
  Array.from({ length: heads }, (_, head) =>
    Array.from({ length: queries }, (_, query) => {
      const start = (head * queries + query) * keys
      return weights.subarray(start, start + keys)
    }),
  )
