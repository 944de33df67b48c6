// What the painters are given.

/**
 * @typedef {object} View
 * @property {HTMLElement} root
 * @property {Record<string, any>} data what Python passed, with the newest head
 * @property {import("../shared/frame.js").Look} look the newest answer
 * @property {string} text the text that it answers
 * @property {number} width pixels that there are
 * @property {{ query: number, key: number } | null} held the cell that was clicked
 * @property {number} blank which of several predictions is shown
 * @property {(number: number) => void} choose shows another prediction
 */
export {}
