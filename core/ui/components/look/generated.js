// What the model writes on: greedily and by drawing, with the part marked that it recites from its text.

import { address } from "../shared/address.js"
import { visible } from "../shared/tokens.js"
import { fill } from "../shared/words.js"
import { asker } from "./asker.js"

const SENT = 4096 // characters of a prompt that are sent, however long it is
const PATIENCE = 12_000 // milliseconds until a text is given up; the server gives up a little sooner
const REST = 600 // milliseconds after the last change: writing costs the worker as much as many looks
const SHORTEST = 1000 // milliseconds between two texts while the run trains …
const SHARE = 30 // … or so many times as long as the last one took, so that training keeps its pace …
const LONGEST = 6000 // … but never longer than this

/** @typedef {{ data: Record<string, any>, text: string, step: number | null }} Wish what is to be written on */

/**
 * @param {HTMLElement} box
 * @param {() => Wish} wish
 */
export function writer(box, wish) {
  let took = 0
  let last = 0
  let timer = 0
  let due = Infinity
  let asked = "" // what was asked last, without the step
  const ask = asker({
    patience: PATIENCE,
    question: () => question(wish()),
    read: response => response.json(),
    answered(answer, about, milliseconds) {
      took = milliseconds
      show(box, answer, about.data)
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

  return {
    /** Something that the text depends on may have changed: the sentence, a setting of the view, or the step. */
    consider() {
      const wanted = wish()
      const now = question(wanted)
      box.hidden = !now
      if (!now) return
      const { step, ...settings } = now.body
      const key = JSON.stringify([now.url, settings, wanted.data.language])
      if (key !== asked) {
        clearTimeout(timer)
        timer = 0
        asked = key
        schedule(REST)
      } else if (wanted.step !== null && String(wanted.step) !== box.dataset.step && !timer) {
        schedule(Math.max(0, last + pause(took) - performance.now()))
      }
    },
    close() {
      clearTimeout(timer)
      ask.close()
    },
  }
}

/** @param {number} took */
const pause = took => Math.min(LONGEST, Math.max(SHORTEST, SHARE * took))

/** @param {Wish} wish */
function question({ data, text }) {
  if (!data.generates || !data.run) return null
  const { temperature, top_k, tokens, causal_mask } = data
  const prompt = [...text].slice(-SENT).join("") // what comes next depends on the end
  const body = { prompt, temperature, top_k, tokens, causal_mask, seed: data.run.seed, step: data.step }
  return { url: address(`api/generate/${encodeURIComponent(data.run.id)}`), body, topic: data.run.id, about: { data } }
}

/**
 * @param {HTMLElement} box
 * @param {Record<string, any>} answer
 * @param {Record<string, any>} data what Python had passed when this was asked
 */
function show(box, answer, { labels, temperature, top_k }) {
  const greedy = row(labels.greedy, answer.prompt, answer.greedy, answer.greedy_recited, answer.step, labels)
  const drawn = fill(top_k > 0 ? labels.sampled_of : labels.sampled, { temperature, top_k })
  const sampled = row(drawn, answer.prompt, answer.sampled, answer.sampled_recited, answer.step, labels)
  box.replaceChildren(greedy, sampled)
  box.dataset.step = String(answer.step)
}

/**
 * @param {string} title
 * @param {string} prompt
 * @param {string} written
 * @param {number} recited
 * @param {number} step
 * @param {Record<string, any>} labels
 */
function row(title, prompt, written, recited, step, labels) {
  const characters = [...written]
  const count = fill(labels.recited, { recited, count: characters.length, step })
  const text = element("p", "generated-text")
  text.append(
    element("span", "generated-prompt", visible(prompt)),
    element("mark", "", visible(characters.slice(0, recited).join(""))),
    visible(characters.slice(recited).join("")),
  )
  const head = element("div", "generated-title")
  head.append(element("span", "", title), element("span", "", count))
  const whole = element("div", "generated-row")
  whole.append(head, text)
  return whole
}

/** @param {string} tag @param {string} name @param {string} [text] */
function element(tag, name, text = "") {
  const made = document.createElement(tag)
  made.className = name
  made.textContent = text
  return made
}
