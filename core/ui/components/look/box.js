// The sentence in its box: what is typed is reported at once, and committed when the typing rests.

const REST = 400 // milliseconds after the last key

/** @type {Map<string, string>} page → what was typed there and is not committed yet: it outlives a box that is taken away */
const uncommitted = new Map()

/**
 * @param {HTMLInputElement} input
 * @param {{ typed(): void, committed(text: string): void }} tell
 * @returns {{ text(): string, write(text: string): void, edit(text: string): void, recover(): void, close(): void }} `text`: what was
 *   reported last, which is not what stands in the box while an input method is at work; `write` replaces it silently,
 *   `edit` as if it had been typed, `recover` what was typed into a box that was taken away before the typing rested
 */
export function sentenceBox(input, { typed, committed }) {
  let known = input.value // what was reported last
  let said = input.value // what was committed last
  let timer = 0
  const page = location.pathname

  const commit = () => {
    clearTimeout(timer)
    uncommitted.delete(page)
    if (input.value !== said) committed((said = input.value))
  }
  const take = () => {
    if (input.value === known) return
    known = input.value
    uncommitted.set(page, known)
    typed()
    clearTimeout(timer)
    timer = setTimeout(commit, REST)
  }
  // An input method composes a character over several keys: what stands in the box meanwhile is not yet meant.
  input.addEventListener("input", event => {
    if (!(/** @type {InputEvent} */ (event).isComposing)) take()
  })
  input.addEventListener("compositionstart", () => clearTimeout(timer))
  input.addEventListener("compositionend", take)
  input.addEventListener("blur", () => {
    take()
    commit()
  })
  return {
    text: () => known,
    write(text) {
      clearTimeout(timer)
      input.value = text
      known = said = input.value
    },
    edit(text) {
      input.value = text
      take()
    },
    recover() {
      const text = uncommitted.get(page)
      if (text !== undefined) this.edit(text)
    },
    close: () => clearTimeout(timer),
  }
}
