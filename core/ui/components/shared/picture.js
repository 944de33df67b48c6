// A figure as a picture of its own: what stands on the page, with lines above it that say what it shows and when.
// Everything is put into one SVG; a PNG is that SVG, drawn three times as large.

import { download } from "./files.js"
import { loadPlotly } from "./plotly.js"
import { themeValue } from "./theme.js"

const SCALE = 3 // pixels of a PNG for one on the page
const EDGE = 8 // pixels around the figure
const FONT = "sans-serif" // an image has no fonts but those of the system it is seen on …
const SPARE = 0.94 // … where letters may be a little wider
const LETTERS = 11 // pixels of the stamp's letters …
const LINE = 15 // … and of its lines
const NARROWEST = 300 // pixels; a narrower figure gets room for its stamp
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g // what XML cannot hold
/** @type {Record<string, string>} */
const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** @typedef {{ left: number, top: number, width: number, height: number, markup: string }} Piece */

/**
 * What an element shows, as SVG: its plots, its canvases and the names of its rows and maps.
 * @param {HTMLElement} element
 * @param {string[]} stamp sentences that are written above it
 * @param {(layout: Record<string, any>) => object} [change] what is different in the picture, of the plots' layouts
 * @returns {Promise<string>}
 */
export async function pictureOf(element, stamp, change = () => ({})) {
  const pieces = await piecesOf(element, change)
  const width = Math.max(NARROWEST, ...pieces.map(({ left, width: own }) => left + own)) + 2 * EDGE
  const lines = stamp.flatMap(sentence => wrapped(sentence, measure(`${LETTERS}px ${FONT}`), SPARE * (width - 2 * EDGE)))
  const head = EDGE + LINE * lines.length
  const height = Math.max(0, ...pieces.map(({ top, height: own }) => top + own)) + head + EDGE
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}"`
  const colour = themeValue(element, "text-color")
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}`,
    ` font-family="${FONT}" fill="${escaped(colour)}">`,
    `<rect width="100%" height="100%" fill="${escaped(themeValue(element, "background-color"))}"/>`,
    ...lines.map((line, row) => text(line, EDGE, EDGE + LINE * row + LETTERS, LETTERS)),
    ...pieces.map(({ left, top, markup }) => `<g transform="translate(${left + EDGE} ${top + head})">${markup}</g>`),
    "</svg>",
  ].join("")
}

/**
 * @param {HTMLElement} element
 * @param {(layout: Record<string, any>) => object} change
 * @returns {Promise<Piece[]>} measured from the element's corner
 */
async function piecesOf(element, change) {
  const Plotly = await loadPlotly()
  const corner = element.getBoundingClientRect()
  const pieces = []
  for (const one of [element, .../** @type {Iterable<HTMLElement>} */ (element.querySelectorAll("*"))]) {
    const box = one.getBoundingClientRect()
    if (box.width === 0 || one.closest(".page-menu")) continue
    const drawn = await drawnAs(Plotly, one, change)
    if (drawn) pieces.push({ left: box.left - corner.left, top: box.top - corner.top, width: box.width, height: box.height, ...drawn })
  }
  return pieces
}

/**
 * @param {any} Plotly
 * @param {any} one
 * @param {(layout: Record<string, any>) => object} change
 * @returns {Promise<{ markup: string, width?: number, height?: number } | null>} null for what is no part of a picture
 */
async function drawnAs(Plotly, one, change) {
  if (one.classList.contains("js-plotly-plot")) return plotMarkup(Plotly, one, change)
  if (one instanceof HTMLCanvasElement) return { markup: canvasMarkup(one) }
  if (!one.matches(".layer-name, .head-choice")) return null
  const { fontSize, textAlign } = getComputedStyle(one)
  const size = parseFloat(fontSize)
  const middle = textAlign === "center"
  return { markup: text(one.textContent ?? "", middle ? one.clientWidth / 2 : 0, size, size, middle ? "middle" : "start") }
}

/** @param {any} Plotly @param {any} plot @param {(layout: Record<string, any>) => object} change */
async function plotMarkup(Plotly, { data, layout: shown }, change) {
  const font = { ...shown.font, family: FONT } // measured as it will be seen
  const layout = { ...shown, font, ...change(shown), paper_bgcolor: "rgba(0,0,0,0)" }
  const { width, height } = layout
  return { width, height, markup: await Plotly.toImage({ data, layout }, { format: "svg", width, height, imageDataOnly: true }) }
}

/** @param {HTMLCanvasElement} canvas a pixel of it is a cell, and stays sharp */
function canvasMarkup(canvas) {
  const size = `width="${canvas.clientWidth}" height="${canvas.clientHeight}" preserveAspectRatio="none"`
  return `<image ${size} style="image-rendering: pixelated" href="${canvas.toDataURL()}"/>`
}

/** @param {string} words @param {number} x @param {number} y @param {number} size @param {"start" | "middle"} anchor */
const text = (words, x, y, size, anchor = "start") =>
  `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}" xml:space="preserve">${escaped(words)}</text>`

/** @param {string} words */
const escaped = words => words.replace(UNPRINTABLE, "").replace(/[&<>"]/g, character => ESCAPED[character])

/** @param {string} font @returns {(words: string) => number} how many pixels wide words are */
function measure(font) {
  const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"))
  pen.font = font
  return words => pen.measureText(words).width
}

/**
 * A sentence in lines that are no wider than the room. It breaks at spaces, and within a word that no line could hold.
 * @param {string} sentence
 * @param {(words: string) => number} widthOf
 * @param {number} room
 * @returns {string[]}
 */
export function wrapped(sentence, widthOf, room) {
  const lines = [""]
  const fits = (/** @type {string} */ more) => widthOf((lines.at(-1) + more).trimEnd()) <= room
  for (const word of sentence.match(/\S+\s*|\s+/g) ?? []) {
    if (!fits(word) && lines.at(-1) !== "" && widthOf(word.trimEnd()) <= room) lines.push("")
    for (const part of fits(word) ? [word] : word) {
      if (!fits(part) && lines.at(-1) !== "") lines.push("")
      lines[lines.length - 1] += part
    }
  }
  return lines.map(line => line.trimEnd())
}

/**
 * What a menu offers of a figure: its picture, as pixels and as lines.
 * @param {Record<string, string>} labels
 * @param {string} name of the file
 * @param {() => Promise<string>} draw as SVG
 * @returns {import("./menu.js").Item[]}
 */
export const pictureItems = (labels, name, draw) =>
  /** @type {("png" | "svg")[]} */ (["png", "svg"]).map(format => ({
    name: format,
    label: labels[format],
    run: async () => download(await imageOf(await draw(), format), `${name}.${format}`),
  }))

/**
 * @param {string} picture as SVG
 * @param {"svg" | "png"} format
 * @returns {Promise<Blob>}
 */
export async function imageOf(picture, format) {
  const vector = new Blob([picture], { type: "image/svg+xml;charset=utf-8" })
  if (format === "svg") return vector
  const image = new Image()
  image.src = URL.createObjectURL(vector)
  try {
    await image.decode()
    const canvas = Object.assign(document.createElement("canvas"), { width: SCALE * image.width, height: SCALE * image.height })
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const painted = await new Promise(resolve => canvas.toBlob(resolve, "image/png"))
    if (!painted) throw new Error("the picture is too large for a canvas")
    return painted
  } finally {
    URL.revokeObjectURL(image.src)
  }
}
