// One head, large: named axes, the colours' bounds, a cell that can be held and a row that can be picked out.
// With both masks there are two of them: the same weights, the same sentence.

import { describe, draw, figureFrom, isPresented } from "../shared/plotly.js"
import { ticks, visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { blank } from "./cover.js"
import { cellWords, columnWords, largest, rowWords } from "./facts.js"
import { presentedSize, zoomSize } from "./geometry.js"
import { hoverWords } from "./grid.js"
import { columnsOf, layerName, lookAt, tokensOf } from "./layers.js"
import { painted, reach, weightsOf } from "./lens.js"
import { shownLarge } from "./summary.js"

const ROOM_FOR_NAMES = 58 // pixels for the names of the queries, when a name is longer than a character
const ROOM_FOR_CHARACTERS = 44
const NAMES = { largest: 15, smallest: 8 } // pixels of the tokens' letters …
const NAMES_PRESENTED = { largest: 40, smallest: 24 }
const NUMBERS = { largest: 14, room: 34 } // … and of the weights', with the room that a cell needs to hold one
const NUMBERS_PRESENTED = { largest: 30, room: 76 }
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
  paintInto(Plotly, view, look, box, Boolean(other))
  Object.assign(box.dataset, { layer: String(view.focus.layer), head: String(headOf(view, look)) })
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
const headOf = ({ focus }, { maps }) => Math.min(focus.head, maps.length - 1)

/**
 * @param {any} Plotly
 * @param {View} view
 * @param {Look} answer
 * @param {HTMLElement} box
 * @param {boolean} both
 */
function paintInto(Plotly, view, answer, box, both) {
  const { root, data, width } = view
  const look = lookAt(answer, view.focus.layer)
  const plot = part(box, ".look-plot")
  const figure = figureFrom(root, data.figures, "zoom")
  const shown = shownLarge(look, view.focus.head, data.summary)
  const maps = shown.maps.map(map => weightsOf(map, data.lens))
  const room = isPresented(root) ? window.innerHeight - topOf(box) : null
  fillMap(figure, look.header, maps, shown.head, data, { width, both, room, columns: columnsOf(answer, width, both) })
  const hidden = look.covered === "all"
  const seen = hidden ? { ...view, row: null } : view
  figure.layout.shapes = frames(seen, figure.layout, look.header.shape)
  if (hidden) blank(figure, "?")
  draw(Plotly, plot, figure, data.labels.plotly)
  say(seen, look, maps[shown.head], shown.summary, box, both, hidden)
}

/**
 * @param {import("../shared/plotly.js").Figure} figure
 * @param {Record<string, any>} header
 * @param {Float32Array[][]} maps the weights that are shown, of all heads: one scale may hold for all
 * @param {number} head
 * @param {Record<string, any>} data
 * @param {object} place
 * @param {number} place.width
 * @param {boolean} place.both
 * @param {number | null} place.room pixels down to the bottom of the window, in presenter view
 * @param {number} place.columns rows of small maps beside each other
 */
function fillMap({ data: [trace], layout }, header, maps, head, data, { width, both, room, columns }) {
  const presented = room !== null
  const tokens = tokensOf(header, header.layer)
  const [queries, keys] = [tokens.queries.length, tokens.keys.length]
  const long = width >= ROOMY && tokens.queries.some(token => [...token].length > 1)
  if (!presented) layout.margin.l = long ? ROOM_FOR_NAMES : ROOM_FOR_CHARACTERS
  if (both) layout.margin.r = 8
  layout.coloraxis.showscale = !both // there is one scale for both; the row of heads says which
  const size = presented
    ? presentedSize(layout, width, room)
    : zoomSize(layout, queries, keys, width, both, window.innerHeight, columns)
  trace.z = painted(maps[head], data.lens)
  trace.text = hoverWords(maps[head], data)
  const letters = presented ? NUMBERS_PRESENTED : NUMBERS
  if (data.numbers && size.side / Math.max(queries, keys) >= letters.room)
    writeNumbers(trace, maps[head], size.side / keys, letters.largest)
  const named = presented ? NAMES_PRESENTED : NAMES
  Object.assign(layout.xaxis, ticks(tokens.keys, size.side / keys, named), { range: [-0.5, keys - 0.5] })
  const rows = ticks(tokens.queries, size.side / queries, { ...named, long })
  Object.assign(layout.yaxis, rows, { range: [queries - 0.5, -0.5] })
  const crop = cropWords(header, data.labels)
  if (crop) layout.annotations[0].text += ` · ${crop}`
  layout.annotations[0].yshift = -layout.margin.b
  layout.annotations[1].xshift = -layout.margin.l
  Object.assign(layout, { width: size.width, height: size.height, uirevision: `${queries}×${keys}` })
  if (data.lens.scale === "head") bound(layout.coloraxis, maps[head])
  if (data.lens.scale === "uniform") boundDifference(layout.coloraxis, reach(maps.map(map => painted(map, data.lens))))
}

/** Where an element begins when its page is not scrolled. @param {HTMLElement} element */
const topOf = element =>
  element.getBoundingClientRect().top + (element.closest('[data-testid="stMain"]')?.scrollTop ?? 0)

/**
 * Write every weight into its cell, to three decimals; Plotly chooses letters that stand out from the colour.
 * @param {Record<string, any>} trace
 * @param {Float32Array[]} map
 * @param {number} room pixels
 * @param {number} largest pixels of a letter
 */
function writeNumbers(trace, map, room, largest) {
  trace.hovertext = trace.text
  trace.text = map.map(row => Array.from(row, weight => (Number.isNaN(weight) ? "" : shareWords(weight))))
  trace.texttemplate = "%{text}"
  trace.textfont = { size: Math.min(largest, Math.floor(room / 3.1)) }
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
 * The colours of a difference reach equally far to both sides.
 * @param {Record<string, any>} coloraxis
 * @param {number} most
 */
function boundDifference(coloraxis, most) {
  Object.assign(coloraxis, { cmin: -most, cmax: most })
  coloraxis.colorbar.tickvals = [-most, 0, most]
  coloraxis.colorbar.ticktext = [`−${shareWords(most)}`, "0", `+${shareWords(most)}`]
}

/**
 * Frames around the row that is picked out and around the cell that is held.
 * @param {View} view
 * @param {Record<string, any>} layout
 * @param {number[]} shape
 */
function frames({ held, row, direction }, { font }, [, queries, keys]) {
  const line = { color: font.color, width: 2 }
  const found = []
  if (row !== null && direction === "outgoing" && row < queries)
    found.push({ x0: -0.5, x1: keys - 0.5, y0: row - 0.5, y1: row + 0.5, line })
  if (row !== null && direction === "incoming" && row < keys)
    found.push({ x0: row - 0.5, x1: row + 0.5, y0: -0.5, y1: queries - 0.5, line })
  if (held) {
    const { query, key } = held
    found.push({ x0: key - 0.5, x1: key + 0.5, y0: query - 0.5, y1: query + 0.5, line })
  }
  return found.map(one => ({ type: "rect", ...one }))
}

/**
 * @param {View} view
 * @param {Look} shown
 * @param {Float32Array[]} map the weights that are shown
 * @param {import("./summary.js").Summary} summary
 * @param {HTMLElement} box
 * @param {boolean} both
 * @param {boolean} hidden whether the map is covered
 */
function say(view, shown, map, summary, box, both, hidden) {
  const { look, other: otherLook, held, row, direction, data } = view
  const { labels, lens } = data
  const { header } = shown
  const place = /** @type {HTMLElement} */ (box.parentElement)
  const tokens = tokensOf(header, header.layer)
  const fact = hidden ? labels.guess.covered : cellWords(labels.largest_cell, largest(map), tokens, labels.masked)
  const readout = part(place, ".look-readout")
  const without = held && lens.hide_first && held.key === 0 ? labels.left_out : labels.masked
  readout.textContent = held
    ? cellWords(labels.held_cell, { ...held, weight: map[held.query][held.key] }, tokens, without)
    : row === null
      ? fact
      : direction === "outgoing" && row < tokens.queries.length
        ? rowWords(labels.row, map[row], row, tokens)
        : row < tokens.keys.length
          ? columnWords(labels.column, map, row, tokens)
          : fact
  readout.title = readout.textContent
  const mask = header.causal ? labels.with_mask : labels.without_mask
  const apart = both && look.header.step !== otherLook?.header.step // while training, one answer may be newer
  const late = apart ? fill(labels.at_step, { step: header.step }) : ""
  const facts = { layer: header.layer, head: headOf(view, shown), heads: shown.maps.length, mask }
  const words = labels.large[summary]
  const kind = summary === "head" && header.streams?.target ? `${layerName(header, header.layer, labels)} · ` : ""
  const named = kind ? kind + fill(labels.head, facts) : fill(both ? words.with : words.alone, facts)
  const title = named + late
  part(place, ".look-caption").textContent = title
  describe(part(box, ".look-plot"), `${title}: ${fact}`)
}

/** @param {Element} root @param {string} selector */
const part = (root, selector) => /** @type {HTMLElement} */ (root.querySelector(selector))
