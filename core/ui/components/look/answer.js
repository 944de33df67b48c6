// The answer that an encoder–decoder has written: a token after another, the wrong ones marked.

import { visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { likeliest, probabilities } from "./chances.js"

const PACE = 140 // milliseconds from one token to the next

/** @typedef {import("../shared/frame.js").Prediction} Prediction */

/** The token that is written: the likeliest. @param {Prediction} prediction @param {Float32Array} logits */
export const writtenBy = ({ labels }, logits) => labels[likeliest(logits, 1)[0]]

/**
 * The answer stands right behind the tokens that it answers, in sight however small the window.
 * @param {HTMLElement} root
 * @param {HTMLElement} group
 */
export function besideTokens(root, group) {
  const chips = root.querySelector(".token-chips")
  if (!chips || chips.nextElementSibling === group) return
  chips.after(group)
  const grid = /** @type {HTMLElement | null} */ (root.querySelector(".attention-grid"))
  requestAnimationFrame(() => grid?.parentElement && (grid.parentElement.scrollTop = grid.offsetTop)) // the chosen row is in sight
}

/**
 * One token of the answer as a button. It comes into sight after those before it, once for every new token.
 * @param {HTMLElement} button
 * @param {Prediction} prediction
 * @param {Float32Array} logits
 * @param {Record<string, any>} labels
 */
export function markWritten(button, prediction, logits, labels) {
  const token = writtenBy(prediction, logits)
  const wrong = token !== prediction.correct
  const place = prediction.position ?? 0
  const share = shareWords(probabilities(logits, 1, 0)[prediction.labels.indexOf(token)])
  const facts = { token: visible(token), share, place: place + 1, correct: visible(prediction.correct ?? "") }
  button.textContent = visible(token)
  button.dataset.wrong = String(wrong)
  button.title = fill(wrong ? labels.answered.wrong : labels.answered.right, facts)
  button.setAttribute("aria-label", button.title)
  if (button.dataset.token === token) return
  button.dataset.token = token
  button.style.animation = "none"
  void button.offsetWidth // so that the animation begins anew
  button.style.animation = ""
  button.style.animationDelay = `${place * PACE}ms`
}

/**
 * The whole answer, and the right one where it is another.
 * @param {Prediction[]} predictions
 * @param {Float32Array[]} logits
 * @param {Record<string, any>} labels
 */
export function answerWords(predictions, logits, labels) {
  const written = predictions.map((one, place) => writtenBy(one, logits[place]))
  const right = predictions.map(one => one.correct ?? "")
  const said = (/** @type {string[]} */ tokens) => tokens.filter(one => !one.startsWith("[")).map(visible).join("")
  const wrong = written.some((token, place) => token !== right[place])
  return fill(wrong ? labels.answered.missed : labels.answered.hit, { answer: said(written), right: said(right) })
}
