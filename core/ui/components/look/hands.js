// What one does with the maps: choose a head by a click or by the arrow keys, hold a cell of the large map.

import { headAt, mapAfter } from "./grid.js"

/** @typedef {{ layer: number, head: number }} Place */
/** @typedef {{ query: number, key: number }} Cell */

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {() => Place & { layers: number, heads: number }} options.shown the map that is large, and how many there are
 * @param {(place: Place) => void} options.choose
 * @param {(place: Place | null) => void} options.preview show a map large while it is pointed at
 * @param {() => void} options.compare both masks side by side, or one again
 */
export function hands(root, { shown, choose, preview, compare }) {
  const block = /** @type {HTMLElement} */ (root.querySelector(".heads-block"))
  const plot = /** @type {HTMLElement} */ (block.querySelector(".attention-grid .look-plot"))

  /** @param {MouseEvent} event @returns {Place | null} */
  function placeOf(event) {
    const target = /** @type {Element} */ (event.target)
    const button = /** @type {HTMLElement | null} */ (target.closest("[role=radio]"))
    if (button) return { layer: Number(button.dataset.layer), head: Number(button.dataset.head) }
    if (!target.closest(".attention-grid")) return null
    const head = headAt(plot, event)
    return head === null ? null : { layer: shown().layer, head }
  }

  block.addEventListener("click", event => {
    const place = placeOf(event)
    if (place && !same(place, shown())) choose(place)
  })
  block.addEventListener("mousemove", event => preview(placeOf(event)))
  block.addEventListener("mouseleave", () => preview(null))
  block.addEventListener("keydown", event => {
    const now = shown()
    const next = mapAfter(event.key, now, now.layers, now.heads)
    if (same(next, now) || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    choose(next)
  })
  root.querySelector(".both-masks")?.addEventListener("click", compare)
}

/**
 * Report clicks on the cells of a large map, and the cell that is pointed at. Plotly takes no listeners before its first
 * painting.
 * @param {HTMLElement} root
 * @param {string} map the class of the map
 * @param {{ hold: (cell: Cell) => void, point: (cell: Cell | null) => void }} on
 */
export function listenToCells(root, map, on) {
  const plot = /** @type {any} */ (root.querySelector(`${map} .look-plot`))
  if (plot.dataset.listening) return
  plot.dataset.listening = "true"
  const cellOf = (/** @type {any} */ { points: [{ pointNumber }] }) => ({ query: pointNumber[0], key: pointNumber[1] })
  plot.on("plotly_click", (/** @type {any} */ event) => on.hold(cellOf(event)))
  plot.on("plotly_hover", (/** @type {any} */ event) => on.point(cellOf(event)))
  plot.on("plotly_unhover", () => on.point(null))
}

/** @param {Place} one @param {Place} other */
const same = (one, other) => one.layer === other.layer && one.head === other.head
