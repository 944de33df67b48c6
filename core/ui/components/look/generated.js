// What the model writes on: greedily, and as many times as wanted by drawing. A new sentence, another mask and a step of
// the training write anew; the sliders do not: what was drawn stays, with what it was drawn with, until one asks.

import { address } from "../shared/address.js"
import { fill } from "../shared/words.js"
import { takenWords } from "./ablation.js"
import { asker } from "./asker.js"
import { appear, make, writtenRow } from "./written.js"

const SENT = 4096 // characters of a prompt that are sent, however long it is
const PATIENCE = 12_000 // milliseconds until a text is given up; the server gives up a little sooner
const REST = 600 // milliseconds after the last change: writing costs the worker as much as many looks
const SHORTEST = 1000 // milliseconds between two texts while the run trains …
const SHARE = 30 // … or so many times as long as the last one took, so that training keeps its pace …
const LONGEST = 6000 // … but never longer than this
const LARGEST_SEED = 2 ** 31 - 1

/** @typedef {{ heads: [number, number][], all: number } | null} Silent the heads that are silenced, of how many */
/** @typedef {{ data: Record<string, any>, text: string, step: number | null, silent: Silent }} Wish what is to be written on */
/** @typedef {{ temperature: number, top_k: number, top_p: number, seed: number }} Draw how samples are drawn */

/**
 * @param {HTMLElement} box
 * @param {() => Wish} wish
 */
export function writer(box, wish) {
  let took = 0
  let last = 0
  let timer = 0
  let due = Infinity
  let topic = "" // what was written on last: run, sentence, mask, length; without the step
  let again = 0 // how often a new sample was asked for
  let fresh = true // whether the next text is a new one, rather than the old one at a later step
  /** @type {Draw} */
  let drawn = drawOf(wish().data, 0)
  let stop = () => {}
  /** @type {{ answer: Record<string, any>, language: string, draw: Draw, silent: Silent } | null} */
  let shown = null
  const ask = asker({
    patience: PATIENCE,
    question: () => question(wish(), drawn),
    read: response => response.json(),
    answered([answer], { draw, silent }, milliseconds) {
      took = milliseconds
      show(answer, draw, silent)
    },
    failed: () => {}, // the look says what is wrong
  })

  /** @param {number} wait */
  function schedule(wait) {
    const then = performance.now() + wait
    if (then > due && timer) return
    clearTimeout(timer)
    due = then
    timer = setTimeout(send, wait)
  }

  function send() {
    timer = 0
    due = Infinity
    if (!ask.idle()) return schedule(200)
    last = performance.now()
    ask.ask()
  }

  function writeAgain() {
    again++
    drawn = drawOf(wish().data, again)
    fresh = true
    note()
    clearTimeout(timer)
    timer = 0
    schedule(0)
  }

  /** @param {Record<string, any>} answer @param {Draw} draw @param {Silent} silent */
  function show(answer, draw, silent) {
    const { labels, language } = wish().data
    stop()
    shown = { answer, language, draw, silent }
    const facts = { ...draw, temperature: String(draw.temperature) }
    const title = fill(labels.drawn[draw.top_k > 0 ? (draw.top_p < 1 ? "both" : "top_k") : draw.top_p < 1 ? "top_p" : "plain"], facts)
    const many = answer.samples.length > 1
    const rows = [
      writtenRow(labels.greedy, answer.prompt, answer.greedy, labels),
      ...answer.samples.map((/** @type {any} */ sample, /** @type {number} */ number) =>
        writtenRow(many ? `${number + 1} · ${title}` : title, answer.prompt, sample, labels),
      ),
    ]
    keepFocus(box, () => box.replaceChildren(headOf(labels, answer.step, silent), ...rows.map(row => row.element)))
    note()
    box.dataset.written = "false"
    stop = appear(rows, fresh, () => (box.dataset.written = "true"))
    fresh = false
    Object.assign(box.dataset, { step: String(answer.step), seed: String(draw.seed), temperature: facts.temperature })
  }

  /** @param {Record<string, any>} labels @param {number} step @param {Silent} silent */
  function headOf(labels, step, silent) {
    const taken = silent ? takenWords({ heads: silent.heads, keys: [] }, silent.all, labels.ablation) : ""
    const title = taken ? fill(labels.written_without, { step, taken }) : fill(labels.written, { step })
    const head = make("div", "generated-head")
    const button = /** @type {HTMLButtonElement} */ (make("button", "write-again", labels.write_again))
    button.type = "button"
    button.title = labels.write_again_help
    button.addEventListener("click", writeAgain)
    const legend = make("span", "generated-legend")
    legend.append(make("mark", "recited", labels.legend_recited), " ", make("mark", "copied", labels.legend_copied))
    head.append(make("strong", "", title), button, make("span", "generated-note"), legend)
    return head
  }

  /** Say when the sliders have moved since the samples were drawn. */
  function note() {
    const place = box.querySelector(".generated-note")
    if (!place) return
    const { data } = wish()
    const moved = JSON.stringify(drawOf(data, again)) !== JSON.stringify(drawn)
    const words = moved ? data.labels.sliders_moved : ""
    if (place.textContent !== words) place.textContent = words
  }

  return {
    /** Something that the text depends on may have changed: the sentence, a setting of the view, or the step. */
    consider() {
      const wanted = wish()
      const subject = subjectOf(wanted)
      box.hidden = !subject
      if (!subject) return
      if (subject !== topic) {
        topic = subject
        drawn = drawOf(wanted.data, again)
        fresh = true
        clearTimeout(timer)
        timer = 0
        schedule(REST)
      } else if (wanted.step !== null && String(wanted.step) !== box.dataset.step && !timer) {
        schedule(Math.max(0, last + pause(took) - performance.now()))
      } else if (shown && shown.language !== wanted.data.language) show(shown.answer, shown.draw, shown.silent)
      note()
    },
    close() {
      clearTimeout(timer)
      stop()
      ask.close()
    },
  }
}

/** @param {number} took */
const pause = took => Math.min(LONGEST, Math.max(SHORTEST, SHARE * took))

/**
 * @param {Record<string, any>} data
 * @param {number} again
 * @returns {Draw}
 */
function drawOf({ temperature, top_k, top_p, run }, again) {
  return { temperature, top_k, top_p, seed: ((run?.seed ?? 0) + again) % LARGEST_SEED }
}

/** @param {Wish} wish */
function subjectOf({ data, text, silent }) {
  if (!data.generates || !data.run) return ""
  const { tokens, samples, causal_mask, step, run } = data
  return JSON.stringify([run.id, run.seed, text, tokens, samples, causal_mask, step, silent?.heads])
}

/** @param {Wish} wish @param {Draw} draw */
function question({ data, text, silent }, draw) {
  if (!data.generates || !data.run) return null
  const { tokens, samples, causal_mask, step } = data
  const prompt = [...text].slice(-SENT).join("") // what comes next depends on the end
  const bodies = [{ prompt, ...draw, samples, tokens, causal_mask, step, ablate: silent?.heads ?? [] }]
  return { url: address(`api/generate/${encodeURIComponent(data.run.id)}`), bodies, topic: data.run.id, about: { draw, silent } }
}

/**
 * Redraw without taking the keyboard away from the button.
 * @param {HTMLElement} box
 * @param {() => void} redraw
 */
function keepFocus(box, redraw) {
  const had = box.contains(document.activeElement)
  redraw()
  if (had) /** @type {HTMLElement | null} */ (box.querySelector(".write-again"))?.focus({ preventScroll: true })
}
