// The lines around the maps: which state of the run is shown, what was done to the text, and what went wrong.

import { fill, lossWords } from "../shared/words.js"
import { visible } from "../shared/tokens.js"
import { takenOf } from "./ablation.js"
import { checkWords } from "./facts.js"

/** @typedef {Record<string, any>} Words */

/**
 * Name the box, in the language on screen.
 * @param {HTMLElement} root
 * @param {HTMLInputElement} input
 * @param {Words} data
 */
export function say(root, input, { labels, language }) {
  put(root, ".look-label", labels.sentence)
  input.setAttribute("aria-label", labels.sentence)
  input.title = labels.help
  root.lang = language
  for (const button of root.querySelectorAll(".save-image")) nameButton(/** @type {HTMLElement} */ (button), labels.save)
}

/** @param {HTMLElement} button @param {string} words */
function nameButton(button, words) {
  button.title = words
  button.setAttribute("aria-label", words)
}

/**
 * @param {HTMLElement} root
 * @param {"ok" | "waiting" | "stale" | "gone"} state
 * @param {string} words
 */
export function showState(root, state, words) {
  root.dataset.state = state
  root.querySelector(".look-maps")?.setAttribute("aria-busy", String(state !== "ok"))
  put(root, ".look-news", words)
}

/**
 * Stamp the maps that have just been painted, and tell the page what they show.
 * @param {HTMLElement} root
 * @param {import("./view.js").View} view
 * @param {boolean} newest whether the maps show the text that stands in the box
 */
export function showFacts(root, { data, look: { header }, text }, newest) {
  const { labels, head } = data
  const { layer, step } = header
  put(root, ".look-stamp", stampWords(header, labels))
  put(root, ".grid-caption", header.streams?.target ? labels.grid_of_streams : fill(labels.grid, { layer }))
  put(root, ".look-checks", checkWords(header, labels))
  if (newest) showState(root, "ok", noticeWords(header.notices, labels, data.generates ? "end" : "start"))
  Object.assign(root.dataset, { step, layer, head, paintedText: text })
}

/**
 * Tell whoever tests the page what a part of it shows.
 * @param {HTMLElement} root
 * @param {string} part the class of the part
 * @param {import("./view.js").View} view
 */
export function markPart(root, part, { look: { header } }) {
  const { layer, step, seed, causal } = header
  const paintedWithout = takenOf(header)
  const place = /** @type {HTMLElement} */ (root.querySelector(`.${part}`))
  Object.assign(place.dataset, { paintedStep: step, paintedLayer: layer, paintedSeed: seed, paintedCausal: causal, paintedWithout })
}

/**
 * Set a text, unless it stands there already: a status line that is set anew is read out anew.
 * @param {HTMLElement} root
 * @param {string} selector
 * @param {string} words
 */
function put(root, selector, words) {
  const place = /** @type {HTMLElement} */ (root.querySelector(selector))
  if (place.textContent !== words) place.textContent = words
}

/** @param {Words} header @param {Words} labels */
const stampWords = ({ step, loss, seed }, labels) =>
  loss === null || loss === undefined
    ? fill(labels.stamp_without_loss, { step, seed })
    : fill(labels.stamp, { step, loss: lossWords(loss), seed })

/** @param {Words[]} notices @param {Words} labels @param {string} side which end of a long text was sent */
const noticeWords = (notices, labels, side) =>
  notices
    .map(notice => sentenceOf(notice.code === "text_cut" ? { ...notice, side } : notice, labels))
    .filter(Boolean)
    .join(" ")

/** @param {Words} notice @param {Words} labels */
function sentenceOf(notice, { notices: words }) {
  const sentence = words[`${notice.code}_${notice.side}`] ?? words[notice.code]
  if (!sentence) return ""
  const readable = Object.entries(notice).map(([name, value]) => [name, typeof value === "string" ? visible(value) : value])
  return fill(sentence, Object.fromEntries(readable))
}
