// All heads of a layer as a row of small maps, the other layers' rows above and below it. One map is chosen, with the mouse,
// the arrow keys or a screen reader.

import { describe, draw, figureFrom } from "../shared/plotly.js"
import { ticks, visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { blank } from "./cover.js"
import { largest } from "./facts.js"
import { axisOf, gridSize } from "./geometry.js"
import { columnsOf, layerName, tokensOf } from "./layers.js"
import { painted, range, reach, weightsOf } from "./lens.js"
import { paintOverview } from "./overview.js"

const ROOM_FOR_TITLE = 130 // pixels; on smaller maps the title is cut short …
const ROOM_FOR_WORD = 44 // … and on very small ones it is the head's number alone
const SMALLEST_LABEL = 7 // pixels; below that the large map alone names its tokens

/** @typedef {import("./view.js").View} View */

/**
 * @param {any} Plotly
 * @param {View} view
 */
export function paintGrid(Plotly, view) {
  const { root, data, look, other, width } = view
  const { header } = look
  const maps = look.maps.map(map => weightsOf(map, data.lens))
  const grid = /** @type {HTMLElement} */ (root.querySelector(".attention-grid"))
  const plot = /** @type {HTMLElement} */ (grid.querySelector(".look-plot"))
  const figure = figureFrom(root, data.figures, "grid")
  const heads = Math.min(figure.data.length, maps.length)
  const size = gridSize(figure.layout, heads, width, other !== null, columnsOf(look, width, other !== null))
  figure.data.length = heads
  const titles = fillMaps(figure, header, maps, data, size.side)
  focusOn(figure.layout, Math.min(data.head, heads - 1))
  Object.assign(figure.layout, { width: size.width, height: size.height })
  if (look.covered) blank(figure)
  draw(Plotly, plot, figure, data.labels.plotly)
  const name = /** @type {HTMLElement} */ (grid.querySelector(".layer-name"))
  name.textContent = layerName(header, header.layer, data.labels)
  describe(plot, look.covered ? data.labels.guess.covered : factOf(maps, header, data.labels))
  placeChoices(grid, figure.layout, look.covered ? titles.map((_, head) => String(head)) : titles, data, header.layer)
  paintOverview(/** @type {HTMLElement} */ (root.querySelector(".heads-block")), view, figure.layout)
}

/**
 * Put weights, names and colours into the template.
 * @param {import("../shared/plotly.js").Figure} figure
 * @param {Record<string, any>} header
 * @param {Float32Array[][]} maps the weights that are shown
 * @param {Record<string, any>} data
 * @param {number} side
 * @returns {string[]} the titles of the maps
 */
function fillMaps({ data: traces, layout }, header, maps, data, side) {
  const tokens = tokensOf(header, header.layer)
  const rows = labelled(tokens.queries, side / tokens.queries.length)
  const columns = labelled(tokens.keys, side / tokens.keys.length)
  const values = maps.map(map => painted(map, data.lens))
  const bound = data.lens.scale === "uniform" ? reach(values) : 1
  const [low, high] = range(maps[0], data.lens, bound, () => 1)
  Object.assign(layout.coloraxis, { cmin: low, cmax: high })
  return traces.map((trace, head) => {
    trace.z = values[head]
    trace.text = hoverWords(maps[head], data)
    Object.assign(axisOf(layout, "x", head), columns, { range: [-0.5, tokens.keys.length - 0.5] })
    Object.assign(axisOf(layout, "y", head), rows, { range: [tokens.queries.length - 0.5, -0.5] })
    const maximum = trace.coloraxis ? null : (trace.zmax = largest(maps[head]).weight)
    return titleOf(head, maximum, side, data.labels) // one scale for all needs no bound
  })
}

/**
 * @param {number} head
 * @param {number | null} maximum where the head's own scale ends
 * @param {number} side
 * @param {Record<string, string>} labels
 */
function titleOf(head, maximum, side, labels) {
  if (side < ROOM_FOR_WORD) return String(head)
  if (maximum === null) return fill(labels.head, { head })
  const title = side < ROOM_FOR_TITLE ? labels.head_scaled_short : labels.head_scaled
  return fill(title, { head, maximum: shareWords(maximum) })
}

/**
 * What a hover says of each cell's weight.
 * @param {Float32Array[]} map
 * @param {Record<string, any>} data
 */
export const hoverWords = (map, { labels, lens }) =>
  map.map(row =>
    Array.from(row, (weight, key) => {
      if (!Number.isNaN(weight)) return shareWords(weight)
      return lens.hide_first && key === 0 ? labels.left_out : labels.masked
    }),
  )

/** @param {string[]} tokens @param {number} room */
function labelled(tokens, room) {
  const named = ticks(tokens, room, { largest: 11, smallest: SMALLEST_LABEL })
  return named.tickvals.length < tokens.length ? { tickvals: [], ticktext: [] } : named
}

/** @param {Record<string, any>} layout @param {number} head */
function focusOn(layout, head) {
  const { anchor: y } = axisOf(layout, "x", head)
  const { anchor: x } = axisOf(layout, "y", head)
  Object.assign(layout.shapes[0], { xref: `${x} domain`, yref: `${y} domain` })
}

/** @param {Float32Array[][]} maps @param {Record<string, any>} header @param {Record<string, any>} labels */
function factOf(maps, header, labels) {
  const { queries, keys } = tokensOf(header, header.layer)
  const found = maps.map((map, head) => ({ head, ...largest(map) }))
  const { head, query, key, weight } = found.reduce((best, one) => (one.weight > best.weight ? one : best))
  const words = { query: visible(queries[query]), key: visible(keys[key]), weight: shareWords(weight) }
  return fill(labels.grid_fact, { layer: header.layer, heads: maps.length, head, ...words })
}

/**
 * One button a head, which is the title of its map.
 * @param {HTMLElement} grid
 * @param {Record<string, any>} layout
 * @param {string[]} titles
 * @param {Record<string, any>} data
 * @param {number} layer
 */
function placeChoices(grid, layout, titles, data, layer) {
  const stage = /** @type {HTMLElement} */ (grid.querySelector(".grid-stage"))
  const buttons = [...stage.querySelectorAll(".head-choice")]
  while (buttons.length > titles.length) buttons.pop()?.remove()
  while (buttons.length < titles.length) {
    const button = document.createElement("button")
    button.className = "head-choice"
    button.type = "button"
    button.setAttribute("role", "radio")
    button.dataset.head = String(buttons.length)
    stage.append(button)
    buttons.push(button)
  }
  buttons.forEach((one, head) => {
    const button = /** @type {HTMLButtonElement} */ (one)
    button.dataset.layer = String(layer)
    if (button.textContent !== titles[head]) button.textContent = titles[head]
    place(button, head, layout, data)
  })
}

/**
 * @param {HTMLButtonElement} button
 * @param {number} head
 * @param {Record<string, any>} layout
 * @param {Record<string, any>} data
 */
function place(button, head, layout, data) {
  const [left, right] = axisOf(layout, "x", head).domain
  const top = axisOf(layout, "y", head).domain[1]
  const wide = layout.width - layout.margin.l - layout.margin.r
  const chosen = head === data.head
  button.style.left = `${layout.margin.l + left * wide}px`
  button.style.width = `${(right - left) * wide}px`
  const above = (1 - top) * layout.height
  const tall = Math.min(20, above)
  button.style.top = `${above - tall}px`
  button.style.height = button.style.lineHeight = `${tall}px`
  button.setAttribute("aria-label", fill(data.labels.choose_head, { head }))
  button.setAttribute("aria-checked", String(chosen))
  button.tabIndex = chosen ? 0 : -1
}

/**
 * The head whose map stands at a place of the plot; the space around a map counts as the map's.
 * @param {any} plot
 * @param {MouseEvent} event
 * @returns {number | null}
 */
export function headAt(plot, event) {
  const { layout } = plot
  if (!layout) return null // nothing is painted yet
  const box = plot.getBoundingClientRect()
  const across = (event.clientX - box.left - layout.margin.l) / (box.width - layout.margin.l - layout.margin.r)
  const head = [...plot.data.keys()].findIndex(candidate => across <= axisOf(layout, "x", candidate).domain[1])
  return head < 0 ? null : head
}

/**
 * The map that an arrow key leads to: left and right among the heads, up and down among the layers.
 * @param {string} key
 * @param {{ layer: number, head: number }} from
 * @param {number} layers
 * @param {number} heads
 * @returns {{ layer: number, head: number }}
 */
export function mapAfter(key, { layer, head }, layers, heads) {
  if (heads === 0 || layers === 0) return { layer, head }
  /** @type {Record<string, { layer: number, head: number }>} */
  const ways = {
    ArrowRight: { layer, head: (head + 1) % heads },
    ArrowLeft: { layer, head: (head + heads - 1) % heads },
    ArrowDown: { layer: (layer + 1) % layers, head },
    ArrowUp: { layer: (layer + layers - 1) % layers, head },
    Home: { layer, head: 0 },
    End: { layer, head: heads - 1 },
  }
  return ways[key] ?? { layer, head }
}
