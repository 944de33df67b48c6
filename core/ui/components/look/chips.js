// The tokens that the model read, as a row of buttons: a digit is changed in place, a character hidden and brought back,
// a row of the map picked out. The text box stays the only truth: a button edits its text.

import { visible } from "../shared/tokens.js"
import { fill } from "../shared/words.js"
import { digitEditor } from "./digits.js"
import { align, carried, MASK, unitsOf } from "./units.js"

/** @typedef {import("./units.js").Kind} Kind */

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {() => { kind: Kind, labels: Record<string, any> }} options.data
 * @param {() => string} options.text what stands in the box
 * @param {(text: string) => void} options.edit put another text into the box
 * @param {(position: number | null, asked: boolean) => void} options.picked a token was picked out; `asked`: what would
 *   the model put there?
 * @param {(position: number | null) => void} options.pointed a token is pointed at
 */
export function tokenChips(root, { data, text, edit, picked, pointed }) {
  const row = /** @type {HTMLElement} */ (root.querySelector(".token-chips"))
  const modes = /** @type {HTMLElement} */ (root.querySelector(".chip-mode"))
  const hint = /** @type {HTMLElement} */ (root.querySelector(".chip-hint"))
  /** @type {string[]} */
  let tokens = []
  let special = 0
  let source = "" // the text that the tokens were read from
  /** @type {(import("./units.js").Unit | null)[]} */
  let units = []
  /** @type {number | null} */
  let chosen = null
  let reached = 0 // the button that the Tab key leads to
  let mode = "hide"
  /** @type {Map<number, string>} */
  let hidden = new Map() // position of a blank → the character that stood there
  const editor = digitEditor(/** @type {HTMLElement} */ (root.querySelector(".chip-editor")), {
    chosen: digit => chosen !== null && replace(chosen, digit),
    closed: () => buttonAt(reached)?.focus(),
  })

  const buttonAt = (/** @type {number} */ position) => /** @type {HTMLElement | undefined} */ (row.children[position])
  const editable = (/** @type {number} */ position) => position >= special && text() === source

  /** @param {number} position @param {string} token */
  function replace(position, token) {
    if (!editable(position)) return
    const written = token === MASK ? "_" : token
    const unit = units[position]
    tokens = tokens.with(position, token)
    // Without a unit the text was empty, and the model was given a start.
    const next = unit ? source.slice(0, unit.start) + written + source.slice(unit.end) : written
    remap(next)
    paint()
    edit(next)
  }

  /** @param {string} next */
  function remap(next) {
    source = next
    const { kind } = data()
    units = kind === "plain" ? [] : align(unitsOf(next, kind), tokens, special)
  }

  /** @param {number} position */
  function toggleBlank(position) {
    if (!editable(position)) return
    if (tokens[position] !== MASK) {
      hidden.set(position, tokens[position])
      replace(position, MASK)
    } else if (hidden.has(position)) {
      const character = /** @type {string} */ (hidden.get(position))
      hidden.delete(position)
      replace(position, character)
    }
    pick(position, false)
  }

  /** @param {number | null} position @param {boolean} asked */
  function pick(position, asked) {
    chosen = position
    if (position !== null) reached = position
    paint()
    picked(position, asked)
  }

  /** @param {number} position */
  function press(position) {
    const { kind } = data()
    const again = chosen === position
    if (kind === "blanks" && position >= special) {
      if (mode === "hide") toggleBlank(position)
      else pick(again ? null : position, !again)
      return
    }
    pick(again ? null : position, false)
    if (kind === "digits" && chosen !== null && chosen >= special) editor.open(buttonAt(chosen), tokens[chosen])
    else editor.close()
  }

  /** @param {number} position */
  function go(position) {
    reached = Math.max(0, Math.min(tokens.length - 1, position))
    if (editor.isOpen() && reached >= special) {
      pick(reached, false)
      editor.open(buttonAt(reached), tokens[reached])
    } else if (data().kind !== "blanks" && chosen !== null) pick(reached, false)
    else paint()
    buttonAt(reached)?.focus()
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key meant something */
  function key({ key: pressed }) {
    const { kind } = data()
    const last = tokens.length - 1
    /** @type {Record<string, number>} */
    const ways = { ArrowLeft: reached - 1, ArrowRight: reached + 1, Home: 0, End: last }
    if (pressed in ways) go(ways[pressed])
    else if (kind === "digits" && reached >= special && /^[0-9]$/.test(pressed)) change(pressed)
    else if (kind === "digits" && reached >= special && pressed === "ArrowUp") change(turned(1))
    else if (kind === "digits" && reached >= special && pressed === "ArrowDown") change(turned(9))
    else if (kind === "blanks" && ["_", "Delete", "Backspace"].includes(pressed)) toggleBlank(reached)
    else if (kind === "blanks" && pressed === "?") pick(reached, true)
    else if (pressed === "Escape" && (editor.isOpen() || chosen !== null)) {
      editor.close()
      pick(null, false)
    } else return false
    return true
  }

  const turned = (/** @type {number} */ by) => String((Number(tokens[reached]) + by) % 10)

  /** @param {string} digit */
  function change(digit) {
    pick(reached, false)
    replace(reached, digit)
    if (editor.isOpen()) editor.open(buttonAt(reached), digit)
  }

  function paint() {
    const { kind, labels } = data()
    while (row.children.length > tokens.length) row.lastElementChild?.remove()
    while (row.children.length < tokens.length) {
      const button = document.createElement("button")
      button.type = "button"
      button.className = "token-chip"
      row.append(button)
    }
    reached = Math.max(0, Math.min(reached, tokens.length - 1))
    tokens.forEach((token, position) => {
      const button = /** @type {HTMLButtonElement} */ (row.children[position])
      const part = position < special ? "special" : token === MASK ? "blank" : "token"
      const character = hidden.get(position)
      set(button, token === MASK ? "_" : visible(token))
      button.dataset.part = part
      button.tabIndex = position === reached ? 0 : -1
      button.setAttribute("aria-pressed", String(position === chosen))
      const sentence = labels[part === "blank" && character ? "hidden" : part === "token" ? kind : part]
      const name = fill(sentence, { token: visible(token), position, character: character ?? "" })
      button.setAttribute("aria-label", name)
      button.title = name
    })
  }

  function name() {
    const { kind, labels } = data()
    row.setAttribute("aria-label", labels.row)
    set(hint, labels.hints[kind])
    modes.hidden = kind !== "blanks"
    modes.setAttribute("aria-label", labels.hints.blanks)
    if (!modes.children.length) modes.append(modeButton("hide"), modeButton("ask"))
    for (const button of /** @type {Iterable<HTMLElement>} */ (/** @type {unknown} */ (modes.children))) {
      set(button, labels.modes[/** @type {string} */ (button.dataset.mode)])
      button.setAttribute("aria-checked", String(button.dataset.mode === mode))
      button.tabIndex = button.dataset.mode === mode ? 0 : -1
    }
    editor.say(labels.editor)
  }

  /** @param {string} own */
  function modeButton(own) {
    const button = document.createElement("button")
    button.type = "button"
    button.dataset.mode = own
    button.setAttribute("role", "radio")
    button.addEventListener("click", () => choose(own))
    button.addEventListener("keydown", event => {
      if (!event.key.startsWith("Arrow")) return
      event.preventDefault()
      choose(own === "hide" ? "ask" : "hide")
      /** @type {HTMLElement} */ (modes.querySelector('[aria-checked="true"]')).focus()
    })
    return button
  }

  /** @param {string} next */
  function choose(next) {
    mode = next
    name()
  }

  row.addEventListener("click", event => {
    const button = /** @type {Element} */ (event.target).closest(".token-chip")
    if (button) press([...row.children].indexOf(button))
  })
  row.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !key(event)) return
    event.preventDefault()
    event.stopPropagation()
  })
  row.addEventListener("mouseover", event => {
    const button = /** @type {Element} */ (event.target).closest(".token-chip")
    pointed(button ? [...row.children].indexOf(button) : null)
  })
  row.addEventListener("mouseleave", () => pointed(null))
  row.addEventListener("scroll", () => editor.close())
  row.addEventListener("focusin", event => {
    const position = [...row.children].indexOf(/** @type {Element} */ (event.target))
    if (position >= 0) reached = position
  })

  return {
    name,
    /**
     * The model has read a text.
     * @param {Record<string, any>} header
     * @param {string} read
     */
    show(header, read) {
      if (text() !== read) return // an answer to what is no longer there: the newest one is on its way
      hidden = new Map(carried([...hidden], tokens, header.tokens).filter(([position]) => header.tokens[position] === MASK))
      const same = tokens.length === header.tokens.length
      tokens = header.tokens
      special = header.special ?? 0
      remap(read)
      if (!same && chosen !== null && chosen >= tokens.length) pick(null, false)
      else paint()
      row.dataset.text = read
    },
    forget() {
      chosen = null
      editor.close()
      paint()
    },
    close: () => editor.close(),
  }
}

/** @param {HTMLElement} element @param {string} words */
function set(element, words) {
  if (element.textContent !== words) element.textContent = words
}
