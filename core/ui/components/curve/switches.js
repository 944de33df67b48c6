// How the curves are drawn: which axes. The choice is the tab's, for every page, and outlives reruns and reloads.

const KEY = "attention-live.curve"

/** @typedef {{ log: boolean, tokens: boolean }} Choice */

/** @returns {Choice} */
export function chosen() {
  try {
    return { log: false, tokens: false, ...JSON.parse(sessionStorage.getItem(KEY) ?? "{}") }
  } catch {
    return { log: false, tokens: false } // storage may be forbidden, or hold what is not ours
  }
}

/**
 * Let buttons change the choice.
 * @param {HTMLElement} root
 * @param {(choice: Choice) => void} changed
 */
export function connect(root, changed) {
  for (const button of buttons(root))
    button.addEventListener("click", () => {
      const choice = chosen()
      const name = /** @type {keyof Choice} */ (button.dataset.choice)
      choice[name] = !choice[name]
      try {
        sessionStorage.setItem(KEY, JSON.stringify(choice))
      } finally {
        changed(choice)
      }
    })
}

/**
 * @param {HTMLElement} root
 * @param {Choice} choice
 * @param {Record<string, any>} labels
 */
export function showSwitches(root, choice, labels) {
  for (const button of buttons(root)) {
    const name = /** @type {keyof Choice} */ (button.dataset.choice)
    const [words, help] =
      name === "log" ? [labels.logarithmic, labels.logarithmic_help] : [labels.by_tokens, labels.by_tokens_help]
    button.setAttribute("aria-pressed", String(choice[name]))
    button.title = help
    if (button.textContent !== words) button.textContent = words
  }
}

/** @param {HTMLElement} root @returns {HTMLElement[]} */
const buttons = root => [...root.querySelectorAll(".curve-switch")]
