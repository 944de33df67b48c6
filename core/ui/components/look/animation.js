// The past of a run as an animation in a file of its own: an HTML page with its data, its player (film.js) and its style
// (film.css) in it, which asks nothing of any network.

import { figureFrom } from "../shared/plotly.js"
import { themeValue } from "../shared/theme.js"
import { visible } from "../shared/tokens.js"
import { fill } from "../shared/words.js"
import { largest } from "./facts.js"
import { mapsOf } from "./layers.js"
import { painted, range, reach, weightsOf } from "./lens.js"
import { shadesOf } from "./overview.js"

const LARGEST_FILE = 1_950_000 // bytes
const FEWEST = 12 // frames: rather than fewer than these, fewer heads are taken along
const MASKED = 255
const UNIT = 254

/** @typedef {import("./view.js").View} View */
/** @typedef {import("../shared/past.js").PastFrame} PastFrame */
/** @typedef {{ layer: number, heads: number[] }} Part heads of a layer */
/**
 * @typedef {object} Film What the player is given, beside the cells: frame → part → head → query → key, a byte each. A cell of 0 to 254
 *   stands for the values from a head's lower to its upper limit, which hold for all frames; 255 is masked.
 * @property {{ layer: number, heads: number[], queries: string[], keys: string[], limits: [number, number][] }[]} parts
 * @property {{ step: number, loss: number | null }[]} frames
 * @property {string} scale
 * @property {string[]} shades 256 colours
 * @property {Record<string, string>} colours of the page, and of masked cells
 * @property {{ layer: number, head: number }} chosen
 * @property {Record<string, string>} words
 * @property {string} title
 * @property {string} about
 * @property {string} language
 */

/**
 * Every step of the run's past, once all of them have come.
 * @param {import("./time.js").Time} time
 * @param {View} view
 * @param {(done: { have: number, all: number }) => void} tell
 * @returns {Promise<PastFrame[]>}
 */
export function collected(time, { text, data }, tell) {
  time.want(text, data.causal_mask)
  const { past } = time
  return new Promise((resolve, reject) => {
    let stop = () => {}
    const look = () => {
      const done = past.progress()
      tell(done)
      if (time.wanted !== text) reject(new Error("another text is looked at"))
      else if (done.have < done.all && !done.full) return
      else resolve(past.steps().map(step => /** @type {PastFrame} */ (past.frame(step))))
      stop()
    }
    stop = past.subscribe(look)
    look()
  })
}

/**
 * @param {PastFrame[]} frames ascending
 * @param {View} view what is looked at now: its head, its scale, its colours
 * @returns {Promise<string>} an HTML page
 */
export async function animation(frames, view) {
  const [script, style] = await Promise.all(["film.js", "film.css"].map(textOf))
  const every = frames[0].header.maps.map((/** @type {any} */ { shape }, /** @type {number} */ layer) => wholeLayer(layer, shape[0]))
  const chosen = { layer: view.look.header.layer, head: view.focus.head }
  const smaller = [every, [every[chosen.layer]], [{ layer: chosen.layer, heads: [chosen.head] }]]
  for (const parts of smaller) {
    let kept = frames
    let page = await pageOf(kept, parts, frames, view, script, style)
    while (size(page) > LARGEST_FILE && kept.length > 2) {
      kept = thinned(frames, Math.max(2, Math.min(kept.length - 1, Math.floor((0.97 * kept.length * LARGEST_FILE) / size(page)))))
      page = await pageOf(kept, parts, frames, view, script, style)
    }
    const last = parts === smaller.at(-1)
    if (size(page) <= LARGEST_FILE && (last || kept.length >= Math.min(FEWEST, frames.length))) return page
  }
  throw new Error("even two frames of one head are too large")
}

/** @param {string} file @returns {Promise<string>} of this folder */
async function textOf(file) {
  const response = await fetch(new URL(file, import.meta.url))
  if (!response.ok) throw new Error(`${file}: ${response.status}`)
  return response.text()
}

/** @param {number} layer @param {number} heads @returns {Part} */
const wholeLayer = (layer, heads) => ({ layer, heads: [...Array(heads).keys()] })

/** @param {string} page */
const size = page => new TextEncoder().encode(page).length

/**
 * So many of a list, evenly spread, both ends among them.
 * @template One
 * @param {One[]} all
 * @param {number} count 2 at least
 * @returns {One[]}
 */
export const thinned = (all, count) =>
  all.length <= count ? all : Array.from({ length: count }, (_, place) => all[Math.round((place * (all.length - 1)) / (count - 1))])

/**
 * @param {PastFrame[]} frames
 * @param {Part[]} parts
 * @param {PastFrame[]} all frames that there are
 * @param {View} view
 * @param {string} script
 * @param {string} style
 */
async function pageOf(frames, parts, all, view, script, style) {
  const { film, cells } = filmOf(frames, parts, view.data.lens)
  const told = { ...film, ...saidOf(frames, parts, all, view) }
  const data = JSON.stringify(told).replaceAll("<", "\\u003c")
  return [
    `<!doctype html>\n<html lang="${told.language}">\n<head>\n<meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">`,
    `<title>${told.title.replace(/[&<]/g, found => (found === "&" ? "&amp;" : "&lt;"))}</title>`,
    `<style>\n${style}</style>\n</head>\n<body>\n<main></main>`,
    `<script type="application/json" id="film">${data}</script>`,
    `<script type="text/plain" id="cells">${await packed(cells)}</script>`,
    `<script type="module">\n${script}</script>\n</body>\n</html>\n`,
  ].join("\n")
}

/**
 * The cells and what they stand for. Limits hold for all frames, so that a colour means the same throughout.
 * @param {PastFrame[]} frames
 * @param {Part[]} parts
 * @param {{ scale: string, hide_first: boolean }} lens
 */
export function filmOf(frames, parts, lens) {
  const seen = (/** @type {PastFrame} */ frame, /** @type {Part} */ part) => seenOf(frame, part, lens)
  const film = parts.map(part => {
    const maps = frames.map(frame => seen(frame, part)) // frame → head
    const bound = lens.scale === "uniform" ? reach(maps.flat().map(one => one.painted)) : 1
    const limits = part.heads.map((_, place) => {
      const highest = Math.max(...maps.map(heads => largest(heads[place].weights).weight))
      return range([], lens, bound, () => highest)
    })
    const [{ header }] = frames
    const { queries, keys } = header.maps[part.layer]
    const names = (/** @type {string} */ stream) => (header.streams?.[stream] ?? header.tokens).map(visible)
    return { ...part, queries: names(queries), keys: names(keys), limits }
  })
  const cells = frames.map(frame =>
    parts.map((part, own) => seen(frame, part).map((one, place) => quantised(one.painted, film[own].limits[place]))),
  )
  return {
    film: { parts: film, frames: frames.map(({ step, loss }) => ({ step, loss })), scale: lens.scale },
    cells: cells.flat(3),
  }
}

/** @param {PastFrame} frame @param {Part} part @param {{ scale: string, hide_first: boolean }} lens */
function seenOf({ header, maps }, { layer, heads }, lens) {
  const shape = header.maps[layer].shape
  const all = mapsOf({ header: { ...header, layer, shape }, maps: [], overview: maps, logits: [], rollout: null, baseline: null }, layer)
  return heads.map(head => {
    const weights = weightsOf(all[head], lens)
    return { weights, painted: painted(weights, lens) }
  })
}

/**
 * @param {Float32Array[]} map what the colours stand for; NaN where masked
 * @param {[number, number]} limits
 * @returns {Uint8Array}
 */
function quantised(map, [low, high]) {
  const cells = new Uint8Array(map.length * (map[0]?.length ?? 0))
  let place = 0
  for (const row of map)
    for (const value of row)
      cells[place++] = Number.isNaN(value) ? MASKED : Math.max(0, Math.min(UNIT, Math.round(((value - low) / (high - low || 1)) * UNIT)))
  return cells
}

/** @param {Uint8Array[]} cells @returns {Promise<string>} compressed, in letters that HTML can hold */
async function packed(cells) {
  const stream = new Blob(/** @type {BlobPart[]} */ (cells)).stream().pipeThrough(new CompressionStream("gzip"))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  let letters = ""
  for (let start = 0; start < bytes.length; start += 0x8000) letters += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  return btoa(letters)
}

/**
 * @param {PastFrame[]} frames
 * @param {Part[]} parts
 * @param {PastFrame[]} all
 * @param {View} view
 */
function saidOf(frames, parts, all, { root, data, look, focus, text }) {
  const { labels, lens } = data
  const { take } = labels
  const { layout } = figureFrom(root, data.figures, "zoom")
  const shades = shadesOf(layout.coloraxis.colorscale)
  const hex = (/** @type {number} */ place) =>
    `#${[0, 1, 2].map(band => shades[3 * place + band].toString(16).padStart(2, "0")).join("")}`
  const heads = frames[0].header.maps.reduce((/** @type {number} */ sum, /** @type {any} */ { shape }) => sum + shape[0], 0)
  const taken = parts.reduce((sum, part) => sum + part.heads.length, 0)
  const about = [
    fill(labels.stamp_without_loss, { step: `${frames[0].step}–${frames.at(-1)?.step}`, seed: look.header.seed }),
    data.causal_mask === null ? "" : look.header.causal ? labels.with_mask : labels.without_mask,
    fill(take.scale, { scale: take.scales[lens.scale] ?? lens.scale }),
    lens.hide_first ? take.without_first : "",
    frames.length < all.length ? fill(take.some_frames, { kept: frames.length, all: all.length }) : "",
    taken < heads ? fill(take.some_heads, { kept: taken, all: heads }) : "",
  ]
  return {
    shades: Array.from({ length: shades.length / 3 }, (_, place) => hex(place)),
    colours: {
      page: themeValue(root, "background-color"),
      text: themeValue(root, "text-color"),
      accent: themeValue(root, "primary-color"),
      masked: layout.plot_bgcolor,
    },
    chosen: { layer: look.header.layer, head: focus.head },
    words: { ...take.player, masked: labels.masked, layer: labels.layer, head: labels.head, zoom: labels.zoom },
    title: fill(take.title, { model: take.model, text: visible(text) }),
    about: about.filter(Boolean).join(" · "),
    language: data.language,
  }
}
