// The maps of all steps: each with its name, its formula, its colour bar and a line that says what is under the pointer.

import { download, table } from "../shared/files.js"
import { menu } from "../shared/menu.js"
import { pictureItems, pictureOf } from "../shared/picture.js"
import { pageTheme, themeValue } from "../shared/theme.js"
import { layerName } from "../look/layers.js"
import { visible } from "../shared/tokens.js"
import { fill } from "../shared/words.js"
import { bounds, openWeights, rowOf, tokensOf, weightedValues } from "./frame.js"
import { numberWords } from "./numbers.js"
import { cellAt, paint, roomFor } from "./paint.js"
import { formulaOf, STEPS, wholeFormula } from "./steps.js"

const HEIGHT = 176 // pixels that the rows of a map may take
const TALLEST_ROW = 16
const SHORTEST_ROW = 2

/** @typedef {import("./frame.js").Answer} Answer */
/** @typedef {{ answer: Answer, cell: [number, number], data: Record<string, any> }} View */

/**
 * @param {HTMLElement} root
 * @param {(cell: [number, number]) => void} choose
 */
export function board(root, choose) {
  const place = /** @type {HTMLElement} */ (root.querySelector(".lab-steps"))
  const cards = STEPS.map(step => card(step))
  place.append(...cards.map(({ element }) => element))
  /** @type {View | null} */
  let view = null

  /** @param {import("./steps.js").Step} step */
  function card(step) {
    const element = document.createElement("figure")
    element.className = "lab-step"
    element.dataset.step = step.name
    element.innerHTML =
      '<figcaption><span class="step-name"></span><button type="button" class="save-image"></button>' +
      '<span class="step-formula"></span></figcaption><canvas role="img"></canvas>' +
      '<div class="step-bar"><span></span><i></i><span></span></div><p class="step-readout"></p>'
    const canvas = /** @type {HTMLCanvasElement} */ (element.querySelector("canvas"))
    const own = { step, element, canvas, where: /** @type {any} */ (null) }
    canvas.addEventListener("pointermove", event => point(own, own.where && cellAt(canvas, own.where, event)))
    canvas.addEventListener("pointerleave", () => point(own, null))
    canvas.addEventListener("click", event => {
      const at = own.where && cellAt(canvas, own.where, event)
      if (at && view) choose(chosenBy(step, at, view.cell))
    })
    if (step.square) {
      canvas.tabIndex = 0
      canvas.addEventListener("keydown", event => {
        const next = view && moved(event.key, view)
        if (!next || event.ctrlKey || event.metaKey || event.altKey) return
        event.preventDefault()
        choose(next)
      })
    }
    menu(/** @type {HTMLElement} */ (element.querySelector(".save-image")), () => (view ? offers(own, view) : []))
    return own
  }

  /**
   * What one takes away of a map: a picture of it, and its numbers.
   * @param {{ step: import("./steps.js").Step, canvas: HTMLCanvasElement }} own
   * @param {View} seen
   */
  function offers({ step, canvas }, seen) {
    const { labels } = seen.data
    const { header } = seen.answer
    const { streams, layer, head } = header
    const name = `attention-lab-${step.name}-layer-${layer}-head-${head}`
    const title = fill(labels.take.title, { step: labels.steps[step.name], layer: layerName(header, layer, labels), head })
    const texts = Object.values(streams).map(tokens => tokens.map(visible).join(" "))
    const stamp = [title, root.querySelector(".lab-stamp")?.textContent ?? "", texts.join(" → ")]
    const pictures = pictureItems(labels.take, name, () => pictureOf(canvas, stamp.filter(Boolean)))
    const csv = () => download(table(matrixTable(matrixOf(step.name, seen), rowsOf(step, header), columnsOf(step, header))), `${name}.csv`)
    return [...pictures, { name: "csv", label: labels.take.csv, run: csv }]
  }

  /** @param {View} seen */
  function show(seen) {
    view = seen
    const { answer, data } = seen
    const { header, arrays } = answer
    const { labels } = data
    const colours = data.colours[pageTheme(root)]
    const formula = /** @type {HTMLElement} */ (root.querySelector(".lab-formula"))
    formula.innerHTML = wholeFormula(header, arrays.query.columns)
    const layer = layerName(header, header.layer, labels)
    formula.setAttribute("aria-label", fill(labels.formula, { layer, head: header.head }))
    const size = sizes(header)
    for (const own of cards) {
      const { step, element, canvas } = own
      const matrix = matrixOf(step.name, seen)
      const scale = scaleOf(step, matrix)
      own.where = paint(
        canvas,
        {
          matrix,
          rowNames: rowsOf(step, header),
          columnNames: columnsOf(step, header),
          caption: fill(labels.numbers, { count: matrix.columns }),
          ramp: colours[step.ramp],
          masked: colours.masked,
          focus: colours.focus,
          chosen: framed(step, seen.cell),
          ...scale,
        },
        size,
      )
      name(element, step, seen)
      bar(element, colours[step.ramp], step, scale)
      Object.assign(element.dataset, { rows: matrix.rows, columns: matrix.columns })
      point(own, null)
      describe(own, matrix)
    }
  }

  /** @param {Record<string, any>} header */
  function sizes(header) {
    const [queries, keys] = [tokensOf(header, "queries"), tokensOf(header, "keys")]
    const rowHeight = Math.max(SHORTEST_ROW, Math.min(TALLEST_ROW, HEIGHT / Math.max(queries.length, keys.length)))
    const room = roomFor(root, [...queries, ...keys])
    const short = keys.every(token => [...token].length === 1)
    return { width: Math.floor(cards[0].element.clientWidth), rowHeight, left: room, below: short ? 16 : room + 2 }
  }

  /** @param {HTMLElement} element @param {import("./steps.js").Step} step @param {View} seen */
  function name(element, step, { answer: { header, arrays }, cell, data: { labels } }) {
    put(element, ".step-name", labels.steps[step.name])
    const formula = /** @type {HTMLElement} */ (element.querySelector(".step-formula"))
    formula.innerHTML = formulaOf(step.name, header, arrays.query.columns, labels)
    if (step.name === "weighted") {
      const whose = document.createElement("small")
      whose.textContent = ` ${fill(labels.of_query, { query: visible(tokensOf(header, "queries")[cell[0]]) })}`
      formula.append(whose)
    }
    const button = /** @type {HTMLElement} */ (element.querySelector(".save-image"))
    button.title = labels.save
    button.setAttribute("aria-label", `${labels.save}: ${labels.steps[step.name]}`)
  }

  /** @param {any} own @param {{ row: number, column: number } | null} at */
  function point({ step, element }, at) {
    if (view) put(element, ".step-readout", readout(step, view, at))
  }

  /** @param {any} own @param {import("./frame.js").Matrix} matrix */
  function describe({ step, canvas }, matrix) {
    if (!view) return
    const { labels } = view.data
    const { low, high } = bounds(matrix)
    const fact = fill(labels.fact, {
      step: labels.steps[step.name],
      rows: matrix.rows,
      columns: matrix.columns,
      low: numberWords(low),
      high: numberWords(high),
      cell: readout(step, view, null),
    })
    canvas.setAttribute("aria-label", step.square ? `${fact} ${labels.keys_help}` : fact)
  }

  return { show, again: () => view && show(view) }
}

/** @param {string} name @param {View} view */
function matrixOf(name, { answer: { arrays }, cell }) {
  if (name === "weighted") return weightedValues(arrays, cell[0])
  return name === "weights" ? openWeights(arrays) : arrays[name]
}

/** What the rows of a map are. @param {import("./steps.js").Step} step @param {Record<string, any>} header */
const rowsOf = ({ rows }, header) => tokensOf(header, rows === "query" ? "queries" : "keys")

/** What its columns are, where they are tokens. @param {import("./steps.js").Step} step @param {Record<string, any>} header */
const columnsOf = ({ square }, header) => (square ? tokensOf(header, "keys") : null)

/**
 * Around zero, as far as the numbers reach on either side; weights from zero up.
 * @param {import("./steps.js").Step} step
 * @param {import("./frame.js").Matrix} matrix
 */
function scaleOf({ ramp }, matrix) {
  const { low, high } = bounds(matrix)
  if (ramp === "sequential") return { low: 0, high: high || 1 }
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1
  return { low: -reach, high: reach }
}

/** @param {import("./steps.js").Step} step @param {[number, number]} cell */
const framed = ({ square, rows }, [query, key]) =>
  square ? { row: query, column: key } : { row: rows === "query" ? query : key }

/**
 * A click on a square map chooses both, on another map its row.
 * @param {import("./steps.js").Step} step
 * @param {{ row: number, column: number }} at
 * @param {[number, number]} cell
 * @returns {[number, number]}
 */
function chosenBy({ square, rows }, { row, column }, [query, key]) {
  if (square) return [row, column]
  return rows === "query" ? [row, key] : [query, row]
}

/** @param {string} key @param {View} view @returns {[number, number] | null} */
function moved(key, { cell: [query, column], answer }) {
  const [queries, keys] = /** @type {const} */ (["queries", "keys"]).map(side => tokensOf(answer.header, side).length)
  /** @type {Record<string, [number, number]>} */
  const ways = {
    ArrowUp: [query - 1, column],
    ArrowDown: [query + 1, column],
    ArrowLeft: [query, column - 1],
    ArrowRight: [query, column + 1],
  }
  const next = ways[key]
  return next ? [clamp(next[0], queries - 1), clamp(next[1], keys - 1)] : null
}

/** @param {number} place @param {number} last */
const clamp = (place, last) => Math.max(0, Math.min(last, place))

/** @param {import("./steps.js").Step} step @param {View} view @param {{ row: number, column: number } | null} at */
function readout(step, view, at) {
  const { answer, cell, data } = view
  const { labels } = data
  const names = [rowsOf(step, answer.header), columnsOf(step, answer.header) ?? []]
  if (!at && !step.square) return ""
  const { row, column } = at ?? { row: cell[0], column: cell[1] }
  const value = rowOf(matrixOf(step.name, view), row)[column]
  const words = Number.isFinite(value) ? numberWords(value) : labels.masked
  if (step.square) return `${visible(names[0][row])} → ${visible(names[1][column])}: ${words}`
  return fill(labels.number, { token: visible(names[0][row]), place: column, value: words })
}

/** @param {HTMLElement} element @param {string[]} ramp @param {import("./steps.js").Step} step @param {{ low: number, high: number }} scale */
function bar(element, ramp, step, { low, high }) {
  const [from, strip, to] = /** @type {Iterable<HTMLElement>} */ (
    /** @type {unknown} */ (/** @type {HTMLElement} */ (element.querySelector(".step-bar")).children)
  )
  from.textContent = numberWords(low)
  to.textContent = numberWords(high)
  strip.style.background = `linear-gradient(to right, ${ramp.join(", ")})`
}

/**
 * A matrix as a table, its rows and columns named.
 * @param {import("./frame.js").Matrix} matrix
 * @param {string[]} rowTokens
 * @param {string[] | null} columnTokens null: the columns are numbers of a vector
 */
export function matrixTable({ rows, columns, data }, rowTokens, columnTokens) {
  const named = (/** @type {string[]} */ tokens, /** @type {number} */ place) => `${visible(tokens[place])} (${place})`
  const names = Array.from({ length: columns }, (_, column) => (columnTokens ? named(columnTokens, column) : column))
  const row = (/** @type {number} */ place) => Array.from(data.subarray(place * columns, (place + 1) * columns))
  return [["", ...names], ...Array.from({ length: rows }, (_, place) => [named(rowTokens, place), ...row(place)])]
}

/** @param {HTMLElement} element @param {string} selector @param {string} words */
function put(element, selector, words) {
  const place = /** @type {HTMLElement} */ (element.querySelector(selector))
  if (place.textContent !== words) place.textContent = words
}
