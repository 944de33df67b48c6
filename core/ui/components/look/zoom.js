// One head, large: named axes, the colours' bounds, and a cell that can be held.

import { describe, draw, figureFrom } from "../shared/plotly.js"
import { ticks } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { cellWords, largest } from "./facts.js"
import { zoomSize } from "./geometry.js"
import { hoverWords } from "./grid.js"

/**
 * @param {any} Plotly
 * @param {import("./view.js").View} view
 */
export function paintZoom(Plotly, { root, data, look, width, held }) {
  const { header, maps } = look
  const head = Math.min(data.head, maps.length - 1)
  const zoom = /** @type {HTMLElement} */ (root.querySelector(".attention-zoom"))
  const plot = /** @type {HTMLElement} */ (zoom.querySelector(".look-plot"))
  const figure = figureFrom(root, data.figures, "zoom")
  fillMap(figure, look, head, data, width)
  if (held) figure.layout.shapes = [frame(held, figure.layout)]
  draw(Plotly, plot, figure, data.labels.plotly)
  zoom.dataset.head = String(head)
  say(root, maps[head], head, header, data.labels, held)
}

/**
 * @param {import("../shared/plotly.js").Figure} figure
 * @param {import("../shared/frame.js").Look} look
 * @param {number} head
 * @param {Record<string, any>} data
 * @param {number} width
 */
function fillMap({ data: [trace], layout }, { header, maps }, head, data, width) {
  const [, queries, keys] = header.shape
  const size = zoomSize(layout, queries, keys, width)
  trace.z = maps[head]
  trace.text = hoverWords(maps[head], data.labels.masked)
  const named = { largest: 15, smallest: 8 }
  Object.assign(layout.xaxis, ticks(header.tokens, size.side / keys, named), { range: [-0.5, keys - 0.5] })
  const rows = ticks(header.tokens, size.side / queries, { ...named, long: true })
  Object.assign(layout.yaxis, rows, { range: [queries - 0.5, -0.5] })
  const crop = cropWords(header, data.labels)
  if (crop) layout.xaxis.title.text += ` · ${crop}`
  Object.assign(layout, { width: size.width, height: size.height, uirevision: `${queries}×${keys}` })
  if (data.scale === "head") bound(layout.coloraxis, maps[head])
}

/**
 * Which part of the text was read, when it was not all of it.
 * @param {Record<string, any>} header
 * @param {Record<string, string>} labels
 */
function cropWords({ crop, tokens }, labels) {
  if (!crop || crop.given <= tokens.length) return ""
  return fill(labels.crop, { first: crop.start + 1, last: crop.start + tokens.length, given: crop.given })
}

/**
 * The colours reach from 0 to the map's largest weight. What lies beyond (a query with one key alone) has the last colour.
 * @param {Record<string, any>} coloraxis
 * @param {Float32Array[]} map
 */
function bound(coloraxis, map) {
  const highest = largest(map).weight
  const beyond = map.some(row => row.some(weight => weight > highest))
  coloraxis.cmax = highest
  coloraxis.colorbar.tickvals = [0, highest / 2, highest]
  coloraxis.colorbar.ticktext = ["0", shareWords(highest / 2), `${beyond ? "≥ " : ""}${shareWords(highest)}`]
}

/** @param {{ query: number, key: number }} held @param {Record<string, any>} layout */
function frame({ query, key }, { font }) {
  const corners = { x0: key - 0.5, x1: key + 0.5, y0: query - 0.5, y1: query + 0.5 }
  return { type: "rect", ...corners, line: { color: font.color, width: 2 } }
}

/**
 * @param {HTMLElement} root
 * @param {Float32Array[]} map
 * @param {number} head
 * @param {Record<string, any>} header
 * @param {Record<string, any>} labels
 * @param {{ query: number, key: number } | null} held
 */
function say(root, map, head, header, labels, held) {
  const best = largest(map)
  const readout = /** @type {HTMLElement} */ (root.querySelector(".look-readout"))
  const chosen = held && { ...held, weight: map[held.query][held.key] }
  readout.textContent = chosen
    ? cellWords(labels.held_cell, chosen, header, labels.masked)
    : cellWords(labels.largest_cell, best, header, labels.masked)
  const caption = /** @type {HTMLElement} */ (root.querySelector(".zoom-caption"))
  caption.textContent = fill(labels.zoom, { layer: header.layer, head })
  const fact = cellWords(labels.largest_cell, best, header, labels.masked)
  describe(/** @type {HTMLElement} */ (root.querySelector(".attention-zoom .look-plot")), `${caption.textContent}: ${fact}`)
}
