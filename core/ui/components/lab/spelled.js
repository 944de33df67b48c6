// The chosen cell in numbers: the dot product term by term, then every step to the weight and what it does.

import { visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { tokensOf } from "./frame.js"
import { numberWords, termWords, workedCell } from "./numbers.js"

/** @typedef {import("./board.js").View} View */

/**
 * @param {HTMLElement} place
 * @param {View} view
 */
export function spellOut(place, { answer, cell: [query, key], data: { labels } }) {
  const { header } = answer
  const words = labels.spelled
  const names = {
    query: visible(tokensOf(header, "queries")[query]),
    key: visible(tokensOf(header, "keys")[key]),
    query_position: query,
    key_position: key,
  }
  const worked = workedCell(answer, query, key)
  const width = worked.products.length
  const lines = [
    line(words.sum, { count: width }, `Σ = ${termWords(worked.sum)}`),
    line(
      header.scaled ? words.scaled : words.not_scaled,
      { width, scale: numberWords(worked.scale) },
      `${termWords(worked.score)} × ${termWords(worked.scale)} = ${termWords(worked.scaled)}`,
    ),
    worked.masked === -Infinity ? line(words.closed, names, "−∞") : line(words.open, names, termWords(worked.masked)),
    line(words.softmax, {}, softmaxWords(worked), worked.shift ? fill(words.shifted, { largest: numberWords(worked.shift) }) : ""),
    line(words.value, { ...names, weight: shareWords(worked.weight) }, `${shareWords(worked.weight)} · V`),
  ]
  const title = make("h3", "spelled-title", fill(words.title, names))
  place.replaceChildren(title, make("p", "spelled-words", words.terms), terms(worked), list(lines))
  const { sum, score, scaled, weight } = worked
  Object.assign(place.dataset, { query, key, sum, score, scaled, weight })
}

/** @param {ReturnType<typeof workedCell>} worked */
function terms({ query, key, products }) {
  const list = make("ol", "spelled-terms")
  list.tabIndex = 0 // it scrolls when it is long
  products.forEach((product, place) => {
    const item = make("li", "", `${numberWords(query[place])} × ${numberWords(key[place])} = `)
    item.append(make("b", "", termWords(product)))
    item.dataset.product = String(product)
    list.append(item)
  })
  return list
}

/** @param {ReturnType<typeof workedCell>} worked */
function softmaxWords({ masked, shift, power, total, weight }) {
  if (masked === -Infinity) return "e^−∞ = 0"
  return `e^${numberWords(masked - shift)} / Σ = ${numberWords(power)} / ${numberWords(total)} = ${shareWords(weight)}`
}

/** @param {string} sentence @param {Record<string, unknown>} fields @param {string} numbers @param {string} more */
function line(sentence, fields, numbers, more = "") {
  const item = make("li", "")
  item.append(make("span", "", fill(sentence, fields)), make("code", "", numbers))
  if (more) item.append(make("small", "", more))
  return item
}

/** @param {HTMLElement[]} items */
function list(items) {
  const made = make("ul", "spelled-steps")
  made.append(...items)
  return made
}

/** @param {string} tag @param {string} name @param {string} [text] */
function make(tag, name, text = "") {
  const made = document.createElement(tag)
  if (name) made.className = name
  made.textContent = text
  return made
}
