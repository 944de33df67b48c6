// What one takes away of the chart: a picture as it is seen, with a legend and what run it is of, and the run's history.

import { download, table } from "../shared/files.js"
import { menu } from "../shared/menu.js"
import { pictureItems, pictureOf } from "../shared/picture.js"
import { fill, lossWords } from "../shared/words.js"
import { inImage } from "./legend.js"

/** @typedef {import("../shared/stream.js").Course} Course */

/**
 * A menu behind the chart's button.
 * @param {HTMLElement} button
 * @param {HTMLElement} plot
 * @param {() => { data: Record<string, any>, course: Course }} shown
 */
export function takeAway(button, plot, shown) {
  menu(button, () => {
    const { data, course } = shown()
    const { take } = data.labels
    const name = `loss-${data.experiment}-step-${course.step}`
    const pictures = pictureItems(take, name, () => pictureOf(plot, stamp(data, course), inImage))
    const empty = course.loss.length === 0
    const run = () => download(table(history(course)), `${name}.csv`)
    return [...pictures, { name: "csv", label: take.csv, note: empty ? data.labels.no_steps : "", disabled: empty, run }]
  })
}

/** @param {Record<string, any>} data @param {Course} course */
function stamp({ labels, run }, { step, steps, loss }) {
  const newest = loss.at(-1)
  const facts = [
    fill(labels.steps, { step, steps }),
    newest === undefined || newest === null ? "" : fill(labels.take.loss, { loss: lossWords(newest) }),
    run?.settings.seed === undefined ? "" : fill(labels.take.seed, { seed: run.settings.seed }),
  ]
  return [labels.take.model, facts.filter(Boolean).join(" · ")]
}

/**
 * A run's history as a table: a row a step, what was measured at it, and which settings changed there.
 * @param {Course} course
 * @returns {(string | number | null | undefined)[][]}
 */
export function history({ loss, evaluations, marks }) {
  const measures = [...new Set(evaluations.flatMap(one => Object.keys(one)))].filter(name => name !== "step")
  const measured = new Map(evaluations.map(one => [one.step, one]))
  const changed = (/** @type {number} */ step) =>
    marks.filter(mark => mark.step === step).map(({ setting, value }) => `${setting}=${value}`).join("; ")
  const steps = new Set([...loss.map((_, place) => place + 1), ...measured.keys(), ...marks.map(mark => mark.step)])
  const rows = [...steps]
    .sort((one, other) => one - other)
    .map(step => [step, loss[step - 1], ...measures.map(name => measured.get(step)?.[name]), changed(step)])
  return [["step", "training_loss", ...measures, "changed"], ...rows]
}
