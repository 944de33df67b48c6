// What one takes away of the maps and the bars: a picture of each as it is seen, the weights behind it, and the run's past
// as an animation.

import { address } from "../shared/address.js"
import { download, table } from "../shared/files.js"
import { menu } from "../shared/menu.js"
import { imageOf, pictureOf } from "../shared/picture.js"
import { visible } from "../shared/tokens.js"
import { fill, lossWords } from "../shared/words.js"
import { headCount, takenWords } from "./ablation.js"
import { animation, collected } from "./animation.js"
import { probabilities } from "./chances.js"

const LONGEST = 120 // characters of a sentence that a picture repeats

/** @typedef {import("./view.js").View} View */
/** @typedef {import("../shared/menu.js").Item} Item */
/**
 * @typedef {object} Source
 * @property {() => View | null} view what is on screen
 * @property {() => { url: string, bodies: object[], topic: string } | null} question what was asked of the run
 * @property {() => import("./time.js").Time | null} time
 */

/**
 * A menu behind the button of every figure.
 * @param {HTMLElement} root
 * @param {Source} source
 */
export function takeAway(root, source) {
  for (const button of /** @type {Iterable<HTMLElement>} */ (root.querySelectorAll(".save-image"))) {
    const figure = /** @type {string} */ (button.dataset.plot)
    menu(button, () => {
      const view = source.view()
      return view ? offers(root, figure, view, source) : []
    })
  }
}

/**
 * @param {HTMLElement} root
 * @param {string} figure the class of its place
 * @param {View} view
 * @param {Source} source
 * @returns {Item[]}
 */
function offers(root, figure, view, source) {
  const { take } = view.data.labels
  const named = `${figure}${fileName(view)}`
  /** @param {string} name @param {() => Promise<void> | void} run @returns {Item} */
  const offer = (name, run) => ({ name, label: take[name], run: told(run, take) })
  const pictures = /** @type {("png" | "svg")[]} */ (["png", "svg"]).map(format =>
    offer(format, async () => {
      const place = /** @type {HTMLElement} */ (root.querySelector(figure === "attention-grid" ? ".heads-block" : `.${figure}`))
      download(await imageOf(await pictureOf(place, stamp(root, figure, view)), format), `${named}.${format}`)
    }),
  )
  if (!figure.endsWith("grid") && !figure.endsWith("zoom") && !figure.endsWith("map"))
    return [...pictures, offer("csv", () => download(candidates(figure === "predictions" ? view : otherOf(view)), `${named}.csv`))]
  const data = ["csv", "npz"].map(format => offer(format, () => takeData(format, figure, view, source)))
  const weights = figure === "other-map" ? data : [...data, film(view, source)]
  // What is covered is not to be read in a file; a picture shows the cover.
  return [...pictures, ...(view.look.covered ? weights.map(one => ({ ...one, note: take.covered, disabled: true })) : weights)]
}

/** @param {() => Promise<void> | void} run @param {Record<string, string>} take */
const told = (run, take) => async () => {
  try {
    await run()
  } catch (problem) {
    console.warn("nothing could be taken away:", problem)
    throw new Error(take.failed)
  }
}

/** @param {View} view @returns {View} */
const otherOf = view => ({ ...view, look: view.other ?? view.look })

/** @param {View} view */
const fileName = ({ look: { header }, data }) => `-step-${header.step}-layer-${header.layer}-head-${data.head}`

/**
 * What a picture says of itself, in sentences.
 * @param {HTMLElement} root
 * @param {string} figure
 * @param {View} view
 * @returns {string[]}
 */
export function stamp(root, figure, view) {
  const { header } = (figure.startsWith("other") ? otherOf(view) : view).look
  const { labels, lens, head } = view.data
  const { take } = labels
  const characters = [...visible(view.text)]
  const text = characters.length > LONGEST ? `${characters.slice(0, LONGEST).join("")}…` : characters.join("")
  const isMap = /grid|zoom|map/.test(figure)
  const facts = [
    figure === "attention-grid" ? fill(take.all_heads, { layer: header.layer, head }) : captionOf(root, figure),
    header.loss === null || header.loss === undefined
      ? fill(labels.stamp_without_loss, header)
      : fill(labels.stamp, { ...header, loss: lossWords(header.loss) }),
    ...(isMap ? [fill(take.scale, { scale: take.scales[lens.scale] ?? lens.scale })] : []),
    ...(isMap && lens.hide_first ? [take.without_first] : []),
    ...(header.ablation ? [takenWords(header.ablation, headCount(header), labels.ablation)] : []),
    ...(header.ablation && !isMap ? [labels.ablation.outline] : []),
  ]
  return [fill(take.title, { model: take.model, text }), facts.filter(Boolean).join(" · ")]
}

/** @param {HTMLElement} root @param {string} figure */
function captionOf(root, figure) {
  const block = root.querySelector(`.${figure}`)?.parentElement
  return block?.querySelector(".look-caption")?.textContent ?? ""
}

/** All candidates of the prediction that is drawn, as a table. @param {View} view @returns {Blob} */
function candidates({ look, place, data }) {
  const { predictions } = look.header
  const number = Math.max(0, predictions.findIndex((/** @type {any} */ one) => one.position === place && place !== null))
  const prediction = predictions[number]
  if (!prediction) return table([])
  const logits = look.logits[number]
  const next = prediction.kind === "next"
  const chances = next ? probabilities(logits, data.temperature, data.top_k, data.top_p) : probabilities(logits, 1, 0)
  const rows = prediction.labels.map((/** @type {string} */ label, /** @type {number} */ one) => [label, logits[one], chances[one]])
  const whole = look.baseline?.[number]
  if (!whole) return table([["candidate", "logit", "probability"], ...rows])
  return table([
    ["candidate", "logit", "probability", "logit of the whole model"],
    ...rows.map((/** @type {any[]} */ row, /** @type {number} */ one) => [...row, whole[one]]),
  ])
}

/**
 * The weights of every layer and head, exactly, in a file that the server writes.
 * @param {string} format
 * @param {string} figure
 * @param {View} view
 * @param {Source} source
 */
async function takeData(format, figure, { look }, { question, time }) {
  const asked = question()
  if (!asked) throw new Error("there is no run")
  const body = { ...asked.bodies[figure === "other-map" ? 1 : 0], position: null }
  if (time()?.step !== null) Object.assign(body, { step: look.header.step })
  const url = address(`api/maps/${encodeURIComponent(asked.topic)}?format=${format}`)
  const headers = { "Content-Type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), cache: "no-store" })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const named = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")
  download(await response.blob(), named?.[1] ?? `attention.${format}`)
}

/**
 * The animation, where the run has a past to be played.
 * @param {View} view
 * @param {Source} source
 * @returns {Item}
 */
function film(view, { view: now, time }) {
  const { take } = view.data.labels
  const past = time()?.past
  const disabled = !past || past.progress().all < 2
  return {
    name: "film",
    label: take.film,
    note: disabled ? take.no_past : "",
    disabled,
    async run(tell) {
      await told(async () => {
        const own = time()
        if (!own) throw new Error("there is no run")
        const frames = await collected(own, view, done => tell(fill(take.collecting, done)))
        const page = await animation(frames, now() ?? view)
        download(new Blob([page], { type: "text/html;charset=utf-8" }), `attention${fileName(view).replace(/-step-\d+/, "")}.html`)
      }, take)()
    },
  }
}
