// A small menu behind a button: for the mouse, the keyboard and a screen reader (WAI-ARIA's pattern “menu button”). It
// stands in the browser's top layer, so nothing around it cuts it off.

const GAP = 4 // pixels between the button and its menu
const EDGE = 8 // pixels that are kept free at the window's edges

let menus = 0 // how many there have been: each needs a name

/**
 * @typedef {object} Item
 * @property {string} name for whoever tests the page
 * @property {string} label
 * @property {string} [note] a sentence beneath it, such as why it cannot be had
 * @property {boolean} [disabled]
 * @property {(tell: (words: string) => void) => void | Promise<void>} run the menu stays until it is done; `tell` says
 *   meanwhile how far it is. What it throws stands beneath it, and the menu stays.
 */

/**
 * @param {HTMLElement} button
 * @param {() => Item[]} items asked for whenever it opens
 */
export function menu(button, items) {
  const box = document.createElement("div")
  box.className = "page-menu"
  box.id = `page-menu-${menus++}`
  box.popover = "manual"
  box.setAttribute("role", "menu")
  button.after(box)
  button.setAttribute("aria-haspopup", "menu")
  button.setAttribute("aria-expanded", "false")
  button.setAttribute("aria-controls", box.id)

  const choices = () => /** @type {HTMLElement[]} */ ([...box.children])
  const isOpen = () => box.matches(":popover-open")
  const put = () => place(box, button)
  const outside = (/** @type {Event} */ { target }) => {
    if (!(target instanceof Node && (box.contains(target) || button.contains(target)))) close()
  }

  function close() {
    document.removeEventListener("pointerdown", outside, true)
    removeEventListener("resize", put)
    removeEventListener("scroll", put, true)
    button.setAttribute("aria-expanded", "false")
    if (isOpen()) box.hidePopover()
  }

  /** @param {number} first which one takes the keyboard; −1: the last */
  function open(first) {
    box.setAttribute("aria-label", button.getAttribute("aria-label") ?? "")
    box.replaceChildren(...items().map(one => choice(one, done)))
    box.showPopover()
    put()
    button.setAttribute("aria-expanded", "true")
    choices().at(first)?.focus()
    document.addEventListener("pointerdown", outside, true)
    addEventListener("resize", put)
    addEventListener("scroll", put, true)
  }

  function done() {
    const own = box.contains(document.activeElement)
    close()
    if (own) button.focus()
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const all = choices()
    const place = all.indexOf(/** @type {HTMLElement} */ (document.activeElement))
    /** @type {Record<string, number>} */
    const ways = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: -1 }
    event.stopPropagation() // no key of an open menu means something to the page
    if (event.key === "Tab") return close()
    if (event.key === "Escape") done()
    else if (event.key in ways) all.at(ways[event.key] % all.length)?.focus()
    else return
    event.preventDefault()
  }

  box.addEventListener("keydown", key)
  button.addEventListener("click", () => (isOpen() ? done() : open(0)))
  button.addEventListener("keydown", event => {
    if (event.key === "Escape" && isOpen()) close()
    else if (event.key === "ArrowDown") open(0)
    else if (event.key === "ArrowUp") open(-1)
    else return
    event.preventDefault()
    event.stopPropagation()
  })
}

/**
 * @param {Item} item
 * @param {() => void} done
 */
function choice({ name, label, note = "", disabled = false, run }, done) {
  const made = document.createElement("button")
  made.type = "button"
  made.tabIndex = -1
  made.dataset.item = name
  made.setAttribute("role", "menuitem")
  made.setAttribute("aria-disabled", String(disabled))
  const below = document.createElement("small")
  below.setAttribute("role", "status")
  const tell = (/** @type {string} */ words) => void (below.textContent = words)
  tell(note)
  made.append(label, below)
  made.addEventListener("click", async () => {
    if (made.getAttribute("aria-disabled") === "true") return
    made.setAttribute("aria-disabled", "true") // one at a time
    try {
      await run(tell)
      if (made.isConnected) done()
    } catch (problem) {
      tell(/** @type {Error} */ (problem).message)
    }
    made.setAttribute("aria-disabled", "false")
  })
  return made
}

/**
 * Beneath the button, or above it where there is more room; within the window.
 * @param {HTMLElement} box
 * @param {HTMLElement} button
 */
function place(box, button) {
  const at = button.getBoundingClientRect()
  const { width, height } = box.getBoundingClientRect()
  const left = Math.max(EDGE, Math.min(at.right - width, innerWidth - width - EDGE))
  const under = at.bottom + GAP + height <= innerHeight - EDGE
  const top = under ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - height)
  Object.assign(box.style, { left: `${left}px`, top: `${top}px` })
}
