// All layers at a glance: a row of small maps a layer. The chosen layer's row is drawn by grid.js; these are the others.

import { fill } from "../shared/words.js"
import { gridSize } from "./geometry.js"
import { largest } from "./facts.js"
import { columnsOf, layerName, layersOf, mapsOf } from "./layers.js"
import { painted, range, reach, weightsOf } from "./lens.js"

const STEPS = 256 // shades of a colour scale

/** @typedef {import("./view.js").View} View */

/**
 * @param {HTMLElement} block
 * @param {View} view
 * @param {Record<string, any>} layout of the row of heads: its places and its colours
 */
export function paintOverview(block, view, layout) {
  const { look, data, other, width } = view
  const chosen = look.header.layer
  const grid = /** @type {HTMLElement} */ (block.querySelector(".attention-grid"))
  grid.style.order = String(chosen)
  if (block.dataset.chosen !== String(chosen)) requestAnimationFrame(() => (block.scrollTop = grid.offsetTop)) // where it scrolls
  block.dataset.chosen = String(chosen)
  const layers = layersOf(look)
  const columns = columnsOf(look, width, other !== null)
  block.dataset.columns = String(columns)
  for (const row of block.querySelectorAll(".layer-row")) {
    const { layer } = /** @type {HTMLElement} */ (row).dataset
    if (Number(layer) >= layers || Number(layer) === chosen) row.remove()
  }
  for (let layer = 0; layer < layers; layer++) {
    if (layer === chosen) continue
    const maps = mapsOf(look, layer).map(map => weightsOf(map, data.lens))
    const size = gridSize(layout, maps.length, width, other !== null, columns)
    paintRow(rowOf(block, layer, data, look.header), maps, size.side, view, layout)
  }
}

/**
 * @param {HTMLElement} block
 * @param {number} layer
 * @param {Record<string, any>} data
 * @param {Record<string, any>} header
 */
function rowOf(block, layer, { labels }, header) {
  let row = /** @type {HTMLElement | null} */ (block.querySelector(`.layer-row[data-layer="${layer}"]`))
  if (!row) {
    row = document.createElement("div")
    row.className = "layer-row"
    row.dataset.layer = String(layer)
    const name = document.createElement("p")
    name.className = "layer-name"
    row.append(name)
    block.append(row)
  }
  row.style.order = String(layer)
  const name = /** @type {HTMLElement} */ (row.querySelector(".layer-name"))
  name.textContent = layerName(header, layer, labels)
  return row
}

/**
 * @param {HTMLElement} row
 * @param {Float32Array[][]} maps weights of every head
 * @param {number} side pixels
 * @param {View} view
 * @param {Record<string, any>} layout
 */
function paintRow(row, maps, side, { data }, layout) {
  const layer = Number(row.dataset.layer)
  const buttons = /** @type {HTMLElement[]} */ ([...row.querySelectorAll(".map-choice")])
  while (buttons.length > maps.length) buttons.pop()?.remove()
  while (buttons.length < maps.length) buttons.push(newChoice(row, layer, buttons.length))
  const values = maps.map(map => painted(map, data.lens))
  const bound = data.lens.scale === "uniform" ? reach(values) : 1
  const shades = shadesOf(layout.coloraxis.colorscale)
  const [left] = layout.xaxis.domain
  const place = layout.xaxis.domain[1] - left
  buttons.forEach((button, head) => {
    button.setAttribute("aria-label", fill(data.labels.choose_map, { layer, head }))
    button.title = button.getAttribute("aria-label") ?? ""
    button.style.marginLeft = `${Math.round((left / place) * side)}px`
    const canvas = /** @type {HTMLCanvasElement} */ (button.firstElementChild)
    const limits = range(maps[head], data.lens, bound, map => largest(map).weight)
    paintMap(canvas, values[head], limits, shades, layout.plot_bgcolor, side)
  })
}

/** @param {HTMLElement} row @param {number} layer @param {number} head */
function newChoice(row, layer, head) {
  const button = document.createElement("button")
  button.className = "map-choice"
  button.type = "button"
  button.tabIndex = -1
  button.setAttribute("role", "radio")
  button.setAttribute("aria-checked", "false")
  Object.assign(button.dataset, { layer: String(layer), head: String(head) })
  button.append(document.createElement("canvas"))
  row.append(button)
  return button
}

/**
 * Paint a map to a canvas, a pixel a cell, enlarged without blurring.
 * @param {HTMLCanvasElement} canvas
 * @param {Float32Array[]} map what the colours stand for; NaN where masked
 * @param {[number, number]} limits
 * @param {Uint8ClampedArray} shades
 * @param {string} masked the colour of masked cells
 * @param {number} side pixels
 */
export function paintMap(canvas, map, [low, high], shades, masked, side) {
  const queries = map.length
  const keys = map[0]?.length ?? 0
  if (canvas.width !== keys || canvas.height !== queries) Object.assign(canvas, { width: keys, height: queries })
  Object.assign(canvas.style, { width: `${side}px`, height: `${side}px` })
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"))
  const image = context.createImageData(keys, queries)
  const grey = colourOf(masked)
  const scale = (STEPS - 1) / (high - low || 1)
  let place = 0
  for (const row of map) {
    for (const value of row) {
      const known = !Number.isNaN(value)
      const shade = known ? 3 * Math.max(0, Math.min(STEPS - 1, Math.round((value - low) * scale))) : 0
      const from = known ? shades : grey
      image.data[place] = from[shade]
      image.data[place + 1] = from[shade + 1]
      image.data[place + 2] = from[shade + 2]
      image.data[place + 3] = 255
      place += 4
    }
  }
  context.putImageData(image, 0, 0)
}

/** @type {{ of: string, shades: Uint8ClampedArray }} */
let kept = { of: "", shades: new Uint8ClampedArray() }

/**
 * The shades of a colour scale, red, green and blue one after another.
 * @param {[number, string][]} colorscale places from 0 to 1 and their colours
 */
export function shadesOf(colorscale) {
  const of = JSON.stringify(colorscale)
  if (kept.of === of) return kept.shades
  const stops = colorscale.map(([place, colour]) => ({ place, colour: colourOf(colour) }))
  const shades = new Uint8ClampedArray(3 * STEPS)
  for (let step = 0; step < STEPS; step++) {
    const place = step / (STEPS - 1)
    const next = Math.max(1, stops.findIndex(stop => stop.place >= place))
    const [before, after] = [stops[next - 1], stops[next]]
    const part = (place - before.place) / (after.place - before.place)
    for (let band = 0; band < 3; band++) {
      shades[3 * step + band] = before.colour[band] + part * (after.colour[band] - before.colour[band])
    }
  }
  kept = { of, shades }
  return shades
}

/** @param {string} colour as #rrggbb */
const colourOf = colour => Uint8ClampedArray.from([1, 3, 5].map(start => parseInt(colour.slice(start, start + 2), 16)))
