// What the painters are given.

/**
 * @typedef {object} View
 * @property {HTMLElement} root
 * @property {Record<string, any>} data what Python passed, with the newest head
 * @property {import("../shared/frame.js").Look & { covered?: "all" | "rest" }} look the newest answer, its maps those of the
 *   chosen layer; `covered`: a guess is awaited, so all weights are hidden, or all but one row
 * @property {import("../shared/frame.js").Look | null} other the same weights looked at with the other mask
 * @property {{ layer: number, head: number }} focus the map that is large: the chosen one, or the one that is pointed at
 * @property {string} text the text that it answers
 * @property {number} width pixels that there are
 * @property {{ query: number, key: number } | null} held the cell that was clicked
 * @property {number | null} row the token that is picked out
 * @property {import("./reading.js").Direction} direction whether its row is read, or its column
 * @property {number | null} place the position whose prediction is shown, of several
 * @property {(position: number) => void} choose shows the prediction of another position
 */
export {}
