// Which line is which run, how far it is, and its newest value. A click hides its line.

import { lastStep } from "../shared/stream.js"
import { pageTheme } from "../shared/theme.js"
import { fill } from "../shared/words.js"
import { newest, valueWords } from "./chart.js"

/** @typedef {import("../shared/stream.js").Course} Course */
/** @typedef {import("./overlay.js").Run} Run */

const DASHES = /** @type {Record<string, string>} */ ({
  solid: "",
  dash: "6 4",
  dot: "2 3",
  dashdot: "6 3 2 3",
  longdash: "11 4",
  longdashdot: "11 3 2 3",
})

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} place
 * @param {Record<string, any>} data
 * @param {Map<string, Course>} courses
 * @param {Set<string>} hidden
 * @param {(run: string) => void} toggle
 */
export function showLegend(root, place, { runs, metric, labels, styles }, courses, hidden, toggle) {
  const drawn = styles[pageTheme(root)]
  while (place.children.length > runs.length) place.lastElementChild?.remove()
  runs.forEach((/** @type {Run} */ run, /** @type {number} */ index) => {
    const entry = /** @type {HTMLButtonElement} */ (place.children[index] ?? place.appendChild(made()))
    const course = courses.get(run.id)
    const now = newest(course, metric)
    const status = course?.status || run.status
    const step = course ? fill(labels.step_of, { step: course.step, steps: Math.round(lastStep(course)) }) : ""
    entry.onclick = () => toggle(run.id)
    entry.title = `${run.name} · ${run.experiment} · ${labels.hide}`
    entry.setAttribute("aria-pressed", String(!hidden.has(run.id)))
    Object.assign(entry.dataset, { run: run.id, status })
    const line = /** @type {SVGLineElement} */ (entry.querySelector("line"))
    line.setAttribute("stroke", drawn[index].color)
    line.setAttribute("stroke-dasharray", DASHES[drawn[index].dash] ?? drawn[index].dash.replaceAll("px", ""))
    put(entry, "name", run.name)
    put(entry, "value", now ? valueWords(now.value, metric) : "–")
    put(entry, "state", [labels.status[status] ?? "", step].filter(Boolean).join(" · "))
  })
}

/** @param {HTMLElement} entry @param {string} name @param {string} words */
function put(entry, name, words) {
  const place = /** @type {HTMLElement} */ (entry.querySelector(`.overlay-${name}`))
  if (place.textContent !== words) place.textContent = words
}

function made() {
  const entry = document.createElement("button")
  entry.type = "button"
  entry.className = "overlay-run"
  entry.innerHTML =
    '<svg width="34" height="8" aria-hidden="true"><line x1="0" y1="4" x2="34" y2="4" stroke-width="2.5"/></svg>' +
    '<span class="overlay-name"></span><span class="overlay-value"></span><span class="overlay-state"></span>'
  return entry
}
