// The lines around the maps: which state of the model is shown, what was done to the text, what has been changed, which
// laws hold, and what went wrong.

import { errorWords, fill, lossWords } from "../shared/words.js"
import { visible } from "../shared/tokens.js"
import { kindOf } from "./frame.js"
import { workedCell } from "./numbers.js"

/** @typedef {import("./board.js").View} View */

/**
 * @param {HTMLElement} root
 * @param {"ok" | "waiting" | "stale" | "gone"} state
 * @param {string} words
 */
export function showState(root, state, words) {
  root.dataset.state = state
  root.querySelector(".lab-maps")?.setAttribute("aria-busy", String(state !== "ok"))
  put(root, ".lab-news", words)
}

/**
 * @param {HTMLElement} root
 * @param {View} view
 */
export function showFacts(root, { answer, cell, data }) {
  const { header } = answer
  const { labels, trained } = data
  put(root, ".lab-stamp", stamp(header, labels))
  put(root, ".lab-kind", labels.kinds[kindOf(header)] ?? "")
  put(root, ".lab-answer", answerWords(header, labels))
  put(root, ".lab-changed", changedWords(header, trained, labels.changed))
  put(root, ".lab-laws", laws(answer, cell, labels.laws))
  const { layer, head, causal, scaled, positions, step } = header
  const [query, key] = cell
  Object.assign(root.dataset, { layer, head, causal, scaled, positions, step, query, key, kind: kindOf(header) })
}

/** @param {Record<string, any>} header @param {Record<string, any>} labels @param {string} side */
export const noticeWords = ({ notices }, { notices: words }, side) =>
  notices
    .map((/** @type {Record<string, any>} */ notice) => {
      const ending = notice.code === "text_cut" ? side : notice.side
      const sentence = words[`${notice.code}_${ending}`] ?? words[notice.code]
      const readable = Object.entries(notice).map(([name, value]) => [name, typeof value === "string" ? visible(value) : value])
      return sentence ? fill(sentence, Object.fromEntries(readable)) : ""
    })
    .filter(Boolean)
    .join(" ")

/** @param {Record<string, any>} header @param {Record<string, string>} labels */
function stamp({ step, loss, seed }, labels) {
  if (loss === null) return step === 0 ? "" : fill(labels.stamp_without_loss, { step, seed }) // trained elsewhere
  return fill(labels.stamp, { step, loss: lossWords(loss), seed })
}

/** What an encoder–decoder writes. @param {Record<string, any>} header @param {Record<string, any>} labels */
function answerWords({ answer }, { answered }) {
  if (!answer) return ""
  const said = (/** @type {string[]} */ tokens) => tokens.filter(one => !one.startsWith("[")).map(visible).join("")
  const [written, right] = [said(answer.written), said(answer.right)]
  const wrong = answer.written.join() !== answer.right.join()
  return fill(wrong ? answered.missed : answered.hit, { answer: written, right })
}

/** @param {Record<string, any>} header @param {Record<string, boolean>} trained @param {Record<string, string>} words */
function changedWords(header, trained, words) {
  // An encoder never has the mask, so there is nothing that its absence changes.
  const masked = header.queries === "source" ? trained.causal_mask : header.causal_mask
  const now = { causal_mask: masked, scaled: header.scaled, positions: header.positions }
  const what = Object.entries(now)
    .filter(([name, value]) => value !== trained[name])
    .map(([name, value]) => words[`${name}_${value ? "on" : "off"}`])
  return what.length ? fill(words.what, { what: what.join(" · ") }) : ""
}

/** @param {import("./frame.js").Answer} answer @param {[number, number]} cell @param {Record<string, string>} words */
function laws(answer, [query, key], words) {
  const { laws: measured, causal } = answer.header
  const { sum, score } = workedCell(answer, query, key)
  const found = [[words.row_sums, measured.row_sum_error, 1e-5]]
  if (causal) found.push([words.future, measured.future_weight, 0])
  found.push([words.weights, measured.weight_error, 1e-5], [words.output, measured.output_error, 1e-5])
  found.push([words.sum, Math.abs(sum - score), 1e-5 * Math.max(1, Math.abs(score))])
  return found
    .filter(([, error]) => error !== null)
    .map(([law, error, limit]) => `${error <= limit ? "✓" : "✗"} ${fill(law, { error: errorWords(error) })}`)
    .join(" · ")
}

/** @param {HTMLElement} root @param {string} selector @param {string} words */
export function put(root, selector, words) {
  const place = /** @type {HTMLElement} */ (root.querySelector(selector))
  if (place.textContent !== words) place.textContent = words
}
