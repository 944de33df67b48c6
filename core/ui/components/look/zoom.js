// One head, large: named axes, the colours' bounds, a cell that can be held and a row that can be picked out.
// With both masks there are two of them: the same weights, the same sentence.

import { describe, draw, figureFrom } from "../shared/plotly.js"
import { ticks, visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { cellWords, largest, rowWords } from "./facts.js"
import { zoomSize } from "./geometry.js"
import { hoverWords } from "./grid.js"

const ROOM_FOR_NAMES = 58 // pixels for the names of the queries, when a name is longer than a character
const ROOM_FOR_CHARACTERS = 44
const ROOMY = 720 // pixels; on narrower pages long names are shortened

/** @typedef {import("./view.js").View} View */
/** @typedef {import("../shared/frame.js").Look} Look */

/**
 * @param {any} Plotly
 * @param {View} view
 */
export function paintZoom(Plotly, view) {
  const { root, look, other } = view
  const box = part(root, ".attention-zoom")
  root.dataset.both = String(Boolean(other))
  root.dataset.causal = String(look.header.causal)
  const size = paintInto(Plotly, view, look, box, Boolean(other))
  root.dataset.beneath = String(size.beneath)
  box.dataset.head = String(headOf(view, look))
}

/**
 * The map of the other mask, beside the first.
 * @param {any} Plotly
 * @param {View} view
 */
export function paintOtherZoom(Plotly, view) {
  const { root, other } = view
  if (other) paintInto(Plotly, view, other, part(root, ".other-map"), true)
}

/** @param {View} view @param {Look} look */
const headOf = ({ data }, { maps }) => Math.min(data.head, maps.length - 1)

/**
 * @param {any} Plotly
 * @param {View} view
 * @param {Look} look
 * @param {HTMLElement} box
 * @param {boolean} both
 */
function paintInto(Plotly, view, look, box, both) {
  const { root, data, width } = view
  const plot = part(box, ".look-plot")
  const figure = figureFrom(root, data.figures, "zoom")
  const head = headOf(view, look)
  const size = fillMap(figure, look, head, data, width, both)
  figure.layout.shapes = frames(view, figure.layout, look.header.shape)
  draw(Plotly, plot, figure, data.labels.plotly)
  say(view, look, head, box, both)
  return size
}

/**
 * @param {import("../shared/plotly.js").Figure} figure
 * @param {Look} look
 * @param {number} head
 * @param {Record<string, any>} data
 * @param {number} width
 * @param {boolean} both
 */
function fillMap({ data: [trace], layout }, { header, maps }, head, data, width, both) {
  const [, queries, keys] = header.shape
  const long = width >= ROOMY && header.tokens.some((/** @type {string} */ token) => [...token].length > 1)
  layout.margin.l = long ? ROOM_FOR_NAMES : ROOM_FOR_CHARACTERS
  if (both) layout.margin.r = 8
  layout.coloraxis.showscale = !both // there is one scale for both; the row of heads says which
  const size = zoomSize(layout, queries, keys, width, both)
  trace.z = maps[head]
  trace.text = hoverWords(maps[head], data.labels.masked)
  const named = { largest: 15, smallest: 8 }
  Object.assign(layout.xaxis, ticks(header.tokens, size.side / keys, named), { range: [-0.5, keys - 0.5] })
  const rows = ticks(header.tokens, size.side / queries, { ...named, long })
  Object.assign(layout.yaxis, rows, { range: [queries - 0.5, -0.5] })
  const crop = cropWords(header, data.labels)
  if (crop) layout.xaxis.title.text += ` · ${crop}`
  Object.assign(layout, { width: size.width, height: size.height, uirevision: `${queries}×${keys}` })
  if (data.scale === "head") bound(layout.coloraxis, maps[head])
  return size
}

/**
 * Which part of the text was read, when it was not all of it.
 * @param {Record<string, any>} header
 * @param {Record<string, string>} labels
 */
function cropWords({ crop, tokens, special = 0 }, labels) {
  const read = tokens.length - special
  if (!crop || crop.given <= read) return ""
  return fill(labels.crop, { first: crop.start + 1, last: crop.start + read, given: crop.given })
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

/**
 * Frames around the row that is picked out and around the cell that is held.
 * @param {View} view
 * @param {Record<string, any>} layout
 * @param {number[]} shape
 */
function frames({ held, row }, { font }, [, queries, keys]) {
  const line = { color: font.color, width: 2 }
  const found = []
  if (row !== null && row < queries) found.push({ x0: -0.5, x1: keys - 0.5, y0: row - 0.5, y1: row + 0.5, line })
  if (held) {
    const { query, key } = held
    found.push({ x0: key - 0.5, x1: key + 0.5, y0: query - 0.5, y1: query + 0.5, line })
  }
  return found.map(one => ({ type: "rect", ...one }))
}

/**
 * @param {View} view
 * @param {Look} look
 * @param {number} head
 * @param {HTMLElement} box
 * @param {boolean} both
 */
function say({ data: { labels }, look, other: otherLook, held, row }, { header, maps }, head, box, both) {
  const map = maps[head]
  const place = /** @type {HTMLElement} */ (box.parentElement)
  const fact = cellWords(labels.largest_cell, largest(map), header, labels.masked)
  const readout = part(place, ".look-readout")
  readout.textContent = held
    ? cellWords(labels.held_cell, { ...held, weight: map[held.query][held.key] }, header, labels.masked)
    : row !== null && row < map.length
      ? rowWords(labels.row, map[row], row, header)
      : fact
  readout.title = readout.textContent
  const mask = header.causal ? labels.with_mask : labels.without_mask
  const apart = both && look.header.step !== otherLook?.header.step // while training, one answer may be newer
  const late = apart ? fill(labels.at_step, { step: header.step }) : ""
  const title = fill(both ? labels.zoom_with : labels.zoom, { layer: header.layer, head, mask }) + late
  part(place, ".look-caption").textContent = title
  describe(part(box, ".look-plot"), `${title}: ${fact}`)
}

/** @param {Element} root @param {string} selector */
const part = (root, selector) => /** @type {HTMLElement} */ (root.querySelector(selector))
