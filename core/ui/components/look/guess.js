// Predict, then reveal: the maps are covered, one is asked where a query looks most, answers with a token, and is shown the
// query's row. The score of a guess is its weight as a share of the row's largest.

import { visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { covered } from "./cover.js"
import { tokensOf } from "./layers.js"
import { openCells, weightsOf } from "./lens.js"

const FEWEST = 3 // keys that there must be to choose from

/** @typedef {import("./view.js").View} View */
/** @typedef {"off" | "asking" | "answered" | "shown" | "impossible"} Phase */
/** @typedef {{ layer: number, head: number, query: number, keys: number[] }} Question `keys`: those that the query may look at */

const score = { sum: 0, rounds: 0 } // kept as long as the page is open, whatever is looked at

/**
 * Which query is asked about: drawn from those with enough keys, the same one for the same text, head and round; not the
 * one before.
 * @param {Float32Array[]} map the weights that are shown
 * @param {string} topic
 * @param {number | null} before
 * @returns {number | null} null: no query has enough keys
 */
export function drawn(map, topic, before) {
  const able = [...map.keys()].filter(query => openCells(map[query]) >= FEWEST)
  const others = able.filter(query => query !== before)
  const from = others.length > 0 ? others : able
  return from.length > 0 ? from[hash(topic) % from.length] : null
}

/** FNV-1a, 32 bits, of UTF-16 units. @param {string} words */
function hash(words) {
  let number = 0x811c9dc5
  for (let place = 0; place < words.length; place++) number = Math.imul(number ^ words.charCodeAt(place), 0x01000193) >>> 0
  return number
}

/**
 * What a guess was worth.
 * @param {Float32Array} row the query's weights; NaN where masked
 * @param {number} guess a key
 * @returns {{ weight: number, largest: number, favourite: number, rank: number, keys: number, share: number }}
 */
export function judged(row, guess) {
  const open = [...row.keys()].filter(key => row[key] >= 0)
  const favourite = open.reduce((best, key) => (row[key] > row[best] ? key : best), open[0])
  const [weight, largest] = [row[guess], row[favourite]]
  const rank = 1 + open.filter(key => row[key] > weight).length
  return { weight, largest, favourite, rank, keys: open.length, share: largest > 0 ? weight / largest : 0 }
}

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {() => View | null} options.view what there is to see, uncovered
 * @param {() => Record<string, any>} options.data
 * @param {() => void} options.changed the maps have to be painted anew
 * @param {(on: boolean) => void} options.told
 */
export function guesser(root, { view, data, changed, told }) {
  const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root.querySelector(selector))
  const [toggle, panel, chips] = [".guess-first", ".look-guess", ".token-chips"].map(find)
  const [said, points, next, all] = ["p", "span", ".guess-next", ".guess-all"].map(one => /** @type {HTMLElement} */ (panel.querySelector(one)))
  /** @type {Phase} */
  let phase = data().guess ? "asking" : "off"
  /** @type {Question | null} */
  let question = null
  let topic = "" // what the question is about
  let round = 0
  /** @type {{ guess: number, step: number, names: string[], verdict: ReturnType<typeof judged> } | null} */
  let answer = null

  /** @param {Phase} now */
  function turn(now) {
    phase = now
    changed()
    mark()
  }

  /** Ask about what is looked at now, unless that is what was asked. @param {View} seen */
  function consider(seen) {
    const now = JSON.stringify([seen.data.run?.id, seen.text, seen.data.layer, seen.data.head, seen.look.header.causal, seen.data.lens.hide_first, round])
    if (phase === "off" || phase === "shown" || now === topic) return
    topic = now
    const { layer } = seen.look.header
    const head = Math.min(seen.data.head, seen.look.maps.length - 1)
    const map = weightsOf(seen.look.maps[head], seen.data.lens)
    const { keys, queries } = tokensOf(seen.look.header, layer)
    const onChips = String(keys) === String(seen.look.header.tokens) && keys.length === seen.look.header.tokens.length
    const query = onChips && queries.length === keys.length ? drawn(map, now, question?.query ?? null) : null
    question = query === null ? null : { layer, head, query, keys: [...keys.keys()].filter(key => map[query][key] >= 0) }
    answer = null
    phase = question ? "asking" : "impossible"
  }

  /** @param {number} key @param {boolean} byKeyboard */
  function guess(key, byKeyboard) {
    const seen = view()
    if (!seen || !question || !question.keys.includes(key) || chips.dataset.text !== seen.text) return
    const row = weightsOf(seen.look.maps[question.head], seen.data.lens)[question.query]
    answer = { guess: key, step: seen.look.header.step, names: seen.look.header.tokens, verdict: judged(row, key) }
    score.sum += answer.verdict.share
    score.rounds += 1
    turn("answered")
    if (byKeyboard) next.focus()
  }

  /** @param {KeyboardEvent} event while a token is chosen: no key may change the text */
  function key(event) {
    if (phase !== "asking" || !question || event.key === "Tab" || event.ctrlKey || event.metaKey || event.altKey) return
    event.stopPropagation()
    const here = [...chips.children].indexOf(/** @type {Element} */ (event.target))
    const { keys } = question
    const [first, last] = [keys[0], keys[keys.length - 1]]
    /** @type {Record<string, number>} */
    const ways = {
      ArrowLeft: keys.findLast(one => one < here) ?? last,
      ArrowRight: keys.find(one => one > here) ?? first,
      Home: first,
      End: last,
    }
    if (!(event.key in ways)) return // Enter and the space bar press the button, as always
    event.preventDefault()
    focusOn(ways[event.key])
  }

  const focusOn = (/** @type {number} */ place) => /** @type {HTMLElement | undefined} */ (chips.children[place])?.focus()

  /** @param {MouseEvent} event the keyboard goes on to the tokens; a mouse needs no such help */
  function ask(event) {
    round += 1
    const seen = view()
    phase = "asking"
    if (seen) consider(seen)
    turn(phase)
    if (event.detail === 0 && question) focusOn(question.keys[question.keys.length - 1])
  }

  /** Say what is asked or what came of it, and mark it on the tokens. */
  function mark() {
    const words = data().labels.guess
    put(toggle, words.first)
    toggle.title = words.help
    toggle.setAttribute("aria-pressed", String(phase !== "off"))
    panel.setAttribute("aria-label", words.first)
    panel.hidden = phase === "off"
    root.dataset.guess = phase
    put(said, sentence(words))
    put(points, scoreWords(words))
    points.title = words.score_help
    put(next, words.next)
    put(all, words.all)
    next.hidden = phase === "asking" || phase === "impossible"
    all.hidden = phase === "shown" || phase === "impossible"
    if (phase === "asking") chips.setAttribute("aria-describedby", said.id)
    else chips.removeAttribute("aria-describedby")
    ;[...chips.children].forEach((chip, place) => markChip(/** @type {HTMLElement} */ (chip), place))
  }

  /** @param {HTMLElement} chip @param {number} place */
  function markChip(chip, place) {
    const parts = []
    if (question && (phase === "asking" || phase === "answered")) {
      if (place === question.query) parts.push("query")
      if (!question.keys.includes(place)) parts.push("closed")
      if (phase === "answered" && place === answer?.guess) parts.push("guess")
      if (phase === "answered" && place === answer?.verdict.favourite) parts.push("favourite")
    }
    if (parts.length > 0) chip.dataset.guess = parts.join(" ")
    else delete chip.dataset.guess
  }

  /** @param {Record<string, string>} words */
  function sentence(words) {
    if (phase === "impossible") return words.impossible
    if (phase === "asking" && question) {
      const token = visible(view()?.look.header.tokens[question.query] ?? "")
      return fill(words.question, { ...question, query: token, position: question.query })
    }
    if (!answer) return ""
    const { guess: key, step, names, verdict } = answer
    return fill(key === verdict.favourite ? words.right : words.wrong, {
      ...verdict,
      step,
      guess: visible(names[key]),
      guess_position: key,
      favourite: visible(names[verdict.favourite]),
      favourite_position: verdict.favourite,
      weight: shareWords(verdict.weight),
      largest: shareWords(verdict.largest),
    })
  }

  /** @param {Record<string, string>} words */
  function scoreWords(words) {
    if (score.rounds === 0) return ""
    const { sum, rounds } = score
    return fill(words.score, { mean: (sum / rounds).toFixed(2), rounds })
  }

  toggle.addEventListener("click", event => {
    topic = ""
    if (phase === "off") ask(event)
    else turn("off")
    told(phase !== "off")
  })
  next.addEventListener("click", ask)
  all.addEventListener("click", () => {
    turn("shown")
    next.focus()
  })
  chips.addEventListener("keydown", key, true)
  chips.addEventListener(
    "click",
    event => {
      if (phase !== "asking") return
      event.stopPropagation() // a click neither changes nor hides a token now
      const chip = /** @type {Element} */ (event.target).closest(".token-chip")
      if (chip) guess([...chips.children].indexOf(chip), event.detail === 0)
    },
    true,
  )

  return {
    mark,
    /**
     * What may be seen of a view while a guess is awaited, and after it.
     * @param {View} seen
     * @returns {View}
     */
    cover(seen) {
      if (phase === "off") return seen
      consider(seen)
      if (!question || phase === "shown" || phase === "impossible") return seen
      const { focus } = seen
      const open = phase === "answered" && focus.layer === question.layer && focus.head === question.head ? question : null
      const cover = /** @type {"rest" | "all"} */ (open ? "rest" : "all")
      return {
        ...seen,
        look: { ...covered(seen.look, open), covered: cover },
        other: seen.other && { ...covered(seen.other, null), covered: "all" },
        held: null,
        row: open ? open.query : null,
        direction: "outgoing",
      }
    },
  }
}

/** @param {HTMLElement} element @param {string} words a status line that is set anew is read out anew */
function put(element, words) {
  if (element.textContent !== words) element.textContent = words
}
