// How weights are seen: which of them, and what the colours stand for. core/figures/attention.py does the same in Python.

const FAINTEST = 1e-3 // the weight at which a logarithmic scale begins

/** @typedef {Float32Array[]} Map_ query → weights of the keys; NaN where masked */
/** @typedef {{ scale: string, hide_first: boolean }} Lens */

/**
 * The weights that are shown: all of them, or those of the other keys when the first one is left out, each row
 * renormalised. A row that gave everything to the first key has nothing left to show.
 * @param {Map_} map
 * @param {Lens} lens
 * @returns {Map_}
 */
export function weightsOf(map, { hide_first }) {
  if (!hide_first || !map[0] || map[0].length < 2) return map
  return map.map(row => {
    const rest = row.slice()
    rest[0] = NaN
    const sum = rest.reduce((total, weight) => total + (weight >= 0 ? weight : 0), 0)
    return rest.map(weight => (sum > 0 ? weight / sum : NaN))
  })
}

/**
 * What the colours of these weights stand for: the weights, their logarithm, or their difference from uniform.
 * @param {Map_} map
 * @param {Lens} lens
 * @returns {Map_}
 */
export function painted(map, { scale }) {
  if (scale === "log") return map.map(row => row.map(weight => Math.log10(Math.max(weight, FAINTEST))))
  if (scale !== "uniform") return map
  return map.map(row => {
    const even = 1 / Math.max(1, openCells(row))
    return row.map(weight => weight - even)
  })
}

/**
 * How far the colours of a difference reach to either side, over several maps.
 * @param {Map_[]} maps already painted
 */
export function reach(maps) {
  let most = 0
  for (const map of maps) for (const row of map) for (const value of row) if (Math.abs(value) > most) most = Math.abs(value)
  return most || 1
}

/** How many keys a query may look at. @param {Float32Array} row */
export const openCells = row => row.reduce((count, weight) => count + (weight >= 0 ? 1 : 0), 0)

/**
 * The range of a scale's colours for one map. @param {Map_} weights @param {Lens} lens @param {number} bound of uniform
 * @param {(map: Map_) => number} highest
 * @returns {[number, number]}
 */
export function range(weights, { scale }, bound, highest) {
  if (scale === "log") return [Math.log10(FAINTEST), 0]
  if (scale === "uniform") return [-bound, bound]
  return [0, scale === "head" ? highest(weights) : 1]
}
