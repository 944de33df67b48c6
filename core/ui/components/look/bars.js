// What the model predicts, as bars beside the large map.

import { describe, draw, figureFrom, isPresented } from "../shared/plotly.js"
import { shown, visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { answerWords, besideTokens, markWritten } from "./answer.js"
import { likeliest, probabilities } from "./chances.js"
import { barsHeight } from "./geometry.js"
import { paintShares } from "./shares.js"

const MOST = 10
const FEWER = 5 // candidates a mask, when both masks stand side by side
const ROOMY = 240 // pixels; narrower bars have fewer marks on their axis
const CONTEXT = 6 // characters of the text that the caption repeats

/** @typedef {import("../shared/frame.js").Prediction} Prediction */

/**
 * @param {any} Plotly
 * @param {import("./view.js").View} view
 */
export function paintBars(Plotly, { root, data, look, other, place, choose }) {
  const { predictions } = look.header
  const box = part(root, ".predictions")
  const number = shownOf(predictions, place)
  offerChoice(root, look, number, data.labels, choose)
  Object.assign(box.dataset, {
    temperature: String(data.temperature),
    topK: String(data.top_k),
    topP: String(data.top_p),
    position: String(predictions[number]?.position ?? ""),
  })
  const words = captionWords(look, number, data.labels)
  put(part(root, ".answer-caption"), other ? maskWords(look, data.labels) : words)
  paintInto(Plotly, root, box, look, number, data, other ? FEWER : MOST)
  paintShares(part(root, ".look-shares"), look.header, data)
}

/**
 * The bars of the other mask, beside the first.
 * @param {any} Plotly
 * @param {import("./view.js").View} view
 */
export function paintOtherBars(Plotly, { root, data, other }) {
  if (!other) return
  put(part(root, ".other-answer .look-caption"), maskWords(other, data.labels))
  paintInto(Plotly, root, part(root, ".other-predictions"), other, 0, data, FEWER)
}

/** @param {import("../shared/frame.js").Look} look @param {Record<string, any>} labels */
const maskWords = ({ header }, labels) =>
  fill(labels.next_with, { mask: header.causal ? labels.with_mask : labels.without_mask })

/**
 * @param {any} Plotly
 * @param {HTMLElement} root
 * @param {HTMLElement} box
 * @param {import("../shared/frame.js").Look} look
 * @param {number} number
 * @param {Record<string, any>} data
 * @param {number} most
 */
function paintInto(Plotly, root, box, look, number, data, most) {
  const plot = /** @type {HTMLElement} */ (box.querySelector(".look-plot"))
  const prediction = look.header.predictions[number]
  plot.hidden = !prediction
  if (!prediction) return
  const chances = chancesOf(prediction, look.logits[number], data)
  const whole = look.baseline ? chancesOf(prediction, look.baseline[number], data) : null
  const figure = figureFrom(root, data.figures, "bars")
  const height = barsHeight(root, prediction.kind, most < MOST)
  const names = fillBars(figure, prediction, chances, whole, data.labels, Math.min(most, roomFor(height, isPresented(root) ? 48 : 17)))
  Object.assign(figure.layout, { width: box.clientWidth, height })
  if (box.clientWidth < ROOMY) figure.layout.xaxis.tickvals = [0, 0.5, 1]
  if (most < MOST || prediction.kind === "class") Object.assign(figure.layout.xaxis.title, { text: "" })
  if (most < MOST) figure.layout.margin.b = 24
  if (prediction.kind === "class") Object.assign(figure.layout, { margin: { ...figure.layout.margin, t: 2, b: 4 } })
  if (prediction.kind === "class") figure.layout.xaxis.showticklabels = false
  draw(Plotly, plot, figure, data.labels.plotly)
  describe(plot, fill(whole ? data.labels.ablation.bars_fact : data.labels.bars_fact, names))
}

/** How many bars can be read on so many pixels. @param {number} height @param {number} [row] pixels of a bar */
const roomFor = (height, row = 17) => Math.max(4, Math.floor((height - 46) / row))

/**
 * The prediction of a position; the first one there is, when that position has none.
 * @param {Prediction[]} predictions
 * @param {number | null} place
 */
const shownOf = (predictions, place) =>
  Math.max(
    0,
    predictions.findIndex(one => one.position === place && place !== null),
  )

/** @param {Prediction} prediction @param {Float32Array} logits @param {Record<string, any>} data */
const chancesOf = ({ kind }, logits, { temperature, top_k, top_p }) =>
  kind === "next" ? probabilities(logits, temperature, top_k, top_p) : probabilities(logits, 1, 0)

/**
 * @param {import("../shared/plotly.js").Figure} figure
 * @param {Prediction} prediction
 * @param {Float32Array} chances
 * @param {Float32Array | null} whole what the chances would be if nothing were taken away: drawn as outlines
 * @param {Record<string, any>} labels
 * @param {number} most
 */
function fillBars({ data, layout }, { kind, labels: names, correct }, chances, whole, labels, most) {
  const [trace] = data
  // What fell has to stay in sight, so the better of a candidate's two chances counts.
  const best = likeliest(whole ? chances.map((chance, place) => Math.max(chance, whole[place])) : chances, most)
  const named = best.map(place => nameOf(names[place], kind, labels))
  trace.x = best.map(place => chances[place])
  trace.y = [...best.keys()]
  layout.yaxis.tickvals = trace.y
  layout.yaxis.ticktext = named.map((name, row) => (names[best[row]] === correct ? `✓ ${shown(name)}` : shown(name)))
  layout.yaxis.range = [Math.max(best.length, kind === "class" ? 2 : 4) - 0.5, -0.5]
  if (whole) {
    data.push({ ...trace, ...outline(trace, layout, labels), x: best.map(place => whole[place]) })
    layout.barmode = "overlay"
  }
  const [first] = likeliest(chances, 1)
  const [before] = likeliest(whole ?? chances, 1)
  const said = (/** @type {number} */ place) => visible(nameOf(names[place], kind, labels))
  const unablated = shareWords((whole ?? chances)[before])
  return { first: said(first), probability: shareWords(chances[first]), whole: said(before), unablated }
}

/** @param {string} name @param {string} kind @param {Record<string, any>} labels */
const nameOf = (name, kind, labels) => (kind === "class" ? (labels.classes[name] ?? name) : name)

/** Bars as mere outlines. @param {Record<string, any>} trace @param {Record<string, any>} layout @param {Record<string, any>} labels */
const outline = (trace, layout, labels) => ({
  marker: { color: "rgba(0,0,0,0)", line: { color: layout.font.color, width: 1.5 } },
  texttemplate: "",
  hovertemplate: trace.hovertemplate.replace("<br>", `<br>${labels.ablation.whole}: `),
})

/** @param {import("../shared/frame.js").Look} look @param {number} number @param {Record<string, any>} labels */
function captionWords({ header: { predictions, tokens }, logits }, number, labels) {
  if (predictions.length === 0) return labels.no_blank
  const { kind, position, trained } = predictions[number]
  if (kind === "written") return answerWords(predictions, logits, labels)
  const context = tokens.slice(-CONTEXT).map(visible).join("")
  const token = visible(tokens[position] ?? "")
  const sentence = kind === "visible" && !trained ? labels.predictions.untrained : labels.predictions[kind]
  return fill(sentence, { position, context, token })
}

/**
 * All blanks with their likeliest candidates, when there are several; a click shows one as bars.
 * @param {HTMLElement} root
 * @param {import("../shared/frame.js").Look} look
 * @param {number} number
 * @param {Record<string, any>} labels
 * @param {(position: number) => void} choose
 */
function offerChoice(root, { header: { predictions, tokens }, logits }, number, labels, choose) {
  const group = part(root, ".answer-choice")
  const wanted = predictions.length > 1 ? predictions.length : 0
  const written = predictions[0]?.kind === "written"
  group.setAttribute("aria-label", written ? labels.answered.group : labels.blanks)
  if (written) besideTokens(root, group)
  while (group.children.length > wanted) group.lastElementChild?.remove()
  while (group.children.length < wanted) {
    const button = document.createElement("button")
    button.type = "button"
    button.addEventListener("click", () => choose(Number(button.dataset.position)))
    group.append(button)
  }
  ;[...group.children].forEach((child, own) => {
    const button = /** @type {HTMLElement} */ (child)
    const { kind, position, trained } = predictions[own]
    button.dataset.position = String(position)
    button.dataset.kind = kind
    const name = fill(kind === "visible" ? labels.visible : labels.blank, { position, token: visible(tokens[position]) })
    const untrained = kind === "visible" && !trained ? ` (${labels.untrained_position})` : ""
    const candidates = topThree(predictions[own], logits[own])
    put(button, `${position}${untrained} → ${candidates}`)
    button.title = `${name}${untrained}: ${candidates}`
    button.setAttribute("aria-label", button.title)
    button.setAttribute("aria-pressed", String(own === number))
    if (kind === "written") markWritten(button, predictions[own], logits[own], labels)
  })
}

/** @param {Prediction} prediction @param {Float32Array} logits */
function topThree({ labels }, logits) {
  const chances = probabilities(logits, 1, 0)
  return likeliest(chances, 3)
    .map(place => `${visible(labels[place])} ${chances[place].toFixed(2)}`)
    .join(" · ")
}

/** @param {HTMLElement} root @param {string} selector */
const part = (root, selector) => /** @type {HTMLElement} */ (root.querySelector(selector))

/** @param {HTMLElement} element @param {string} words */
function put(element, words) {
  if (element.textContent !== words) element.textContent = words
}
