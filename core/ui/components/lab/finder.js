// "Which head sends this token there?": a query and a key to choose, and every head's answer, the strongest by name.

import { pageTheme } from "../shared/theme.js"
import { visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { cellAt, paint } from "./paint.js"

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
 * @param {(cell: [number, number]) => void} options.ask
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

  const changed = () => ask([Number(query.value), Number(key.value)])
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
    canvas.title = at && shown ? fill(shown.data.labels.of_heads, { layer: at.row, head: at.column, weight: at_(at) }) : ""
  })
  /** @type {View | null} */
  let shown = null
  const at_ = (/** @type {{ row: number, column: number }} */ { row, column }) => {
    const { data, columns } = /** @type {View} */ (shown).answer.arrays.at_cell
    return shareWords(data[row * columns + column])
  }

  /** @param {View} view */
  function show(view) {
    shown = view
    const { answer, cell, data } = view
    const { header, arrays } = answer
    const words = data.labels.finder
    const names = { query: visible(header.tokens[cell[0]]), key: visible(header.tokens[cell[1]]) }
    put(root, ".finder-ask", words.ask)
    put(root, ".finder-to", words.to)
    options(query, header.tokens, cell[0], words.query)
    options(key, header.tokens, cell[1], words.key)
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
      name.textContent = fill(labels.finder.head, one)
      const weight = document.createElement("b")
      weight.textContent = shareWords(one.weight)
      button.append(name, weight)
      button.setAttribute("aria-pressed", String(one.layer === header.layer && one.head === header.head))
      button.title = fill(labels.finder.choose, { ...one, weight: shareWords(one.weight) })
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
    const chart = {
      matrix: arrays.at_cell,
      rowNames: Array.from({ length: rows }, (_, layer) => String(layer)),
      columnNames: null,
      ramp: colours.sequential,
      low: 0,
      high: ranked(arrays.at_cell)[0]?.weight || 1,
      masked: colours.masked,
      focus: colours.focus,
      chosen: { row: header.layer, column: header.head },
    }
    where = paint(canvas, chart, { width: 18 + Math.min(168, 28 * columns), rowHeight: Math.min(18, 72 / rows), left: 16, below: 0 })
    canvas.setAttribute("aria-label", title)
  }

  return { show }
}

/** @param {HTMLSelectElement} select @param {string[]} tokens @param {number} chosen @param {string} name */
function options(select, tokens, chosen, name) {
  const wanted = tokens.map((token, place) => `${place} ${visible(token)}`)
  if ([...select.options].map(({ text }) => text).join("\n") !== wanted.join("\n")) {
    select.replaceChildren(...wanted.map((words, place) => new Option(words, String(place))))
  }
  select.value = String(chosen)
  select.setAttribute("aria-label", name)
  select.title = name
}

/** @param {HTMLElement} root @param {string} selector @param {string} words */
function put(root, selector, words) {
  const place = /** @type {HTMLElement} */ (root.querySelector(selector))
  if (place.textContent !== words) place.textContent = words
}
