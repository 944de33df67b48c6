// Numbers as the lab writes them, and the arithmetic of a chosen cell.

import { rowOf } from "./frame.js"

const MINUS = "−"

/**
 * Three digits that count, with a real minus; masked scores are −∞.
 * @param {number} value
 * @returns {string}
 */
export function numberWords(value) {
  if (value === -Infinity) return `${MINUS}∞`
  if (value === 0) return "0"
  const size = Math.abs(value)
  const words = size >= 1e5 || size < 1e-4 ? size.toExponential(1) : size >= 100 ? size.toFixed(0) : size.toPrecision(3)
  return (value < 0 ? MINUS : "") + words
}

/**
 * Four decimals, so that what is written adds up to what is written beneath it.
 * @param {number} value
 * @returns {string}
 */
export const termWords = value => (value < 0 ? MINUS : "") + Math.abs(value).toFixed(4)

/**
 * Every number between the query and the key of one cell.
 * @param {import("./frame.js").Answer} answer
 * @param {number} query
 * @param {number} key
 */
export function workedCell({ header, arrays }, query, key) {
  const [q, k] = [rowOf(arrays.query, query), rowOf(arrays.key, key)]
  const products = Float64Array.from(q, (number, place) => number * k[place])
  const masked = rowOf(arrays.masked, query)
  const largest = Math.max(...masked)
  // A row of large scores would overflow; lowered all alike, they give the same weights.
  const shift = Math.abs(largest) > 20 && Number.isFinite(largest) ? largest : 0
  const powers = Float64Array.from(masked, score => Math.exp(score - shift))
  return {
    query: q,
    key: k,
    products,
    sum: products.reduce((total, one) => total + one, 0),
    score: rowOf(arrays.scores, query)[key],
    scale: header.scale,
    scaled: rowOf(arrays.scaled, query)[key],
    masked: masked[key],
    shift,
    power: powers[key],
    total: powers.reduce((total, one) => total + one, 0),
    weight: rowOf(arrays.weights, query)[key],
  }
}
