// The component `biography`: what became of each head of a layer while the run learned, from the past that the page has
// read (shared/past.js). A line marks the moment that is looked at; a click sets it, and so does dragging the line.

import { leap } from "../curve/axes.js"
import { download, table } from "../shared/files.js"
import { marker } from "../shared/marker.js"
import { menu } from "../shared/menu.js"
import { moment } from "../shared/moment.js"
import { aimedAt, hasPast, past } from "../shared/past.js"
import { pictureItems, pictureOf } from "../shared/picture.js"
import { describe, draw, figureFrom, forget, loadPlotly, onWidth } from "../shared/plotly.js"
import { lastStep, watch } from "../shared/stream.js"
import { pageTheme } from "../shared/theme.js"
import { fill, shareWords } from "../shared/words.js"
import { largest, lifeTable, lives, MEASURES, measuredOf } from "./lives.js"

const HEIGHT = 190 // pixels
const PAUSE = 300 // milliseconds between two paintings
const MARGIN = 1.01 // as the curve's axis of steps

/** @typedef {import("../shared/past.js").PastFrame} PastFrame */

/** @param {any} component what Streamlit passes */
export function mount(component) {
  const biography = new Biography(component)
  biography.update(component)
  return biography
}

class Biography {
  /** @param {any} component */
  constructor(component) {
    this.root = /** @type {HTMLElement} */ (component.parentElement.querySelector(".attention-biography"))
    const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (this.root.querySelector(name))
    this.plot = part(".biography-plot")
    this.now = part(".biography-now")
    this.empty = part(".biography-empty")
    this.save = part(".save-image")
    this.data = component.data
    this.plotly = null
    this.run = ""
    /** @type {import("../shared/stream.js").Course | null} */
    this.course = null
    /** @type {import("../shared/past.js").Past | null} */
    this.past = null
    /** @type {(() => void)[]} */
    this.leave = []
    /** @type {number | null} */
    this.left = null // the moment before the last click
    this.timer = 0
    this.inSight = false
    this.closed = false
    this.marker = marker(part(".biography-stage"), this.plot, {
      picked: step => this.pick(step),
      undone: () => moment(this.run).set(this.left),
    })
    menu(this.save, () => this.offers())
    this.stopWatchingWidth = onWidth(this.root, () => this.soon())
    this.sight = new IntersectionObserver(entries => this.seen(entries.some(one => one.isIntersecting)))
    this.sight.observe(this.root)
    loadPlotly().then(Plotly => {
      this.plotly = Plotly
      this.soon()
    }, console.error)
  }

  /** @param {any} component */
  update(component) {
    this.data = component.data
    const { run, labels, language } = this.data
    this.root.lang = language
    this.save.title = labels.save
    this.save.setAttribute("aria-label", labels.save)
    if ((run?.id ?? "") !== this.run) this.follow(run?.id ?? "")
    this.soon()
  }

  /** @param {string} run */
  follow(run) {
    this.letGo()
    this.run = run
    if (!run) return
    const watching = watch(run, course => this.hear(course))
    this.past = past(run)
    this.past.subscribe(() => this.soon())
    this.leave = [() => watching.stop(), moment(run).subscribe(() => this.mark()), () => this.past?.close()]
  }

  letGo() {
    for (const leave of this.leave) leave()
    this.leave = []
    this.course = this.past = null
  }

  /** @param {import("../shared/stream.js").Course} course */
  hear(course) {
    this.course = course
    this.mark()
    this.sayWhyEmpty()
  }

  /** @param {boolean} inSight what nobody sees is not drawn: a run tells of new steps all the time */
  seen(inSight) {
    this.inSight = inSight
    if (inSight) this.soon()
  }

  soon() {
    if (!this.timer) this.timer = setTimeout(() => this.paint(), this.root.dataset.drawn ? PAUSE : 0)
  }

  /** @returns {PastFrame[]} */
  frames() {
    const { past } = this
    return past ? past.steps().flatMap(step => past.frame(step) ?? []) : []
  }

  /** @returns {boolean} */
  isThere() {
    return this.course !== null && hasPast(this.course)
  }

  paint() {
    this.timer = 0
    this.sayWhyEmpty()
    if (this.closed || !this.plotly || !this.inSight) return
    const { data, root, plot } = this
    const frames = this.isThere() ? this.frames() : []
    const figure = figureFrom(root, data.figures, "biography")
    const heads = (figure.data.length - 1) / MEASURES.length
    const lines = lives(frames, data.layer, heads)
    const styles = data.styles[pageTheme(root)]
    figure.data.forEach((trace, place) => {
      const own = place === figure.data.length - 1 ? {} : place % heads === data.head ? styles.chosen : styles.other
      Object.assign(trace, lines[place], own)
    })
    this.setAxes(figure.layout, lines, heads)
    Object.assign(figure.layout, { width: plot.clientWidth, height: HEIGHT })
    draw(this.plotly, plot, figure, data.labels.plotly, { doubleClick: false })
    root.dataset.drawn = `${this.run} ${data.layer} ${data.head} ${frames.length}`
    root.dataset.last = String(frames.at(-1)?.step ?? "")
    describe(plot, this.fact(frames))
    this.mark()
  }

  /** @param {Record<string, any>} layout @param {{ y: (number | null)[] }[]} lines @param {number} heads */
  setAxes(layout, lines, heads) {
    const end = this.course ? lastStep(this.course) : (this.data.run?.steps ?? 1)
    MEASURES.forEach((_, place) => {
      const number = place === 0 ? "" : place + 1
      layout[`xaxis${number}`].range = [0, MARGIN * Math.max(1, end)]
      if (layout[`yaxis${number}`].range) return // a share
      const own = lines.slice(place * heads, (place + 1) * heads).concat(place === 0 ? (lines.at(-1) ?? []) : [])
      layout[`yaxis${number}`].range = [0, leap(1.04 * (largest(own) || 1))]
    })
  }

  /** @param {number} step */
  pick(step) {
    if (!this.course || !this.isThere()) return
    this.left = moment(this.run).get().step
    moment(this.run).set(aimedAt(this.course, step))
  }

  /** The moment that is looked at: a line in every chart, and the chosen head's numbers there. */
  mark() {
    const { step } = moment(this.run).get()
    const shown = this.isThere() ? (step ?? this.course?.step ?? null) : null
    this.marker.show(this.root.dataset.drawn ? shown : null, step === null)
    this.root.dataset.moment = step === null ? "newest" : String(step)
    const frame = shown === null ? null : (this.past?.frame(shown) ?? null)
    const words = frame ? this.numbers(frame) : ""
    if (this.now.textContent !== words) this.now.textContent = this.now.title = words
  }

  /** @param {PastFrame} frame @returns {string} */
  numbers(frame) {
    const { labels, layer, head } = this.data
    const measured = measuredOf(frame, layer)
    if (!measured) return ""
    const said = MEASURES.map(measure => {
      const value = numberWords(measured[/** @type {"entropy"} */ (measure)][head])
      return fill(labels[measure], { value, uniform: numberWords(measured.uniform_entropy) })
    })
    return fill(labels.now, { layer, head, step: frame.step, numbers: said.join(" · ") })
  }

  /** @param {PastFrame[]} frames @returns {string} what the charts show of the chosen head, in a sentence */
  fact(frames) {
    const { labels, layer, head } = this.data
    const [first, last] = [frames.at(0), frames.at(-1)]
    const [from, to] = [first, last].map(frame => frame && measuredOf(frame, layer))
    if (!first || !last || !from || !to) return this.whyEmpty()
    const said = MEASURES.map(measure => {
      const of = /** @type {"entropy"} */ (measure)
      const value = fill(labels.change, { from: numberWords(from[of][head]), to: numberWords(to[of][head]) })
      return fill(labels[measure], { value, uniform: numberWords(to.uniform_entropy) })
    })
    return fill(labels.fact, { layer, head, first: first.step, last: last.step, numbers: said.join(labels.comma) })
  }

  sayWhyEmpty() {
    const words = this.whyEmpty()
    this.empty.hidden = words === ""
    this.save.hidden = words !== ""
    if (this.empty.textContent !== words) this.empty.textContent = words
  }

  /** What one takes away: the charts as they are seen, and their numbers. */
  offers() {
    const { data, plot } = this
    const { labels, layer } = data
    const frames = this.frames()
    const name = `heads-layer-${layer}`
    const stamp = [this.fact(frames), fill(labels.take.seed, { seed: data.run.seed })]
    const csv = () => download(table(lifeTable(frames, layer)), `${name}.csv`)
    const pictures = pictureItems(labels.take, name, () => pictureOf(plot, stamp))
    return [...pictures, { name: "csv", label: labels.take.csv, run: csv }]
  }

  /** @returns {string} "" when there is something to see */
  whyEmpty() {
    const { course, data } = this
    if (this.isThere()) return this.past && this.past.steps().length > 0 ? "" : data.labels.reading
    return course?.from_file ? data.labels.from_file : data.labels.not_yet
  }

  unmount() {
    this.closed = true
    clearTimeout(this.timer)
    this.letGo()
    this.sight.disconnect()
    this.stopWatchingWidth()
    this.marker.close()
    forget(this.plot)
  }
}

/** @param {number | null | undefined} value @returns {string} */
const numberWords = value => (value === null || value === undefined ? "–" : shareWords(value))
