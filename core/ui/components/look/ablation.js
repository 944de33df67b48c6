// What a head does: heads are silenced by unticking them, keys hidden on their tokens, and the answer says what that
// changed. A bright cell is no explanation: what a head is worth is measured apart from where it looks.

import { visible } from "../shared/tokens.js"
import { fill, lossWords, shareWords } from "../shared/words.js"
import { largest } from "./facts.js"
import { mapAfter } from "./grid.js"
import { layersOf, mapsOf } from "./layers.js"

const NAMED = 2 // heads or weights that a sentence names; of more it says how many
const [SMALLEST, LARGEST] = [9, 16] // pixels of a tick …
const SHARE = 0.32 // … which takes so much of its map's side

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./hands.js").Place} Place */
/** @typedef {{ heads: [number, number][], keys: number[] }} Taken what is taken away: heads as layer and head, positions of keys */

/**
 * Heads as Python writes them: "0.2,1.3" is layer 0 head 2 and layer 1 head 3.
 * @param {string} written
 * @returns {[number, number][]}
 */
export const headsOf = written =>
  written
    .split(",")
    .filter(Boolean)
    .map(one => /** @type {[number, number]} */ (one.split(".").map(Number)))

/** @param {[number, number][]} heads */
const written = heads =>
  [...heads]
    .sort(([layer, head], [other, last]) => layer - other || head - last)
    .map(([layer, head]) => `${layer}.${head}`)
    .join(",")

/**
 * What is taken away, in words that follow a number: "without layer 0 head 2".
 * @param {Taken} taken
 * @param {number} all heads that the model has
 * @param {Record<string, any>} words
 */
export function takenWords({ heads, keys }, all, words) {
  const names = heads.map(([layer, head]) => fill(words.head, { layer, head })).join(words.and)
  const many = heads.length === all ? words.all : fill(words.many, { count: heads.length, all })
  const parts = [
    ...(heads.length > 0 ? [fill(words.without, { heads: heads.length < all && heads.length <= NAMED ? names : many })] : []),
    ...(keys.length > 0 ? [fill(words.keys, { positions: keys.join(words.and) })] : []),
  ]
  return parts.join(words.and)
}

/** What a look was made without: "0.2|3" is layer 0 head 2, and the key at position 3. @param {Record<string, any>} header */
export const takenOf = ({ ablation }) => (ablation ? `${written(ablation.heads)}|${ablation.keys.join(",")}` : "")

/** How many heads a look has. @param {Record<string, any>} header */
export const headCount = header =>
  (header.maps ?? []).reduce((/** @type {number} */ sum, /** @type {any} */ { shape }) => sum + shape[0], 0)

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {() => Record<string, any>} options.data
 * @param {() => boolean} options.earlier whether an earlier step is looked at, of which there is no ablation
 * @param {() => void} options.changed other heads or keys are taken away: the run has to be asked
 * @param {(place: Place | null) => void} options.preview a small map is pointed at
 * @param {(name: "ablating" | "hidden_keys" | "silenced", value: any) => void} options.told what has changed
 */
export function ablator(root, { data, earlier, changed, preview, told }) {
  const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root.querySelector(selector))
  const [toggle, ticks, board] = [".ablate", ".head-ticks", ".look-board"].map(find)
  const [loss, weight, reset, hide] = [".ablation-loss", ".ablation-weight", ".tick-all", ".hide-key"].map(find)
  let passed = data().silenced ?? "" // what Python passed last …
  /** @type {string[]} */
  const sent = [] // … and what it was told and has not passed yet
  let silent = new Set(passed.split(",").filter(Boolean))
  let on = Boolean(data().ablating) || silent.size > 0
  /** @type {number[]} */
  let keys = data().hidden_keys?.keys ?? []
  let keysOf = data().hidden_keys?.of ?? "" // the tokens of which those keys are hidden
  /** @type {View | null} */
  let shown = null
  let reached = "0.0" // the tick that the Tab key leads to
  let known = JSON.stringify([on, keys]) // to Python, of what it keeps without asking

  const nameOf = (/** @type {Place} */ { layer, head }) => `${layer}.${head}`
  const silenced = () => written([...silent].flatMap(headsOf))

  /** Something else is taken away from now on. */
  function change() {
    const now = JSON.stringify([on, keys])
    if (now !== known) {
      known = now
      told("ablating", on)
      told("hidden_keys", keys.length > 0 ? { keys, of: keysOf } : null)
    }
    if (silenced() !== (sent.at(-1) ?? passed)) {
      sent.push(silenced())
      told("silenced", silenced())
    }
    changed()
    mark(shown)
  }

  function all() {
    silent.clear()
    keys = []
    change()
  }

  toggle.addEventListener("click", () => {
    on = !on
    all()
  })
  reset.addEventListener("click", () => {
    all()
    toggle.focus() // the button has nothing left to do
  })
  hide.addEventListener("click", () => {
    const position = shown?.row
    if (!shown || position === null || position === undefined) return
    keys = keys.includes(position) ? keys.filter(one => one !== position) : [...keys, position].sort((one, other) => one - other)
    keysOf = signature(shown.look.header)
    change()
  })
  ticks.addEventListener("change", event => {
    const { checked, dataset } = /** @type {HTMLInputElement} */ (event.target)
    const name = nameOf(placeOf(dataset))
    if (checked) silent.delete(name)
    else silent.add(name)
    change()
  })
  ticks.addEventListener("keydown", event => {
    if (!shown || event.ctrlKey || event.metaKey || event.altKey) return
    const { header } = shown.look
    const here = placeOf(/** @type {HTMLElement} */ (event.target).dataset)
    const next = nameOf(mapAfter(event.key, here, layersOf(shown.look), header.maps?.[here.layer]?.shape[0] ?? header.shape[0]))
    if (next === nameOf(here)) return // the space bar ticks, as always
    event.preventDefault()
    reach(next)
    tickOf(next)?.focus()
  })
  ticks.addEventListener("mouseover", event => {
    const tick = /** @type {Element} */ (event.target).closest("input")
    if (tick) preview(placeOf(tick.dataset))
  })
  ticks.addEventListener("mouseleave", () => preview(null))

  const tickOf = (/** @type {string} */ name) => /** @type {HTMLInputElement | null} */ (ticks.querySelector(`input[data-name="${name}"]`))

  /** @param {string} name */
  function reach(name) {
    reached = tickOf(name) ? name : "0.0"
    for (const tick of ticks.querySelectorAll("input")) tick.tabIndex = tick.dataset.name === reached ? 0 : -1
  }

  /** Name what does not depend on the look. */
  function name() {
    const words = data().labels.ablation
    put(toggle, words.ablate)
    toggle.title = words.help
    toggle.setAttribute("aria-pressed", String(on))
    ticks.setAttribute("aria-label", words.ticks)
    put(reset, words.reset)
    root.dataset.ablating = String(on)
  }

  /**
   * The ticks over the small maps, what the measurement says, and the marks on tokens and on the large map.
   * @param {View | null} view
   */
  function mark(view) {
    shown = view
    name()
    ticks.hidden = loss.hidden = !on
    if (!view) return
    placeTicks(view)
    say(view)
    const hidden = on && !earlier() ? keys : []
    for (const [place, chip] of [...root.querySelectorAll(".token-chip")].entries())
      /** @type {HTMLElement} */ (chip).toggleAttribute("data-hidden-key", hidden.includes(place))
    const { ablation } = view.look.header
    const large = nameOf(view.focus)
    const isSilent = ablation?.heads.some((/** @type {[number, number]} */ one) => written([one]) === large)
    for (const caption of root.querySelectorAll(":is(.zoom-caption, .other-zoom .look-caption)")) {
      const place = /** @type {HTMLElement} */ (caption)
      if (isSilent) place.dataset.silent = data().labels.ablation.silent
      else delete place.dataset.silent
    }
  }

  /** @param {View} view */
  function placeTicks({ look: { header } }) {
    if (!on) return ticks.replaceChildren() // without measuring anything
    const names = (header.maps ?? [{ shape: header.shape }]).flatMap((/** @type {any} */ { shape }, /** @type {number} */ layer) =>
      Array.from({ length: shape[0] }, (_, head) => ({ layer, head })),
    )
    const spare = new Set(ticks.children)
    const origin = board.getBoundingClientRect()
    for (const place of names) {
      const box = mapBox(place)
      if (!box) continue
      const holder = holderOf(nameOf(place), place)
      spare.delete(holder)
      const frame = { left: box.left - origin.left, top: box.top - origin.top, width: box.width, height: box.height }
      for (const [edge, pixels] of Object.entries(frame)) holder.style.setProperty(edge, `${pixels}px`)
      markTick(holder, place, Math.min(box.width, box.height))
    }
    for (const one of spare) one.remove()
    reach(reached)
  }

  /** Where a small map stands. @param {Place} place */
  function mapBox({ layer, head }) {
    const own = root.querySelector(`.map-choice[data-layer="${layer}"][data-head="${head}"] canvas`)
    const axis = head === 0 ? "" : head + 1 // Plotly's names of the chosen layer's maps
    const box = (own ?? root.querySelector(`.attention-grid .nsewdrag[data-subplot="x${axis}y${axis}"]`))?.getBoundingClientRect()
    return box && box.width > 0 ? box : null
  }

  /** @param {string} name @param {Place} place */
  function holderOf(name, { layer, head }) {
    const known = tickOf(name)?.parentElement
    if (known) return known
    const holder = document.createElement("div")
    holder.className = "head-tick"
    const tick = document.createElement("input")
    tick.type = "checkbox"
    Object.assign(tick.dataset, { name, layer: String(layer), head: String(head) })
    holder.append(tick)
    ticks.append(holder)
    return holder
  }

  /** @param {HTMLElement} holder @param {Place} place @param {number} side */
  function markTick(holder, place, side) {
    const words = data().labels.ablation
    const tick = /** @type {HTMLInputElement} */ (holder.firstElementChild)
    const past = earlier()
    tick.checked = past || !silent.has(nameOf(place))
    tick.disabled = past
    tick.setAttribute("aria-label", fill(words.tick, place))
    tick.title = past ? words.earlier : tick.checked ? fill(words.untick, place) : fill(words.tick, place)
    holder.dataset.silent = String(!tick.checked)
    holder.style.setProperty("--tick", `${Math.round(Math.max(SMALLEST, Math.min(LARGEST, SHARE * side)))}px`)
  }

  /** @param {View} view */
  function say(view) {
    const { data: { labels, run, generates }, look, row } = view
    const words = labels.ablation
    const { ablation } = look.header
    loss.setAttribute("aria-live", run?.status === "running" ? "off" : "polite") // not at every step of a training
    put(loss, earlier() ? words.earlier : ablation ? lossSentence(look.header, words) : words.invite)
    const unhidden = ablation && ablation.keys.length > 0 && generates ? words.unhidden : ""
    const sentences = ablation && !earlier() ? [words.outline, weightSentence(look, words), unhidden] : []
    put(weight, sentences.filter(Boolean).join(" "))
    reset.hidden = !on || earlier() || (silent.size === 0 && keys.length === 0)
    const token = row === null ? undefined : look.header.tokens[row]
    hide.hidden = !on || earlier() || token === undefined
    if (token === undefined || row === null) return
    put(hide, fill(keys.includes(row) ? words.unhide : words.hide, { key: visible(token), position: row }))
    hide.setAttribute("aria-pressed", String(keys.includes(row)))
  }

  return {
    name,
    mark,
    /** Python has run again. Returns whether something else is taken away now. */
    update() {
      const now = data().silenced ?? ""
      name()
      if (now === passed) return false
      passed = now
      const own = sent.indexOf(now)
      if (own >= 0) {
        sent.splice(0, own + 1)
        return false // what it was told comes back
      }
      sent.length = 0
      silent = new Set(now.split(",").filter(Boolean))
      on ||= silent.size > 0
      name()
      return true
    },
    /** What is taken away from every look of the page. @returns {Taken} */
    taken: () => ({ heads: on ? headsOf(silenced()) : [], keys: on ? keys : [] }),
    /**
     * The model has read a text: keys that were hidden among other tokens are in sight again.
     * @param {Record<string, any>} header
     */
    read(header) {
      if (keys.length === 0 || signature(header) === keysOf) return
      keys = []
      change()
    },
  }
}

/** Which tokens they are that keys are hidden of: as many, from the same place. @param {Record<string, any>} header */
const signature = ({ tokens, crop }) => `${tokens.length}:${crop?.start ?? 0}`

/** @param {DOMStringMap} dataset @returns {Place} */
const placeOf = ({ layer, head }) => ({ layer: Number(layer), head: Number(head) })

/** @param {Record<string, any>} header @param {Record<string, any>} words */
function lossSentence(header, words) {
  const { ablation } = header
  const taken = takenWords(ablation, headCount(header), words)
  if (ablation.loss === null || ablation.loss_without === null) return fill(words.no_loss, { taken })
  const numbers = { loss: lossWords(ablation.loss), loss_without: lossWords(ablation.loss_without) }
  return fill(words.loss[ablation.loss_kind], { ...numbers, taken })
}

/**
 * Where the silenced heads look, beside what they are worth; nothing while the maps are covered.
 * @param {View["look"]} look
 * @param {Record<string, any>} words
 */
function weightSentence(look, words) {
  const { loss, loss_without, heads } = look.header.ablation
  if (look.covered || loss === null || loss_without === null || heads.length === 0) return ""
  const found = /** @type {[number, number][]} */ (heads).map(([layer, head]) => ({
    layer,
    head,
    weight: Math.max(0, largest(mapsOf(look, layer)[head]).weight),
  }))
  found.sort((one, other) => other.weight - one.weight)
  if (found.length === 1) return fill(words.weight, { weight: shareWords(found[0].weight) })
  const named = found.slice(0, NAMED).map(one => fill(words.weight_of, { ...one, weight: shareWords(one.weight) }))
  return fill(words.weights, { weights: named.join(words.and) })
}

/** @param {HTMLElement} element @param {string} words a status line that is set anew is read out anew */
function put(element, words) {
  if (element.textContent !== words) element.textContent = words
}
