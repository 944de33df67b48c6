// How far a run is, how fast it goes, and why it does not.

import { durationWords, fill, lossWords } from "../shared/words.js"

/** @typedef {import("../shared/stream.js").Course} Course */

/**
 * @param {HTMLElement} root
 * @param {Course} course
 * @param {Record<string, any>} data
 */
export function showProgress(root, course, { labels, metric }) {
  const { step, steps, status, reason } = course
  const put = (/** @type {string} */ name, /** @type {string} */ words) => {
    const place = /** @type {HTMLElement} */ (root.querySelector(`.curve-${name}`))
    if (place.textContent !== words) place.textContent = words
  }
  put("status", labels.status[status] ?? "")
  put("steps", status === "" || status === "gone" ? "" : fill(labels.steps, { step, steps }))
  put("pace", paceWords(course, labels))
  put("values", valueWords(course, metric, labels))
  put("reason", labels.reasons[status === "gone" ? "gone" : (reason ?? "")] ?? "")
  bar(root, step, steps, labels.progress)
  Object.assign(root.dataset, { step, status })
}

/** @param {HTMLElement} root @param {number} step @param {number} steps @param {string} name */
function bar(root, step, steps, name) {
  const progress = /** @type {HTMLElement} */ (root.querySelector(".curve-progress"))
  const filled = /** @type {HTMLElement} */ (progress.firstElementChild)
  progress.setAttribute("aria-label", name)
  progress.setAttribute("aria-valuemax", String(Math.max(1, steps)))
  progress.setAttribute("aria-valuenow", String(Math.min(step, Math.max(1, steps))))
  filled.style.width = steps > 0 ? `${Math.min(100, (100 * step) / steps)}%` : "0"
}

/** @param {Course} course @param {Record<string, any>} labels */
function paceWords({ status, steps_per_second: pace, seconds_left: left }, labels) {
  const words = []
  if (pace && status !== "gone") words.push(fill(labels.pace, { pace: pace < 10 ? pace.toFixed(1) : Math.round(pace) }))
  if (status === "running" && left !== null && left !== undefined)
    words.push(fill(labels.left, { time: durationWords(left, labels) }))
  return words.join(" · ")
}

/** @param {Course} course @param {string} metric @param {Record<string, any>} labels */
function valueWords({ loss, evaluations }, metric, labels) {
  const values = []
  if (loss.length > 0) values.push([labels.training, lossWords(loss[loss.length - 1])])
  const newest = (/** @type {string} */ name) => evaluations.findLast(one => Number.isFinite(one[name]))?.[name]
  const held = newest("held_out_loss")
  if (held !== undefined) values.push([labels.held_out, lossWords(held)])
  const own = newest(metric)
  if (own !== undefined) values.push([labels.metric, metric.endsWith("loss") ? lossWords(own) : own.toFixed(3)])
  return values.map(([name, value]) => `${name} ${value}`).join(" · ")
}
