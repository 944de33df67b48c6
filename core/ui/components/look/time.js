// Looking back: while an earlier step is chosen (on the scrubber, on the curve), the maps come from the past of the run.

import { moment } from "../shared/moment.js"
import { past } from "../shared/past.js"

const REST = 700 // milliseconds after which the typing is taken to rest, and the past of the text is fetched
const SENT = 4096 // characters, as of a look

/** @typedef {import("../shared/frame.js").Look} Look */

export class Time {
  /**
   * @param {string} run
   * @param {() => void} moved called when another moment is looked at, or more of the past has come
   */
  constructor(run, moved) {
    this.moment = moment(run)
    this.past = past(run)
    this.wanted = "" // the text whose past is fetched
    this.timer = 0
    this.stops = [
      this.moment.subscribe(moved),
      this.past.subscribe(() => {
        if (this.step !== null) moved()
      }),
    ]
  }

  /** @returns {number | null} the step that is looked back at; null: the newest */
  get step() {
    return this.moment.get().step
  }

  /** @param {string} text @param {boolean | null} causal_mask */
  want(text, causal_mask) {
    clearTimeout(this.timer)
    this.wanted = text
    const characters = [...text]
    this.past.want(characters.slice(0, SENT).join(""), causal_mask, characters.length)
  }

  /** Fetch the past when the typing rests: the biographies of the heads are drawn from it. @param {() => void} want */
  later(want) {
    clearTimeout(this.timer)
    this.timer = setTimeout(want, REST)
  }

  /**
   * What the model made of the text at the moment that is looked at; null at the newest, and while it has not come.
   * @param {Look} newest
   * @param {string} text that it answers
   * @returns {Look | null}
   */
  look({ header }, text) {
    const frame = this.step === null || text !== this.wanted ? null : this.past.frame(this.step)
    if (!frame) return null
    const { step, loss, statistics } = frame
    const shape = frame.header.maps[0].shape
    const shared = { ...header, ...frame.header, predictions: frame.header.predictions }
    const past = { step, loss, statistics, layer: 0, shape, checks: null, shares: null, ablation: null, notices: header.notices }
    return { header: { ...shared, ...past }, logits: frame.logits, maps: [], overview: frame.maps, rollout: frame.rollout, baseline: null }
  }

  close() {
    clearTimeout(this.timer)
    for (const stop of this.stops) stop()
    this.past.close()
  }
}
