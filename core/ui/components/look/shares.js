// How much of its attention every head gives to the digits that matter, beside what evenly spread attention would give.
// A table, because it is one: layers by heads, each share a number and a bar, with a line at the even share.

import { fill, shareWords } from "../shared/words.js"

/**
 * @param {HTMLElement} table
 * @param {Record<string, any>} header
 * @param {Record<string, any>} data
 */
export function paintShares(table, { shares, layer }, { head, labels }) {
  table.hidden = !shares
  if (!shares) return
  const { digits, uniform, heads, sequences } = shares
  const facts = { digits: digits.join(labels.shares.and), uniform: shareWords(uniform), sequences }
  const names = heads[0].map((/** @type {number} */ _, /** @type {number} */ number) => cell("th", String(number)))
  const rows = heads.map((/** @type {number[]} */ row, /** @type {number} */ own) => {
    const cells = row.map((share, number) => shareCell(share, uniform, own === layer && number === head))
    return line(cell("th", fill(labels.shares.layer, { layer: own })), ...cells)
  })
  const caption = document.createElement("caption")
  caption.textContent = `${fill(labels.shares.caption, facts)} · ${fill(labels.shares.uniform, facts)}`
  table.replaceChildren(caption, line(cell("th", labels.shares.head), ...names), ...rows)
  table.dataset.uniform = String(uniform)
  table.title = fill(labels.shares.help, facts)
}

/** @param {number} share @param {number} uniform @param {boolean} chosen */
function shareCell(share, uniform, chosen) {
  const made = cell("td", share.toFixed(2))
  made.dataset.share = String(share)
  made.style.setProperty("--share", `${100 * Math.min(1, share)}%`)
  made.style.setProperty("--uniform", `${100 * uniform}%`)
  if (chosen) made.dataset.chosen = "true"
  return made
}

/** @param {"td" | "th"} tag @param {string} words */
function cell(tag, words) {
  const made = document.createElement(tag)
  made.textContent = words
  return made
}

/** @param {HTMLElement[]} cells */
function line(...cells) {
  const made = document.createElement("tr")
  made.append(...cells)
  return made
}
