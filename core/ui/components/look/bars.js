// What the model predicts, as bars beside the large map.

import { describe, draw, figureFrom } from "../shared/plotly.js"
import { shown, visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { likeliest, probabilities } from "./chances.js"

const MOST = 10
const CONTEXT = 6 // characters of the text that the caption repeats

/**
 * @param {any} Plotly
 * @param {import("./view.js").View} view
 */
export function paintBars(Plotly, { root, data, look, blank, choose }) {
  const { header, logits } = look
  const box = /** @type {HTMLElement} */ (root.querySelector(".predictions"))
  const plot = /** @type {HTMLElement} */ (box.querySelector(".look-plot"))
  const count = header.predictions.length
  const number = Math.min(blank, count - 1)
  offerChoice(root, header, number, data.labels, choose)
  Object.assign(box.dataset, { temperature: String(data.temperature), topK: String(data.top_k) })
  plot.hidden = count === 0
  caption(root, header, number, data.labels)
  if (count === 0) return
  const prediction = header.predictions[number]
  const chances = chancesOf(prediction, logits[number], data)
  const figure = figureFrom(root, data.figures, "bars")
  const names = fillBars(figure, prediction, chances, data.labels)
  Object.assign(figure.layout, { width: box.clientWidth, height: heightBeside(root) })
  draw(Plotly, plot, figure, data.labels.plotly)
  describe(plot, fill(data.labels.bars_fact, names))
}

/**
 * The bars end where the large map ends, within reason.
 * @param {HTMLElement} root
 */
function heightBeside(root) {
  const [map, choice] = [".attention-zoom", ".answer-choice"].map(name => root.querySelector(name)?.clientHeight ?? 0)
  return Math.max(300, Math.min(map, 420) - choice)
}

/** @param {import("../shared/frame.js").Prediction} prediction @param {Float32Array} logits @param {Record<string, any>} data */
function chancesOf({ kind }, logits, data) {
  return kind === "next" ? probabilities(logits, data.temperature, data.top_k) : probabilities(logits, 1, 0)
}

/**
 * @param {import("../shared/plotly.js").Figure} figure
 * @param {import("../shared/frame.js").Prediction} prediction
 * @param {Float32Array} chances
 * @param {Record<string, any>} labels
 */
function fillBars({ data: [trace], layout }, { kind, labels: names, correct }, chances, labels) {
  const best = likeliest(chances, MOST)
  const named = best.map(place => (kind === "class" ? (labels.classes[names[place]] ?? names[place]) : names[place]))
  trace.x = best.map(place => chances[place])
  trace.y = [...best.keys()]
  layout.yaxis.tickvals = trace.y
  layout.yaxis.ticktext = named.map((name, row) => (names[best[row]] === correct ? `✓ ${shown(name)}` : shown(name)))
  layout.yaxis.range = [Math.max(best.length, 4) - 0.5, -0.5]
  return { first: visible(named[0]), probability: shareWords(trace.x[0]) }
}

/** @param {HTMLElement} root @param {Record<string, any>} header @param {number} number @param {Record<string, any>} labels */
function caption(root, { predictions, tokens }, number, labels) {
  const words = /** @type {HTMLElement} */ (root.querySelector(".answer-caption"))
  if (predictions.length === 0) {
    words.textContent = labels.no_blank
    return
  }
  const { kind, position } = predictions[number]
  const context = tokens.slice(-CONTEXT).map(visible).join("")
  words.textContent = fill(labels.predictions[kind], { position, context })
}

/**
 * Which blank is shown, when there are several.
 * @param {HTMLElement} root
 * @param {Record<string, any>} header
 * @param {number} number
 * @param {Record<string, any>} labels
 * @param {(number: number) => void} choose
 */
function offerChoice(root, { predictions }, number, labels, choose) {
  const group = /** @type {HTMLElement} */ (root.querySelector(".answer-choice"))
  const wanted = predictions.length > 1 ? predictions.length : 0
  while (group.children.length > wanted) group.lastElementChild?.remove()
  while (group.children.length < wanted) {
    const button = document.createElement("button")
    const own = group.children.length
    button.type = "button"
    button.addEventListener("click", () => choose(own))
    group.append(button)
  }
  ;[...group.children].forEach((button, own) => {
    button.textContent = fill(labels.blank, { position: predictions[own].position })
    button.setAttribute("aria-pressed", String(own === number))
  })
}
