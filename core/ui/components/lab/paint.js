// A map on a canvas: names of the rows on the left, names of the columns beneath, cells in colours, frames around what
// is chosen. Where there are more cells than pixels, the browser's own scaling mixes them.

import { themeValue } from "../shared/theme.js"
import { visible } from "../shared/tokens.js"

const GAP = 4 // pixels between names and cells
const LARGEST_CELL = 40
const NAME = 11 // pixels of the letters

/**
 * @typedef {object} Chart
 * @property {import("./frame.js").Matrix} matrix
 * @property {string[]} rowNames
 * @property {string[] | null} columnNames null: the columns are numbers of a vector
 * @property {string} [caption] what the columns are, when they have no names
 * @property {string[]} ramp
 * @property {number} low
 * @property {number} high
 * @property {string} masked the colour of what is not a number
 * @property {string} focus the colour of frames
 * @property {{ row?: number, column?: number }} chosen
 *
 * @typedef {{ left: number, width: number, height: number, rows: number, columns: number }} Place where the cells are
 */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Chart} chart
 * @param {{ width: number, rowHeight: number, left: number, below: number }} size
 * @returns {Place}
 */
export function paint(canvas, chart, { width, rowHeight, left, below }) {
  const { rows, columns } = chart.matrix
  const across = Math.min(width - left - 1, columns * LARGEST_CELL)
  const place = { left, width: across, height: rows * rowHeight, rows, columns }
  const pen = prepared(canvas, width, place.height + below)
  pen.imageSmoothingEnabled = across < columns
  pen.drawImage(picture(chart), left, 0, across, place.height)
  names(pen, chart, place, canvas)
  frames(pen, chart, place)
  Object.assign(canvas.dataset, { left, across, down: place.height }) // where the cells are, for whoever tests them
  return place
}

/**
 * The cell under a pointer.
 * @param {HTMLCanvasElement} canvas
 * @param {Place} place
 * @param {{ clientX: number, clientY: number }} event
 */
export function cellAt(canvas, { left, width, height, rows, columns }, { clientX, clientY }) {
  const box = canvas.getBoundingClientRect()
  const column = Math.floor(((clientX - box.left - left) / width) * columns)
  const row = Math.floor(((clientY - box.top) / height) * rows)
  return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null
}

/**
 * How much room names need.
 * @param {Element} element whose letters are used
 * @param {string[]} tokens
 */
export function roomFor(element, tokens) {
  const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"))
  pen.font = `${NAME}px ${getComputedStyle(element).fontFamily}`
  const longest = Math.max(...tokens.map(token => pen.measureText(visible(token)).width))
  return Math.ceil(Math.min(60, longest)) + GAP
}

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function prepared(canvas, width, height) {
  const sharp = window.devicePixelRatio || 1
  canvas.width = Math.round(width * sharp)
  canvas.height = Math.round(height * sharp)
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"))
  pen.scale(sharp, sharp)
  return pen
}

/** @param {Chart} chart */
function picture({ matrix, ramp, low, high, masked }) {
  const { rows, columns, data } = matrix
  const canvas = document.createElement("canvas")
  canvas.width = columns
  canvas.height = rows
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"))
  const image = pen.createImageData(columns, rows)
  const stops = ramp.map(channels)
  const span = high - low || 1
  data.forEach((value, place) => {
    const colour = Number.isFinite(value) ? mixed(stops, (value - low) / span) : channels(masked)
    image.data.set([...colour, 255], 4 * place)
  })
  pen.putImageData(image, 0, 0)
  return canvas
}

/** @param {CanvasRenderingContext2D} pen @param {Chart} chart @param {Place} place @param {Element} element */
function names(pen, { rowNames, columnNames, caption = "" }, { left, width, height, rows, columns }, element) {
  const [down, across] = [height / rows, width / columns]
  pen.font = `${NAME}px ${getComputedStyle(element).fontFamily}`
  pen.fillStyle = themeValue(element, "text-color")
  pen.textAlign = "right"
  pen.textBaseline = "middle"
  const every = Math.ceil((NAME - 1) / down)
  rowNames.forEach((name, row) => {
    if (row % every === 0) pen.fillText(visible(name), left - GAP, Math.max(NAME / 2, (row + 0.5) * down), left - GAP)
  })
  if (!columnNames) {
    pen.textAlign = "center"
    pen.textBaseline = "top"
    pen.fillText(caption, left + width / 2, height + GAP)
    return
  }
  const step = Math.ceil((NAME - 1) / across)
  const short = columnNames.every(name => [...name].length === 1)
  columnNames.forEach((name, column) => {
    if (column % step) return
    pen.save()
    pen.translate(left + (column + 0.5) * across, height + GAP)
    if (!short) pen.rotate(-Math.PI / 2)
    pen.textAlign = short ? "center" : "right"
    pen.textBaseline = short ? "top" : "middle"
    pen.fillText(visible(name), 0, 0, 60)
    pen.restore()
  })
}

/** @param {CanvasRenderingContext2D} pen @param {Chart} chart @param {Place} place */
function frames(pen, { chosen: { row, column }, focus }, { left, width, height, rows, columns }) {
  if (row === undefined || row >= rows) return
  const [down, across] = [height / rows, width / columns]
  const [x, wide] = column === undefined ? [left, width] : [left + column * across, across]
  pen.strokeStyle = focus
  pen.lineWidth = Math.max(1, Math.min(2, down / 3))
  pen.strokeRect(x, row * down, wide, down)
}

/** @param {number[][]} stops @param {number} share between 0 and 1 */
function mixed(stops, share) {
  const place = Math.max(0, Math.min(1, share)) * (stops.length - 1)
  const before = Math.min(Math.floor(place), stops.length - 2)
  return stops[before].map((channel, n) => Math.round(channel + (stops[before + 1][n] - channel) * (place - before)))
}

/** @param {string} colour "#aabbcc" */
const channels = colour => [1, 3, 5].map(start => parseInt(colour.slice(start, start + 2), 16))
