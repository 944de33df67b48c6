// Tokens as a figure writes them; core/figures/tokens.py does the same for figures that are made in Python.

/** @type {Record<string, string>} */
const VISIBLE = { " ": "␣", "\n": "⏎", "\t": "⇥" }
/** @type {Record<string, string>} */
const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }
/** @type {Record<string, string>} */
const SHORT = { "[MASK]": "[M]", "[CLS]": "[C]", "[START]": "[S]", "[END]": "[E]", "[PAD]": "[P]" }

/**
 * A token with its spaces and newlines visible, as plain text.
 * @param {string} token
 * @returns {string}
 */
export const visible = token => [...token].map(character => VISIBLE[character] ?? character).join("")

/**
 * A token for Plotly, which reads some HTML in its labels.
 * @param {string} token
 * @returns {string}
 */
export const shown = token => [...visible(token)].map(character => ESCAPED[character] ?? character).join("")

/**
 * Integer ticks named by the tokens. Names that would run into each other are shortened or thinned out.
 * @param {string[]} tokens
 * @param {number} room pixels from one token to the next
 * @param {{ largest: number, smallest: number, long?: boolean }} options `long`: there is room for whole long tokens
 */
export function ticks(tokens, room, { largest, smallest, long = false }) {
  const size = Math.min(largest, Math.max(smallest, Math.floor(room * 0.85)))
  const every = Math.max(1, Math.ceil((smallest * 0.95) / room))
  const places = [...tokens.keys()].filter(place => place % every === 0)
  const names = places.map(place => shown(long ? tokens[place] : (SHORT[tokens[place]] ?? tokens[place])))
  return { tickvals: places, ticktext: names, tickfont: { size } }
}
