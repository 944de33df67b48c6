// The space bar plays and pauses, wherever one is on the page but in a box or on another control, which it means more to.

const CONTROLS = [
  "a[href], button, input, select, textarea, summary, iframe, audio, video, [contenteditable=true]",
  ...["button", "checkbox", "combobox", "grid", "gridcell", "link", "listbox", "menuitem", "option", "radio"].map(role),
  ...["slider", "spinbutton", "switch", "tab", "textbox", "treeitem"].map(role),
  '[tabindex="0"]:not(main)', // what takes the focus in ways of its own; the page's main part takes it to scroll
].join(", ")

/** @param {string} name */
function role(name) {
  return `[role="${name}"]`
}

/**
 * @param {HTMLElement} slider the one control on which the space bar means to play
 * @param {() => boolean} play whether it could
 * @returns {() => void} ends it
 */
export function spaceBar(slider, play) {
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== " " || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (event.defaultPrevented || event.isComposing) return
    const { target } = event
    if (target !== slider && target instanceof Element && target.closest(CONTROLS)) return
    if (document.querySelector('[role="dialog"]')) return // it stands before the page
    if (event.repeat || play()) event.preventDefault() // it would scroll the page
  }
  document.addEventListener("keydown", press)
  return () => document.removeEventListener("keydown", press)
}
