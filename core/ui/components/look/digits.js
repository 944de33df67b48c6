// Ten buttons beneath a digit, one for each digit that may take its place.

/**
 * @param {HTMLElement} box
 * @param {object} options
 * @param {(digit: string) => void} options.chosen
 * @param {() => void} options.closed the keyboard has left it
 */
export function digitEditor(box, { chosen, closed }) {
  const buttons = Array.from({ length: 10 }, (_, digit) => {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = String(digit)
    button.addEventListener("click", () => {
      mark(String(digit))
      chosen(String(digit))
    })
    return button
  })
  box.append(...buttons)

  /** @param {string} digit */
  function mark(digit) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === digit))
  }

  const close = () => {
    box.hidden = true
  }

  box.addEventListener("keydown", event => {
    const place = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target))
    if (event.key === "Escape") {
      close()
      closed()
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      buttons[(place + (event.key === "ArrowRight" ? 1 : 9)) % 10].focus()
    } else if (/^[0-9]$/.test(event.key)) buttons[Number(event.key)].click()
    else return
    event.preventDefault()
  })

  return {
    /** @param {HTMLElement | undefined} chip @param {string} digit */
    open(chip, digit) {
      if (!chip) return
      box.hidden = false
      const room = /** @type {HTMLElement} */ (box.offsetParent ?? chip.parentElement)
      const left = chip.getBoundingClientRect().left - room.getBoundingClientRect().left
      box.style.left = `${Math.max(0, Math.min(left, room.clientWidth - box.offsetWidth))}px`
      mark(digit)
    },
    close,
    isOpen: () => !box.hidden,
    /** @param {string} words */
    say: words => box.setAttribute("aria-label", words),
  }
}
