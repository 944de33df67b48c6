// The component `lab`: a sentence, the heads that send one token to another, and the formula in one head, map by map.
// Data flows one way: a key or a choice asks the run; the answer is painted.

import { asker } from "../look/asker.js"
import { sentenceBox } from "../look/box.js"
import { follower } from "../look/follow.js"
import { address } from "../shared/address.js"
import { onWidth } from "../shared/plotly.js"
import { pageTheme } from "../shared/theme.js"
import { fill } from "../shared/words.js"
import { board } from "./board.js"
import { finder } from "./finder.js"
import { kindOf, layerOf, readLab, tokensOf } from "./frame.js"
import { noticeWords, put, showFacts, showState } from "./news.js"
import { spellOut } from "./spelled.js"

const SENT = 4096 // characters of a text that are sent, however long it is; of the rest only the number
const PATIENCE = 6000 // milliseconds until an answer is given up; the server gives up sooner
const SLOW = 300 // milliseconds after which a question is said to be waiting

/** @typedef {import("./frame.js").Answer} Answer */
/** @typedef {[number, number]} Cell */
/** @typedef {Record<string, any>} Data */

/** @param {any} component what Streamlit passes */
export function mount(component) {
  const lab = new Lab(component)
  lab.update(component)
  return lab
}

class Lab {
  /** @param {any} component */
  constructor(component) {
    const root = (this.root = /** @type {HTMLElement} */ (component.parentElement.querySelector(".attention-lab")))
    this.input = /** @type {HTMLInputElement} */ (root.querySelector(".lab-sentence"))
    /** @type {Data} */
    this.data = component.data
    this.streamlit = component
    /** @type {{ answer: Answer, text: string } | null} */
    this.shown = null
    /** @type {Cell | null} */
    this.cell = component.data.cell // the chosen cell; null: by its words, or as the model finds it
    /** @type {[string, string] | null} */
    this.words = component.data.words
    this.touched = false // whether the cell has been chosen here
    this.told = JSON.stringify(component.data.cell) // the cell that Python knows
    this.committed = component.data.text
    this.revision = -1
    this.slow = 0
    this.took = 0
    this.lost = false
    this.theme = ""
    this.box = sentenceBox(this.input, { typed: () => this.typed(), committed: text => this.commit(text) })
    this.board = board(root, cell => this.choose(cell))
    this.finder = finder(root, { ask: (cell, kind) => this.find(cell, kind), choose: (layer, head) => this.chooseHead(layer, head) })
    this.asker = asker({
      patience: PATIENCE,
      question: () => this.question(),
      read: async response => readLab(await response.arrayBuffer()),
      answered: ([answer], asked, milliseconds) => this.take(answer, asked, milliseconds),
      failed: (code, message) => this.trouble(code, message),
    })
    this.follower = follower({
      ready: () => this.asker.idle(),
      painted: () => this.shown?.answer.header.step ?? null,
      took: () => this.took,
      look: () => this.asker.ask(),
      moved: ({ status }) => {
        this.lost = status === "lost"
        if (status === "gone") this.trouble("no_run", "")
      },
    })
    this.stopWatchingWidth = onWidth(root, () => this.paint())
    root.querySelector(".lab-examples")?.addEventListener("click", event => this.example(event))
  }

  /**
   * Python has run again, or the theme has changed.
   * @param {any} component
   */
  update(component) {
    const before = this.revision < 0 ? null : this.data
    const data = (this.data = component.data)
    this.streamlit = component
    this.name()
    const known = JSON.stringify(data.cell)
    if (before && before.run?.id !== data.run?.id) this.begin()
    else if (before && !this.joined(before.layer, data.layer)) this.forget(data.cell)
    else if (known !== this.told && data.cell) this.cell = data.cell
    this.told = known
    if (this.revision !== data.revision) this.replace()
    this.revision = data.revision
    this.follower.follow(data.following ? data.run : null)
    if (!data.run) showState(this.root, "gone", data.trouble ?? data.labels.troubles.no_run_yet)
    else if (!before || JSON.stringify(topic(before)) !== JSON.stringify(topic(data))) this.ask()
    if (this.theme !== pageTheme(this.root) || before?.language !== data.language) this.paint()
  }

  /** Another model: nothing is chosen yet but what Python says. */
  begin() {
    this.shown = null
    this.cell = this.data.cell
    this.words = this.data.words
    this.touched = false
    delete this.root.dataset.paintedText
  }

  /** Whether two layers join the same rows of tokens. @param {number} one @param {number} other */
  joined(one, other) {
    const maps = this.shown?.answer.header.maps ?? []
    return one === other || !maps[one] || !maps[other] || kindOf(maps[one]) === kindOf(maps[other])
  }

  /** Another layer joins other tokens, so what was chosen means nothing there. @param {Cell | null} cell of its own */
  forget(cell) {
    this.cell = cell
    this.words = null
    this.touched = cell !== null
  }

  /** Python puts another sentence into the box. What Streamlit holds as typed then has to follow. */
  replace() {
    const { text, told, words, cell } = this.data
    this.box.write(text)
    this.committed = text
    this.words = words
    this.cell = cell
    if (told !== null && told !== text) this.streamlit.setStateValue("text", text)
  }

  name() {
    const { labels, language, examples } = this.data
    put(this.root, ".lab-label", labels.sentence)
    this.input.setAttribute("aria-label", labels.sentence)
    this.input.title = labels.help
    this.root.lang = language
    const place = /** @type {HTMLElement} */ (this.root.querySelector(".lab-examples"))
    const buttons = examples.map((/** @type {Data} */ { text }, /** @type {number} */ number) => {
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = examples.length > 1 ? `${labels.example} ${number + 1}` : labels.example
      button.title = text
      button.dataset.number = String(number)
      return button
    })
    if (place.textContent !== buttons.map((/** @type {Element} */ one) => one.textContent).join("")) {
      place.replaceChildren(...buttons)
    }
    place.setAttribute("aria-label", labels.example)
  }

  /** @param {Event} event */
  example(event) {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("button"))
    if (!button) return
    const { text, words } = this.data.examples[Number(button.dataset.number)]
    this.box.edit(text)
    this.cell = null
    this.words = words
    this.ask()
  }

  /** The chosen tokens stay chosen wherever they stand now. */
  typed() {
    if (this.shown && this.cell) {
      const { header } = this.shown.answer
      this.words = [tokensOf(header, "queries")[this.cell[0]], tokensOf(header, "keys")[this.cell[1]]]
    }
    this.cell = null
    this.ask()
  }

  /** @param {string} text */
  commit(text) {
    this.committed = text
    this.streamlit.setStateValue("text", text)
    this.tell()
  }

  ask() {
    if (!this.data.run) return
    clearTimeout(this.slow)
    this.slow = setTimeout(() => showState(this.root, "waiting", this.data.labels.waiting), SLOW)
    this.asker.ask()
  }

  question() {
    const { run, layer, head, switches, generates } = this.data
    if (!run) return null
    const text = this.box.text()
    const characters = [...text]
    // What a model that writes reads, is the end of a text; of every other model it is the beginning.
    const sent = (generates ? characters.slice(-SENT) : characters.slice(0, SENT)).join("")
    const body = { text: sent, given: characters.length, layer, head, ...switches, cell: this.cell, words: this.words }
    const about = { text, asked: JSON.stringify([layer, head, switches, this.cell]) }
    return { url: address(`api/lab/${encodeURIComponent(run.id)}`), bodies: [body], topic: run.id, about }
  }

  /** @param {Answer} answer @param {{ text: string, asked: string }} about @param {number} milliseconds */
  take(answer, { text, asked }, milliseconds) {
    this.took = milliseconds
    this.shown = { answer, text }
    const { layer, head, switches } = this.data
    const newest = text === this.box.text() && asked === JSON.stringify([layer, head, switches, this.cell])
    if (newest) {
      clearTimeout(this.slow)
      this.cell = answer.header.cell
      showState(this.root, "ok", noticeWords(answer.header, this.data.labels, this.data.generates ? "end" : "start"))
      this.tell()
    }
    this.paint()
    if (newest) this.root.dataset.paintedText = text
  }

  /** Tell Python of a cell that was chosen here, once the sentence that it belongs to is known there. */
  tell() {
    const { shown, cell } = this
    const known = JSON.stringify(cell)
    if (!this.touched || !cell || !shown || shown.text !== this.committed || known === this.told) return
    this.told = known
    this.streamlit.setTriggerValue("cell", { query: cell[0], key: cell[1] })
  }

  /** @param {string} problem @param {string} message */
  trouble(problem, message) {
    clearTimeout(this.slow)
    const { troubles } = this.data.labels
    const code = problem === "busy" && this.lost ? "worker_gone" : problem
    const state = code === "no_run" || code === "worker_gone" ? "gone" : "stale"
    showState(this.root, state, fill(troubles[code] ?? troubles.unreachable, { message }))
  }

  paint() {
    this.theme = pageTheme(this.root)
    if (!this.shown || this.root.clientWidth === 0) return
    const { answer } = this.shown
    const { rows, columns } = answer.arrays.weights
    const inside = this.cell && this.cell[0] < rows && this.cell[1] < columns
    const view = { answer, cell: /** @type {Cell} */ (inside ? this.cell : answer.header.cell), data: this.data }
    this.finder.show(view)
    this.board.show(view)
    spellOut(/** @type {HTMLElement} */ (this.root.querySelector(".lab-spelled")), view)
    showFacts(this.root, view)
  }

  /** @param {Cell} cell */
  choose(cell) {
    if (this.cell && cell[0] === this.cell[0] && cell[1] === this.cell[1]) return
    this.cell = cell
    this.touched = true
    this.paint() // what is known of it is shown at once; the other heads' weights are asked for
    this.ask()
  }

  /**
   * A cell of any kind: where another kind is shown, in the layer of its own that stands where the shown one stands.
   * @param {Cell} cell
   * @param {string} kind
   */
  find(cell, kind) {
    const header = this.shown?.answer.header
    if (!header) return
    if (kind === kindOf(header)) return this.choose(cell)
    const layer = layerOf(header, kind)
    const { queries, keys } = header.maps[layer]
    const [rows, columns] = [queries, keys].map(stream => header.streams[stream].length)
    this.chooseHead(layer, header.head, [Math.min(cell[0], rows - 1), Math.min(cell[1], columns - 1)])
  }

  /** @param {number} layer @param {number} head @param {Cell | null} [cell] in a layer that joins other tokens */
  chooseHead(layer, head, cell = null) {
    if (!this.joined(this.data.layer, layer)) this.forget(cell)
    this.data = { ...this.data, layer, head } // Python hears of it and passes it on from then on
    this.ask()
    // Both in one word: of two that follow each other at once, Streamlit may pass on the second alone.
    const [query, key] = cell ?? []
    if (cell) this.told = JSON.stringify(cell)
    this.streamlit.setTriggerValue("head", { layer, head, ...(cell ? { query, key } : {}) })
  }

  unmount() {
    clearTimeout(this.slow)
    this.stopWatchingWidth()
    for (const part of [this.box, this.asker, this.follower]) part.close()
  }
}

/** What an answer depends on, of all that Python passes. */
const topic = (/** @type {Data} */ { run, layer, head, switches, cell, revision }) => [
  run?.id,
  layer,
  head,
  switches,
  cell,
  revision,
]
