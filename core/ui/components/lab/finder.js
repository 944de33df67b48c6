// "Which head sends this token there?": a query and a key to choose, and every head's answer, the strongest by name.

import { layerName } from "../look/layers.js"
import { pageTheme } from "../shared/theme.js"
import { visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { kindOf, tokensOf } from "./frame.js"
import { cellAt, paint, roomFor } from "./paint.js"

const NAMED = 5 // heads that are named

/** @typedef {import("./board.js").View} View */

/**
 * Every head with its weight, the largest first; heads that cannot have one are left out.
 * @param {import("./frame.js").Matrix} atCell layers × heads
 */
export function ranked({ columns, data }) {
  const found = [...data].map((weight, place) => ({
    layer: Math.floor(place / columns),
    head: place % columns,
    weight,
  }))
  return found.filter(({ weight }) => !Number.isNaN(weight)).sort((one, other) => other.weight - one.weight)
}

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {(cell: [number, number], kind: string) => void} options.ask a cell, and which rows of tokens it joins
 * @param {(layer: number, head: number) => void} options.choose
 */
export function finder(root, { ask, choose }) {
  const [query, key] = ["query", "key"].map(
    name => /** @type {HTMLSelectElement} */ (root.querySelector(`.finder-${name}`)),
  )
  const best = /** @type {HTMLElement} */ (root.querySelector(".finder-best"))
  const canvas = /** @type {HTMLCanvasElement} */ (root.querySelector(".finder-overview canvas"))
  /** @type {any} */
  let where = null

  const changed = () => {
    const [asks, answers] = [query, key].map(({ value }) => value.split(" "))
    const { maps } = /** @type {View} */ (shown).answer.header
    const open = keysOf(maps, asks[1])
    const keys = open.includes(answers[1]) ? answers[1] : open[0] // an encoder never sees what is written
    ask([Number(asks[0]), Number(answers[0])], kindOf({ queries: asks[1], keys }))
  }
  query.addEventListener("change", changed)
  key.addEventListener("change", changed)
  best.addEventListener("click", event => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("button"))
    if (button) choose(Number(button.dataset.layer), Number(button.dataset.head))
  })
  canvas.addEventListener("click", event => {
    const at = where && cellAt(canvas, where, event)
    if (at) choose(at.row, at.column)
  })
  canvas.addEventListener("pointermove", event => {
    const at = where && cellAt(canvas, where, event)
    canvas.title = at && shown ? titleOf(at, shown) : ""
  })
  /** @type {View | null} */
  let shown = null

  /** @param {View} view */
  function show(view) {
    shown = view
    const { answer, cell, data } = view
    const { header, arrays } = answer
    const words = data.labels.finder
    const names = { query: visible(tokensOf(header, "queries")[cell[0]]), key: visible(tokensOf(header, "keys")[cell[1]]) }
    put(root, ".finder-ask", words.ask)
    put(root, ".finder-to", words.to)
    const asking = [...new Set(header.maps.map((/** @type {any} */ one) => one.queries))]
    options(query, asking, header, [cell[0], header.queries], words.query, data.labels.streams)
    options(key, keysOf(header.maps, header.queries), header, [cell[1], header.keys], words.key, data.labels.streams)
    best.setAttribute("aria-label", fill(words.best, names))
    const current = header.cell[0] === cell[0] && header.cell[1] === cell[1] // the newest answer may be of another cell
    const heads = ranked(arrays.at_cell)
    if (current) buttons(heads.slice(0, NAMED), view)
    const even = header.uniform === null ? "" : fill(words.even, { share: shareWords(header.uniform) })
    put(root, ".finder-even", heads.length ? even : words.masked)
    overview(view, fill(words.overview, names))
  }

  /** @param {ReturnType<typeof ranked>} heads @param {View} view */
  function buttons(heads, { answer: { header }, data: { labels } }) {
    const made = heads.map(one => {
      const button = document.createElement("button")
      button.type = "button"
      Object.assign(button.dataset, one)
      const name = document.createElement("span")
      const layer = layerName(header, one.layer, labels)
      name.textContent = fill(labels.finder.head, { ...one, layer })
      const weight = document.createElement("b")
      weight.textContent = shareWords(one.weight)
      button.append(name, weight)
      button.setAttribute("aria-pressed", String(one.layer === header.layer && one.head === header.head))
      button.title = fill(labels.finder.choose, { ...one, layer, weight: shareWords(one.weight) })
      return button
    })
    const focused = best.contains(document.activeElement) ? [...best.children].indexOf(/** @type {Element} */ (document.activeElement)) : -1
    best.replaceChildren(...made)
    made[focused]?.focus()
  }

  /** @param {View} view @param {string} title */
  function overview({ answer: { header, arrays }, data }, title) {
    const colours = data.colours[pageTheme(root)]
    const { rows, columns } = arrays.at_cell
    const named = new Set(header.maps.map(kindOf)).size > 1
    const names = [...header.maps.keys()].map(layer => (named ? layerName(header, layer, data.labels).replaceAll(" ", "\u00a0") : String(layer)))
    const left = named ? roomFor(root, names) : 16
    const chart = {
      matrix: arrays.at_cell,
      rowNames: names,
      columnNames: null,
      ramp: colours.sequential,
      low: 0,
      high: ranked(arrays.at_cell)[0]?.weight || 1,
      masked: colours.masked,
      focus: colours.focus,
      chosen: { row: header.layer, column: header.head },
    }
    where = paint(canvas, chart, { width: left + 2 + Math.min(168, 28 * columns), rowHeight: Math.min(18, (named ? 84 : 72) / rows), left, below: 0 })
    canvas.setAttribute("aria-label", title)
  }

  return { show }
}

/** What is said of a head under the pointer. @param {{ row: number, column: number }} at @param {View} view */
function titleOf({ row, column }, { answer: { header, arrays }, data: { labels } }) {
  const { data, columns } = arrays.at_cell
  const weight = data[row * columns + column]
  const other = kindOf(header.maps[row]) !== kindOf(header)
  const words = Number.isNaN(weight) ? (other ? labels.finder.other : labels.masked) : shareWords(weight)
  return fill(labels.of_heads, { layer: layerName(header, row, labels), head: column, weight: words })
}

/** The rows of tokens that those of another may look at. @param {any[]} maps @param {string} queries @returns {string[]} */
const keysOf = (maps, queries) => [...new Set(maps.filter(one => one.queries === queries).map(one => one.keys))]

/**
 * Tokens to choose from; a value is a place and the row of tokens that it is in.
 * @param {HTMLSelectElement} select
 * @param {string[]} offered rows of tokens
 * @param {Record<string, any>} header
 * @param {[number, string]} chosen
 * @param {string} name
 * @param {Record<string, string>} titles of the rows
 */
function options(select, offered, { streams }, chosen, name, titles) {
  const groups = offered.map(stream => ({
    title: offered.length > 1 ? titles[stream] : "",
    made: streams[stream].map(
      (/** @type {string} */ token, /** @type {number} */ place) => new Option(`${visible(token)} (${place})`, `${place} ${stream}`),
    ),
  }))
  const wanted = groups.flatMap(({ title, made }) => [title, ...made.map((/** @type {HTMLOptionElement} */ one) => one.text)]).join("\n")
  if (select.dataset.wanted !== wanted) {
    select.replaceChildren(...groups.flatMap(({ title, made }) => (title ? [grouped(title, made)] : made)))
    select.dataset.wanted = wanted
  }
  select.value = chosen.join(" ")
  select.setAttribute("aria-label", name)
  select.title = name
}

/** @param {string} title @param {HTMLOptionElement[]} made */
function grouped(title, made) {
  const group = document.createElement("optgroup")
  group.label = title
  group.append(...made)
  return group
}

/** @param {HTMLElement} root @param {string} selector @param {string} words */
function put(root, selector, words) {
  const place = /** @type {HTMLElement} */ (root.querySelector(selector))
  if (place.textContent !== words) place.textContent = words
}
