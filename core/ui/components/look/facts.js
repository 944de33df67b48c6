// What a map says in words: its largest weight, a chosen cell, and the laws that it obeys.

import { errorWords, fill, shareWords } from "../shared/words.js"
import { visible } from "../shared/tokens.js"

/** @typedef {{ query: number, key: number, weight: number }} Cell */

/**
 * The cell with the largest weight. A query that may look at one key alone gives it everything, which is no news: such
 * rows (the first one under a causal mask) count only when there are no others.
 * @param {Float32Array[]} map query → weights of the keys
 * @returns {Cell}
 */
export function largest(map) {
  const free = (/** @type {Float32Array} */ row) => row.reduce((count, weight) => count + (weight >= 0 ? 1 : 0), 0) > 1
  const any = !map.some(free)
  const best = { query: 0, key: 0, weight: -1 }
  map.forEach((row, query) => {
    if (!any && !free(row)) return
    row.forEach((weight, key) => {
      if (weight > best.weight) Object.assign(best, { query, key, weight })
    })
  })
  return best
}

/**
 * A cell in words.
 * @param {string} sentence with places for query, key, their positions and the weight
 * @param {Cell} cell
 * @param {{ queries: string[], keys: string[] }} tokens
 * @param {string} masked what stands for the weight of a masked cell
 */
export const cellWords = (sentence, { query, key, weight }, { queries, keys }, masked) =>
  fill(sentence, {
    query: visible(queries[query]),
    key: visible(keys[key]),
    query_position: query,
    key_position: key,
    weight: Number.isNaN(weight) ? masked : shareWords(weight),
  })

/**
 * A row in words: what its query attends to most.
 * @param {string} sentence with places for query, position and keys
 * @param {Float32Array} row weights of the keys; NaN where masked
 * @param {number} query
 * @param {{ queries: string[], keys: string[] }} tokens
 */
export function rowWords(sentence, row, query, { queries, keys: names }) {
  return fill(sentence, { query: visible(queries[query]), position: query, keys: strongest(row, names) })
}

/**
 * A column in words: who attends to its key most.
 * @param {string} sentence with places for key, position and queries
 * @param {Float32Array[]} map
 * @param {number} key
 * @param {{ queries: string[], keys: string[] }} tokens
 */
export function columnWords(sentence, map, key, { queries, keys }) {
  const column = Float32Array.from(map, row => row[key])
  return fill(sentence, { key: visible(keys[key]), position: key, queries: strongest(column, queries) })
}

/** The three largest weights with their tokens. @param {Float32Array} weights @param {string[]} names */
function strongest(weights, names) {
  const open = [...weights.keys()].filter(place => weights[place] >= 0)
  const best = open.sort((one, other) => weights[other] - weights[one] || one - other).slice(0, 3)
  return best.map(place => `${visible(names[place])} (${place}) ${shareWords(weights[place])}`).join(" · ")
}

/**
 * The laws of attention as they were measured on this very map.
 * @param {Record<string, any>} header
 * @param {Record<string, string>} labels
 */
export function checkWords({ checks, causal, shape, step }, labels) {
  if (!checks) return "" // of an earlier step only the weights are kept
  const { row_sum_error: sums, future_weight: future, output_error: output } = checks
  const laws = [[labels.row_sums, sums, 1e-5]]
  if (causal) laws.push([labels.future, future, 0])
  laws.push([labels.output, output, 1e-5])
  const words = laws
    .filter(([, error]) => error !== null && error !== undefined)
    .map(([law, error, limit]) => `${error <= limit ? "✓" : "✗"} ${fill(law, { error: errorWords(error) })}`)
  if (step === 0) words.push(fill(labels.untrained, { share: shareWords(1 / shape[2]) }))
  return words.join(" · ")
}
