// Which characters of a text became which of the tokens that a model read. Tokens that the model does not know were left
// out, so the tokens are found again one after another, from the side that is kept.

/** @typedef {{ start: number, end: number, token: string }} Unit a token and where it stands in the text */
/** @typedef {"digits" | "blanks" | "plain"} Kind what the tokens of a model are */

export const MASK = "[MASK]"
const LONGEST = 8192 // of a text longer than what is sent, only the beginning can be edited token by token

/**
 * @param {string} text
 * @param {Kind} kind
 * @returns {Unit[]}
 */
export function unitsOf(text, kind) {
  const pattern = kind === "blanks" ? /\[MASK\]|[\s\S]/gu : /[\s\S]/gu
  return [...text.slice(0, LONGEST).matchAll(pattern)].flatMap(({ 0: written, index }) => {
    const place = { start: index, end: index + written.length }
    if (kind === "digits") return [...written.normalize("NFKC")].map(token => ({ ...place, token }))
    return [{ ...place, token: kind === "blanks" && written === "_" ? MASK : written }]
  })
}

/**
 * The unit of each token; null for a token that the text does not have (the model's own, or a start that it was given).
 * @param {Unit[]} units
 * @param {string[]} tokens
 * @param {number} special how many tokens of the model's own stand in front
 * @returns {(Unit | null)[]}
 */
export function align(units, tokens, special) {
  let place = 0
  return tokens.map((token, position) => {
    if (position < special) return null
    while (place < units.length && units[place].token !== token) place++
    return units[place++] ?? null
  })
}

/**
 * What is remembered of positions, after the tokens have changed somewhere: what stands before and behind the change
 * keeps its own.
 * @template Memory
 * @param {[number, Memory][]} memory position → what is remembered
 * @param {string[]} before
 * @param {string[]} after
 * @returns {[number, Memory][]}
 */
export function carried(memory, before, after) {
  const shorter = Math.min(before.length, after.length)
  let front = 0
  while (front < shorter && before[front] === after[front]) front++
  let back = 0
  while (back < shorter - front && before[before.length - 1 - back] === after[after.length - 1 - back]) back++
  const moved = after.length - before.length
  return memory.flatMap(([position, one]) => {
    if (position < front) return [[position, one]]
    return position >= before.length - back ? [[position + moved, one]] : []
  })
}
