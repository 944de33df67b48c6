// A text that the model has written, with what it recites and what it copies marked, appearing character by character.

import { motionUnwanted } from "../shared/theme.js"
import { visible } from "../shared/tokens.js"
import { fill } from "../shared/words.js"

const SPEED = 90 // characters a second …
const LONGEST = 1500 // … but no longer than so many milliseconds for a whole text

/** @typedef {{ text: string, recited: number, copied: [number, number][] }} Written */
/** @typedef {"recited" | "copied" | "own"} Origin */

/**
 * Runs of characters of one origin: recited to the prompt's place in the corpus, copied from somewhere in it, or its own.
 * @param {Written} written
 * @returns {{ origin: Origin, text: string }[]}
 */
export function passages({ text, recited, copied }) {
  const characters = [...text]
  /** @param {number} place @returns {Origin} */
  const originOf = place => {
    if (place < recited) return "recited"
    return copied.some(([start, end]) => start <= place && place < end) ? "copied" : "own"
  }
  /** @type {{ origin: Origin, text: string }[]} */
  const found = []
  characters.forEach((character, place) => {
    const origin = originOf(place)
    const last = found.at(-1)
    if (last?.origin === origin) last.text += character
    else found.push({ origin, text: character })
  })
  return found
}

/**
 * How many characters are recited, and how many more stand in the corpus word for word.
 * @param {Written} written
 */
export function counts(written) {
  const lengthOf = (/** @type {Origin} */ origin) =>
    passages(written).reduce((sum, one) => sum + (one.origin === origin ? [...one.text].length : 0), 0)
  return { recited: lengthOf("recited"), copied: lengthOf("copied"), count: [...written.text].length }
}

/**
 * @param {string} title
 * @param {string} prompt
 * @param {Written} written
 * @param {Record<string, any>} labels
 * @returns {{ element: HTMLElement, text: HTMLElement, parts: { origin: Origin, text: string }[], prompt: string }}
 */
export function writtenRow(title, prompt, written, labels) {
  const text = make("p", "generated-text")
  const head = make("div", "generated-title")
  head.append(make("span", "", title), make("span", "generated-count", fill(labels.counts, counts(written))))
  const element = make("div", "generated-row")
  element.append(head, text)
  return { element, text, parts: passages(written), prompt }
}

/** @typedef {ReturnType<typeof writtenRow>} Row */

/**
 * Put the first characters of a row in sight. The rest keeps its place, so that nothing moves while it is written.
 * @param {Row} row
 * @param {number} count
 */
function reveal({ text, parts, prompt }, count) {
  let left = count
  const pieces = parts.flatMap(({ origin, text: whole }) => {
    const characters = [...whole]
    const shown = characters.slice(0, Math.max(0, left)).join("")
    const rest = characters.slice(Math.max(0, left)).join("")
    left -= characters.length
    return [
      ...(shown ? [make(origin === "own" ? "span" : "mark", origin, visible(shown))] : []),
      ...(rest ? [make("span", "unwritten", visible(rest))] : []),
    ]
  })
  text.replaceChildren(make("span", "generated-prompt", visible(prompt)), ...pieces)
}

/**
 * Let rows appear: all at once, or as if they were being written.
 * @param {Row[]} rows
 * @param {boolean} streamed
 * @param {() => void} done
 * @returns {() => void} ends it
 */
export function appear(rows, streamed, done) {
  const length = Math.max(...rows.map(({ parts }) => parts.reduce((sum, { text }) => sum + [...text].length, 0)))
  const pace = Math.max(SPEED, length / (LONGEST / 1000)) / 1000
  const began = performance.now()
  let frame = 0
  const draw = () => {
    const count = streamed && !motionUnwanted() ? Math.ceil((performance.now() - began) * pace) : length
    for (const row of rows) reveal(row, count)
    if (count < length) frame = requestAnimationFrame(draw)
    else done()
  }
  draw()
  return () => cancelAnimationFrame(frame)
}

/** @param {string} tag @param {string} name @param {string} [text] */
export function make(tag, name, text = "") {
  const made = document.createElement(tag)
  made.className = name
  made.textContent = text
  return made
}
