// How far a run is, how fast it goes, what it has reached, and why it does not go on.

import { durationWords, fill, lossWords } from "../shared/words.js"
import { majorityWords } from "./references.js"

/** @typedef {import("../shared/stream.js").Course} Course */

/**
 * @param {HTMLElement} root
 * @param {Course} course
 * @param {Record<string, any>} data
 */
export function showProgress(root, course, data) {
  const { labels, language } = data
  const { step, steps, status, parameters } = course
  const put = (/** @type {string} */ name, /** @type {string} */ words) => {
    const place = /** @type {HTMLElement} */ (root.querySelector(`.curve-${name}`))
    if (place.textContent !== words) place.textContent = words
  }
  const shown = isFromFile(course) ? "from_file" : status
  put("status", labels.status[shown] ?? "")
  put("steps", status === "" || status === "gone" ? "" : fill(labels.steps, { step, steps }))
  put("pace", paceWords(course, labels))
  put("reason", reasonWords(course, labels))
  put("parameters", parameters === null ? "" : fill(labels.parameters, { count: parameters.toLocaleString(language) }))
  put("empty", emptyWords(course, labels))
  const values = /** @type {HTMLElement} */ (root.querySelector(".curve-values"))
  values.title = data.run && !data.run.held_out ? fill(labels.nothing_held_out_help, { metric: labels.metric }) : ""
  showValues(values, valuesOf(course, data))
  bar(root, step, steps, labels.progress)
  Object.assign(root.dataset, { step, status, silent: String(course.silent) })
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

/** @param {Course} course @param {Record<string, any>} labels */
function reasonWords({ silent, status, reason, step }, labels) {
  if (status === "gone") return labels.reasons.gone
  if (silent) return labels.reasons.silent
  return fill(labels.reasons[reason ?? ""] ?? "", { next: step + 1 })
}

/** @param {Course} course whether it was trained somewhere else */
const isFromFile = ({ from_file, status }) => from_file && status === "stopped"

/** @param {Course} course @param {Record<string, any>} labels what stands where no curve is */
function emptyWords(course, labels) {
  const { loss, status } = course
  if (loss.length > 0 || status === "running" || status === "gone") return ""
  if (status === "") return labels.no_run
  if (isFromFile(course)) return labels.from_file
  return status === "ready" ? labels.empty : ""
}

/**
 * The numbers now, in lines: the losses, and the measure that is none with what it can be compared with.
 * @param {Course} course
 * @param {Record<string, any>} data
 * @returns {[string, string, string][][]} name, value, and what follows
 */
function valuesOf({ loss, evaluations, baselines }, { labels, metric, run }) {
  const newest = (/** @type {string} */ name) => evaluations.findLast(one => Number.isFinite(one[name]))?.[name]
  const said = (/** @type {number | undefined} */ value, /** @type {(value: number) => string} */ words) =>
    value === undefined ? "–" : words(value)
  /** @type {[string, string, string][]} */
  const losses = [[labels.training, said(loss.at(-1), lossWords), ""]]
  if (run?.held_out) losses.push([labels.held_out, said(newest("held_out_loss"), lossWords), ""])
  if (metric.endsWith("loss")) losses.push([labels.metric, said(newest(metric), lossWords), ""])
  if (run && !run.held_out) losses.push([labels.nothing_held_out, "", ""])
  if (!metric || metric.endsWith("loss")) return [losses]
  const compared = majorityWords(baselines, labels)
  return [losses, [[labels.metric, said(newest(metric), value => value.toFixed(2)), compared && `, ${compared}`]]]
}

/** @param {HTMLElement} place @param {[string, string, string][][]} lines */
function showValues(place, lines) {
  const now = JSON.stringify(lines)
  if (place.dataset.shown === now) return
  place.dataset.shown = now
  place.replaceChildren(
    ...lines.map(line => {
      const whole = document.createElement("span")
      line.forEach(([name, value, rest], index) => {
        const number = document.createElement("strong")
        number.textContent = value
        whole.append(index > 0 ? " · " : "", value ? `${name} ` : name, number, rest)
      })
      return whole
    }),
  )
}
