// What one does with the maps: choose a head by a click or by the arrow keys, hold a cell of the large map,
// save a picture.

import { saveImage } from "../shared/plotly.js"
import { headAfter, headAt } from "./grid.js"

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {() => { head: number, heads: number }} options.shown the head that is large, and how many there are
 * @param {(head: number) => void} options.choose
 * @param {() => void} options.compare both masks side by side, or one again
 */
export function hands(root, { shown, choose, compare }) {
  const grid = /** @type {HTMLElement} */ (root.querySelector(".attention-grid"))
  const plot = /** @type {HTMLElement} */ (grid.querySelector(".look-plot"))

  grid.addEventListener("click", event => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".head-choice"))
    const head = button ? Number(button.dataset.head) : headAt(plot, event)
    if (head !== null && head !== shown().head) choose(head)
  })
  grid.addEventListener("keydown", event => {
    const { head, heads } = shown()
    const next = headAfter(event.key, head, heads)
    if (next === head || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    choose(next)
    const button = grid.querySelector(`.head-choice[data-head="${next}"]`)
    if (button instanceof HTMLElement) button.focus()
  })
  root.querySelector(".both-masks")?.addEventListener("click", compare)
  for (const button of root.querySelectorAll(".save-image")) {
    const name = /** @type {string} */ (/** @type {HTMLElement} */ (button).dataset.plot)
    button.addEventListener("click", () => {
      const { step, layer, head } = root.dataset
      saveImage(root.querySelector(`.${name} .look-plot`), `${name}-step-${step}-layer-${layer}-head-${head}`)
    })
  }
}

/**
 * Report clicks on the cells of a large map. Plotly takes no listeners before its first painting.
 * @param {HTMLElement} root
 * @param {string} map the class of the map
 * @param {(cell: { query: number, key: number }) => void} hold
 */
export function listenToCells(root, map, hold) {
  const plot = /** @type {any} */ (root.querySelector(`${map} .look-plot`))
  if (plot.dataset.listening) return
  plot.dataset.listening = "true"
  plot.on("plotly_click", (/** @type {any} */ event) => {
    const [query, key] = event.points[0].pointNumber
    hold({ query, key })
  })
}
