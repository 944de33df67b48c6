// The component `look`: a sentence, and what every head attends to while a run reads it.
// Data flows one way: a key, a change from Python or a step of the training asks the run; the answer is painted.

import { address } from "../shared/address.js"
import { readFrame } from "../shared/frame.js"
import { fill } from "../shared/words.js"
import { ablator, headCount } from "./ablation.js"
import { asker } from "./asker.js"
import { sentenceBox } from "./box.js"
import { tokenChips } from "./chips.js"
import { takeAway } from "./export.js"
import { follower } from "./follow.js"
import { writer } from "./generated.js"
import { guesser } from "./guess.js"
import { hands, listenToCells } from "./hands.js"
import { layersOf, lookAt } from "./layers.js"
import { markPart, say, showFacts, showState } from "./news.js"
import { paintReading, shadeChips } from "./reading.js"
import { stage } from "./stage.js"
import { Time } from "./time.js"

const CLASSES = {
  grid: "attention-grid",
  zoom: "attention-zoom",
  bars: "predictions",
  otherZoom: "other-map",
  otherBars: "other-predictions",
}
const SENT = 4096 // characters of a text that are sent, however long it is; of the rest only the number
const PATIENCE = 4000 // milliseconds until a look is given up; the server gives up a little sooner
const SLOW = 300 // milliseconds after which a question is said to be waiting

/** @typedef {import("../shared/frame.js").Look} Answer */
/** @typedef {{ query: number, key: number }} Cell */
/** @typedef {Record<string, any>} Data */
/** @typedef {import("./hands.js").Place} Place */

/** @param {any} component what Streamlit passes */
export function mount(component) {
  const look = new Look(component)
  look.update(component)
  look.box.recover()
  return look
}

class Look {
  /** @param {any} component */
  constructor(component) {
    const root = (this.root = /** @type {HTMLElement} */ (component.parentElement.querySelector(".attention-look")))
    this.input = /** @type {HTMLInputElement} */ (root.querySelector(".look-sentence"))
    /** @type {Data} */
    this.data = component.data
    this.streamlit = component
    /** @type {{ text: string, look: Answer, other: Answer | null } | null} */
    this.answer = null
    /** @type {Cell | null} */
    this.held = null
    /** @type {number | null} */
    this.row = null // the token that is picked out
    /** @type {number | null} */
    this.hovered = null // the token that is pointed at
    /** @type {import("./reading.js").Direction} */
    this.direction = "outgoing" // of the attention of the token that is read
    /** @type {number | null} */
    this.place = null // the position whose prediction is shown
    /** @type {number | null} */
    this.asking = null // the visible character whose distribution is asked for too
    /** @type {Place | null} */
    this.pointed = null // the small map under the mouse, shown large while it is
    /** @type {Time | null} */
    this.time = null
    this.took = 0 // milliseconds that the last answer took
    this.focusOnMap = false // whether the map that is chosen next takes the keyboard
    this.slow = 0 // the timer that says "waiting"
    this.asked = "" // the text that was asked about last
    this.lost = false // whether the run's process has died and is being replaced
    this.touched = false // whether anything was typed into this box
    this.revision = -1 // how often Python has replaced the sentence
    this.box = sentenceBox(this.input, { typed: () => this.typed(), committed: text => this.commit(text) })
    this.stage = stage(root, {
      view: () => this.view(),
      painted: (part, view) => this.painted(part, view),
      failed: () => this.trouble("unreachable", ""),
    })
    this.asker = asker({
      patience: PATIENCE,
      question: () => this.question(),
      read: async response => readFrame(await response.arrayBuffer()),
      answered: (looks, text, milliseconds) => this.take(looks, text, milliseconds),
      failed: (code, message) => this.trouble(code, message),
    })
    this.follower = follower({
      ready: () => this.asker.idle() && this.stage.idle(),
      painted: () => this.answer?.look.header.step ?? null,
      took: () => this.took,
      look: () => this.asker.ask(),
      moved: course => this.moved(course),
    })
    this.ablation = ablator(root, {
      data: () => this.data,
      earlier: () => typeof this.time?.step === "number",
      changed: () => this.ablate(),
      preview: place => this.preview(place),
      told: (name, value) =>
        name === "silenced" ? this.streamlit.setTriggerValue(name, value) : this.streamlit.setStateValue(name, value),
    })
    this.writer = writer(/** @type {HTMLElement} */ (root.querySelector(".generated")), () => this.wish())
    this.chips = tokenChips(root, {
      data: () => ({ kind: this.data.chips, labels: this.data.labels.chips }),
      text: () => this.box.text(),
      edit: text => this.box.edit(text),
      picked: (position, asked) => this.pick(position, asked),
      pointed: position => this.point(position),
    })
    this.onCells = {
      hold: (/** @type {Cell} */ cell) => this.hold(cell),
      point: (/** @type {Cell | null} */ cell) => this.point(cell && (this.direction === "outgoing" ? cell.query : cell.key)),
    }
    this.guess = guesser(root, {
      view: () => this.seen(),
      data: () => this.data,
      changed: () => this.stage.showAll(),
      told: on => this.streamlit.setStateValue("guess", on),
    })
    takeAway(root, { view: () => this.view(), question: () => this.question(), time: () => this.time })
    hands(root, {
      shown: () => this.shown(),
      choose: place => this.choose(place),
      preview: place => this.preview(place),
      compare: () => this.compare(),
    })
  }

  /**
   * Python has run again, or the theme has changed.
   * @param {any} component
   */
  update(component) {
    const before = this.revision < 0 ? null : this.data
    this.data = component.data
    this.streamlit = component
    const { labels, run, revision, following } = this.data
    say(this.root, this.input, this.data)
    Object.assign(this.root.dataset, { present: String(this.data.present), sentence: String(this.data.sentence) })
    this.chips.name()
    this.showComparison()
    this.guess.mark()
    const ablated = this.ablation.update()
    // A box in which nothing was typed yet may stand in for one whose last words were still on their way to Python.
    if (this.revision !== revision || (!this.touched && this.data.text !== this.box.text())) this.replace()
    this.revision = revision
    if (before?.run?.id !== run?.id) {
      this.letGo()
      this.time?.close()
      this.time = run ? new Time(run.id, () => this.travel()) : null
    }
    this.follower.follow(following ? run : null)
    if (!run) showState(this.root, "gone", labels.troubles.no_run_yet)
    else if (!before || ablated || topic(before) !== topic(this.data) || this.box.text() !== this.asked) this.ask()
    if ((before && picture(before) !== picture(this.data)) || this.stage.isOutdated()) this.stage.showAll()
    this.writer.consider()
  }

  /** Python puts another sentence into the box. What Streamlit holds as typed then has to follow. */
  replace() {
    const { text, told } = this.data
    this.letGo()
    this.box.write(text)
    if (told !== null && told !== text) this.commit(text)
  }

  /** Another moment of the run is looked at, or more of its past has come. */
  travel() {
    if (this.time?.step !== null) this.wantPast()
    this.stage.show("grid", "zoom", "bars")
  }

  wantPast() {
    if (this.answer) this.time?.want(this.answer.text, this.data.causal_mask)
  }

  typed() {
    this.touched = true
    this.held = null
    this.asking = null
    this.ask()
    this.writer.consider()
  }

  /** Nothing is picked out any more: it was of another text, or of another run. */
  letGo() {
    this.held = this.row = this.place = this.asking = null
    this.chips.forget()
  }

  /** @param {string} text */
  commit(text) {
    this.streamlit.setStateValue("text", text)
  }

  ask() {
    if (!this.data.run) return
    this.asked = this.box.text()
    clearTimeout(this.slow)
    this.slow = setTimeout(() => showState(this.root, "waiting", this.data.labels.waiting), SLOW)
    this.asker.ask()
  }

  question() {
    const { run, layer, causal_mask, step, generates } = this.data
    if (!run) return null
    const text = this.box.text()
    const characters = [...text]
    // What a model that writes reads, is the end of a text; of every other model it is the beginning.
    const sent = (generates ? characters.slice(-SENT) : characters.slice(0, SENT)).join("")
    const body = { text: sent, given: characters.length, layer, causal_mask, step, position: this.asking, ...this.takenAway() }
    const bodies = this.compares() ? [body, { ...body, causal_mask: !causal_mask }] : [body]
    return { url: address(`api/look/${encodeURIComponent(run.id)}`), bodies, topic: run.id, about: text }
  }

  /** @param {Answer[]} looks @param {string} text @param {number} milliseconds */
  take([look, other = null], text, milliseconds) {
    this.took = milliseconds
    this.answer = { look, other, text }
    if (this.time?.step !== null) this.wantPast()
    else this.time?.later(() => this.wantPast())
    if (text === this.box.text()) clearTimeout(this.slow)
    this.chips.show(look.header, text)
    this.ablation.read(look.header)
    this.stage.showAll()
  }

  /** @param {import("../shared/stream.js").Course} course */
  moved({ status }) {
    this.lost = status === "lost"
    if (status === "gone") this.trouble("no_run", "")
  }

  /** @param {string} problem @param {string} message */
  trouble(problem, message) {
    clearTimeout(this.slow)
    const { troubles } = this.data.labels
    const code = problem === "busy" && this.lost ? "worker_gone" : problem
    const state = code === "no_run" || code === "worker_gone" ? "gone" : "stale"
    showState(this.root, state, fill(troubles[code] ?? troubles.unreachable, { message }))
  }

  /** @returns {import("./view.js").View | null} what is painted: covered while a guess is awaited */
  view() {
    const seen = this.seen()
    return seen && this.guess.cover(seen)
  }

  /** @returns {import("./view.js").View | null} */
  seen() {
    const { root, data, held, row, direction, place } = this
    if (!this.answer) return null
    const { text } = this.answer
    const earlier = this.time?.look(this.answer.look, text) ?? null
    const look = lookAt(earlier ?? this.answer.look, data.layer)
    const other = this.compares() && !earlier ? this.answer.other : null
    const [heads, queries, keys] = look.header.shape
    const focus = this.pointed ?? { layer: look.header.layer, head: Math.min(data.head, heads - 1) }
    const inside = held && held.query < queries && held.key < keys ? held : null
    const choose = (/** @type {number} */ position) => {
      this.place = position
      this.stage.show("bars")
    }
    return { root, data, look, other, focus, text, width: this.stage.width(), held: inside, row, direction, place, choose }
  }

  /** @param {import("./stage.js").Part} part @param {import("./view.js").View} view */
  painted(part, view) {
    markPart(this.root, CLASSES[part], view)
    if (part === "zoom") listenToCells(this.root, ".attention-zoom", this.onCells)
    if (part === "otherZoom") listenToCells(this.root, ".other-map", this.onCells)
    if (part === "zoom") this.read()
    if (part === "zoom" || part === "grid") this.ablation.mark(view)
    if (part !== "grid") return
    this.guess.mark()
    if (this.focusOnMap) this.focusOnChoice()
    showFacts(this.root, view, view.text === this.box.text())
    this.writer.consider()
  }

  /** The keyboard stays on the map that it has chosen, wherever that stands now. */
  focusOnChoice() {
    this.focusOnMap = false
    const choice = this.root.querySelector('.heads-block [role="radio"][aria-checked="true"]')
    if (choice instanceof HTMLElement) choice.focus()
  }

  /** The map that is chosen, and how many there are. */
  shown() {
    const { layer, head } = this.data
    const layers = this.answer ? layersOf(this.answer.look) : 0
    return { layer, head, layers, heads: this.answer?.look.maps.length ?? 0 }
  }

  wish() {
    return { data: this.data, text: this.box.text(), step: this.answer?.look.header.step ?? null, silent: this.silent() }
  }

  /** The heads that are silent while the model writes, and how many there are; null: all of them speak. */
  silent() {
    const { heads } = this.ablation.taken()
    return heads.length > 0 ? { heads, all: this.answer ? headCount(this.answer.look.header) : 0 } : null
  }

  /** What is taken away, as a look asks for it. */
  takenAway() {
    const { heads, keys } = this.ablation.taken()
    return { ablate: heads, without_keys: keys }
  }

  /** Heads have been silenced or keys hidden. */
  ablate() {
    this.ask()
    this.writer.consider()
  }

  /** @param {Place} place */
  choose({ layer, head }) {
    if (!this.answer) return
    const other = layer !== this.data.layer
    this.pointed = null
    this.data = { ...this.data, layer, head } // shown at once; Python hears of it and passes it on from then on
    this.stage.showAll()
    if (other) this.ask()
    this.streamlit.setTriggerValue("map", { layer, head })
    this.focusOnMap = this.root.querySelector(".heads-block")?.contains(document.activeElement) ?? false
  }

  /** @param {Place | null} place the small map that is pointed at */
  preview(place) {
    const { layer, head } = this.data
    const next = place && (place.layer !== layer || place.head !== head) ? place : null
    if (next?.layer === this.pointed?.layer && next?.head === this.pointed?.head) return
    this.pointed = next
    this.stage.show("zoom", "otherZoom")
  }

  /** @param {Cell} cell */
  hold({ query, key }) {
    const again = this.held && this.held.query === query && this.held.key === key
    this.held = again ? null : { query, key }
    this.stage.show("zoom", "otherZoom")
    const cell = this.held && { layer: this.data.layer, head: this.data.head, ...this.held }
    this.streamlit.setTriggerValue("cell", cell)
  }

  /**
   * A token was picked out: its row, and its prediction where there is one.
   * @param {number | null} position
   * @param {boolean} asked whether its distribution is asked for, though it is visible
   */
  pick(position, asked) {
    const before = this.asking
    this.row = this.place = position
    this.asking = asked ? position : null
    if (this.asking !== before) this.ask()
    this.stage.show("zoom", "otherZoom", "bars")
  }

  /** @param {number | null} position of the token that is pointed at */
  point(position) {
    if (this.hovered === position) return
    this.hovered = position
    const view = this.view()
    shadeChips(this.root, view, this.hovered ?? view?.row ?? null, this.direction)
  }

  /** Show what the picked token attends to, or who attends to it, on the sentence and in every head. */
  read() {
    const view = this.view()
    if (!view) return
    shadeChips(this.root, view, this.hovered ?? view.row, view.direction)
    const panel = /** @type {HTMLElement} */ (this.root.querySelector(".token-reading"))
    paintReading(panel, view.look.covered ? { ...view, row: null } : view, view.direction, direction => this.turn(direction))
  }

  /** @param {import("./reading.js").Direction} direction */
  turn(direction) {
    this.direction = direction
    this.stage.show("zoom", "otherZoom")
  }

  /** Whether both masks are looked at: the run has one, and it is wanted. */
  compares() {
    return this.data.both && this.data.causal_mask !== null && !this.data.present
  }

  compare() {
    this.data = { ...this.data, both: !this.data.both } // shown at once; Python hears of it and passes it on from then on
    this.streamlit.setTriggerValue("both", this.data.both)
    this.showComparison()
    if (this.data.both) this.ask()
    else this.stage.showAll()
  }

  showComparison() {
    const button = /** @type {HTMLElement} */ (this.root.querySelector(".both-masks"))
    button.hidden = this.data.causal_mask === null
    button.textContent = this.data.labels.both_masks
    button.title = this.data.labels.both_masks_help
    button.setAttribute("aria-pressed", String(Boolean(this.data.both)))
  }

  unmount() {
    clearTimeout(this.slow)
    this.time?.close()
    for (const part of [this.box, this.asker, this.chips, this.stage, this.follower, this.writer]) part.close()
  }
}

/** What an answer depends on, of all that Python passes. */
const topic = (/** @type {Data} */ { run, layer, causal_mask, both, step }) =>
  JSON.stringify([run?.id, layer, causal_mask, both, step])

/** What the picture depends on, of all that Python passes. */
const picture = (/** @type {Data} */ { head, both, lens, summary, colours, numbers, temperature, top_k, top_p, language }) =>
  JSON.stringify([head, both, lens, summary, colours, numbers, temperature, top_k, top_p, language])
