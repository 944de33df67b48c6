// All heads of a layer as small maps; one of them is chosen, with the mouse, the arrow keys or a screen reader.

import { describe, draw, figureFrom } from "../shared/plotly.js"
import { ticks, visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { largest } from "./facts.js"
import { axisOf, gridSize } from "./geometry.js"

const ROOM_FOR_TITLE = 130 // pixels; on smaller maps the title is cut short
const SMALLEST_LABEL = 7 // pixels; below that the large map alone names its tokens

/** @typedef {import("./view.js").View} View */

/**
 * @param {any} Plotly
 * @param {View} view
 */
export function paintGrid(Plotly, { root, data, look, other, width }) {
  const { header, maps } = look
  const grid = /** @type {HTMLElement} */ (root.querySelector(".attention-grid"))
  const plot = /** @type {HTMLElement} */ (grid.querySelector(".look-plot"))
  const figure = figureFrom(root, data.figures, "grid")
  const heads = Math.min(figure.data.length, maps.length)
  const size = gridSize(figure.layout, heads, width, other !== null)
  figure.data.length = heads
  fillMaps(figure, look, data, size.side)
  focusOn(figure.layout, Math.min(data.head, heads - 1))
  Object.assign(figure.layout, { width: size.width, height: size.height })
  draw(Plotly, plot, figure, data.labels.plotly)
  grid.setAttribute("aria-label", fill(data.labels.grid, { layer: header.layer }))
  describe(plot, factOf(maps, header, data.labels))
  placeChoices(grid, figure.layout, heads, data)
}

/**
 * Put weights, names and colours into the template.
 * @param {import("../shared/plotly.js").Figure} figure
 * @param {import("../shared/frame.js").Look} look
 * @param {Record<string, any>} data
 * @param {number} side
 */
function fillMaps({ data: traces, layout }, { header, maps }, data, side) {
  const [, queries, keys] = header.shape
  const rows = labelled(header.tokens, side / queries)
  const columns = labelled(header.tokens, side / keys)
  traces.forEach((trace, head) => {
    trace.z = maps[head]
    trace.text = hoverWords(maps[head], data.labels.masked)
    Object.assign(axisOf(layout, "x", head), columns, { range: [-0.5, keys - 0.5] })
    Object.assign(axisOf(layout, "y", head), rows, { range: [queries - 0.5, -0.5] })
    if (trace.coloraxis) return // one scale for all
    trace.zmax = largest(maps[head]).weight
    const title = side < ROOM_FOR_TITLE ? data.labels.head_scaled_short : data.labels.head_scaled
    layout.annotations[head].text = fill(title, { head, maximum: shareWords(trace.zmax) })
  })
}

/**
 * What a hover says of each cell's weight.
 * @param {Float32Array[]} map
 * @param {string} masked
 */
export const hoverWords = (map, masked) =>
  map.map(row => Array.from(row, weight => (Number.isNaN(weight) ? masked : shareWords(weight))))

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
function factOf(maps, { layer, tokens }, labels) {
  const found = maps.map((map, head) => ({ head, ...largest(map) }))
  const { head, query, key, weight } = found.reduce((best, one) => (one.weight > best.weight ? one : best))
  const words = { query: visible(tokens[query]), key: visible(tokens[key]), weight: shareWords(weight) }
  return fill(labels.grid_fact, { layer, heads: maps.length, head, ...words })
}

/**
 * One button a head, over the title of its map.
 * @param {HTMLElement} grid
 * @param {Record<string, any>} layout
 * @param {number} heads
 * @param {Record<string, any>} data
 */
function placeChoices(grid, layout, heads, data) {
  const buttons = [...grid.querySelectorAll(".head-choice")]
  while (buttons.length > heads) buttons.pop()?.remove()
  while (buttons.length < heads) {
    const button = document.createElement("button")
    button.className = "head-choice"
    button.type = "button"
    button.setAttribute("role", "radio")
    button.dataset.head = String(buttons.length)
    grid.append(button)
    buttons.push(button)
  }
  buttons.forEach((button, head) => place(/** @type {HTMLButtonElement} */ (button), head, layout, data))
}

/** @param {HTMLButtonElement} button @param {number} head @param {Record<string, any>} layout @param {Record<string, any>} data */
function place(button, head, layout, data) {
  const [left, right] = axisOf(layout, "x", head).domain
  const top = axisOf(layout, "y", head).domain[1]
  const wide = layout.width - layout.margin.l - layout.margin.r
  const chosen = head === data.head
  button.style.left = `${layout.margin.l + left * wide}px`
  button.style.width = `${(right - left) * wide}px`
  button.style.top = `${(1 - top) * layout.height - 22}px`
  button.style.height = "20px"
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
  const up = 1 - (event.clientY - box.top) / box.height
  const bottoms = [...plot.data.keys()].map(candidate => axisOf(layout, "y", candidate).domain[0])
  const names = Math.min(...bottoms) // the room below a map, for the names of its keys
  const head = bottoms.findIndex((bottom, candidate) => {
    const [, right] = axisOf(layout, "x", candidate).domain
    return across <= right && up >= bottom - names
  })
  return head < 0 ? null : head
}

/**
 * The head that a key leads to.
 * @param {string} key
 * @param {number} head
 * @param {number} heads
 * @returns {number}
 */
export function headAfter(key, head, heads) {
  /** @type {Record<string, number>} */
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: heads - 1, ArrowUp: heads - 1 }
  if (heads === 0) return head
  if (key === "Home") return 0
  if (key === "End") return heads - 1
  return key in steps ? (head + steps[key]) % heads : head
}
