// One token read closely: its attention over the sentence itself, in the large map on the token chips, and in every head
// of the layer side by side. Outgoing is the token's row (what it looks at), incoming its column (who looks at it).

import { visible } from "../shared/tokens.js"
import { fill, shareWords } from "../shared/words.js"
import { tokensOf } from "./layers.js"
import { weightsOf } from "./lens.js"
import { shownLarge } from "./summary.js"

/** @typedef {import("./view.js").View} View */
/** @typedef {"outgoing" | "incoming"} Direction */

/**
 * A token's weights in one map.
 * @param {Float32Array[]} map
 * @param {number} position
 * @param {Direction} direction
 * @returns {number[]} NaN where masked
 */
export const attentionOf = (map, position, direction) =>
  direction === "outgoing" ? Array.from(map[position] ?? []) : map.map(row => row[position])

/**
 * Shade the chips by the weights of the token that is picked out or pointed at, and print each under its token.
 * @param {HTMLElement} root
 * @param {View | null} view null: nothing is read
 * @param {number | null} position
 * @param {Direction} direction
 */
export function shadeChips(root, view, position, direction) {
  const chips = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".token-chip")])
  const weights = view && position !== null ? weightsHere(view, position, direction) : []
  chips.forEach((chip, place) => {
    const weight = weights[place]
    if (weight === undefined || Number.isNaN(weight)) {
      delete chip.dataset.weight
      chip.style.removeProperty("--weight")
      return
    }
    chip.dataset.weight = shareWords(weight).replace(/^0/, "")
    chip.style.setProperty("--weight", `${Math.round(100 * weight)}%`)
  })
}

/** @param {View} view @param {number} position @param {Direction} direction */
function weightsHere({ look, focus, data }, position, direction) {
  const { maps, head } = shownLarge(look, focus.head, data.summary)
  const map = weightsOf(maps[head], data.lens)
  const tokens = tokensOf(look.header, look.header.layer)
  return tokens.queries === tokens.keys ? attentionOf(map, position, direction) : []
}

/**
 * The table of all heads of the layer: a row a head, a column a token.
 * @param {HTMLElement} panel
 * @param {View} view
 * @param {Direction} direction
 * @param {(direction: Direction) => void} turn
 */
export function paintReading(panel, { look, data, row: position }, direction, turn) {
  const { labels } = data
  const tokens = tokensOf(look.header, look.header.layer)
  const mine = direction === "outgoing" ? tokens.queries : tokens.keys
  panel.hidden = position === null || position >= mine.length
  if (position === null || panel.hidden) return panel.querySelector("table")?.replaceChildren() // no weights out of sight
  const others = direction === "outgoing" ? tokens.keys : tokens.queries
  nameDirections(panel, labels.reading, direction, turn)
  const facts = { token: visible(mine[position]), position, layer: look.header.layer }
  const table = /** @type {HTMLTableElement} */ (panel.querySelector("table"))
  const caption = fill(labels.reading[direction], facts)
  const names = others.map((token, place) => heading(visible(token), "col", place === position))
  const rows = look.maps.map((map, head) => {
    const weights = attentionOf(weightsOf(map, data.lens), position, direction)
    const cells = weights.map(weight => cellOf(weight, labels.masked))
    const name = heading(fill(labels.head, { head }), "row", head === data.head)
    return line(name, ...cells)
  })
  const title = document.createElement("caption")
  title.textContent = caption
  table.replaceChildren(title, line(heading("", "col", false), ...names), ...rows)
  panel.dataset.position = String(position)
  panel.dataset.direction = direction
}

/** @param {HTMLElement} panel @param {Record<string, string>} words @param {Direction} direction @param {(direction: Direction) => void} turn */
function nameDirections(panel, words, direction, turn) {
  const group = /** @type {HTMLElement} */ (panel.querySelector(".reading-direction"))
  group.setAttribute("aria-label", words.direction)
  for (const own of /** @type {Direction[]} */ (["outgoing", "incoming"])) {
    let button = /** @type {HTMLButtonElement | null} */ (group.querySelector(`[data-direction="${own}"]`))
    if (!button) {
      button = document.createElement("button")
      button.type = "button"
      button.dataset.direction = own
      group.append(button)
    }
    button.onclick = () => turn(own)
    button.textContent = words[`${own}_button`]
    button.setAttribute("aria-pressed", String(own === direction))
  }
}

/** @param {number} weight @param {string} masked */
function cellOf(weight, masked) {
  const cell = document.createElement("td")
  const open = !Number.isNaN(weight)
  cell.textContent = open ? shareWords(weight) : ""
  if (open) cell.style.setProperty("--weight", `${Math.round(100 * weight)}%`)
  else Object.assign(cell, { className: "masked", title: masked })
  return cell
}

/** @param {string} words @param {"col" | "row"} scope @param {boolean} chosen */
function heading(words, scope, chosen) {
  const cell = document.createElement("th")
  cell.scope = scope
  cell.textContent = words
  if (chosen) cell.dataset.chosen = "true"
  return cell
}

/** @param {HTMLElement[]} cells */
function line(...cells) {
  const row = document.createElement("tr")
  row.append(...cells)
  return row
}
