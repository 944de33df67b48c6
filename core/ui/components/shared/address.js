// Addresses on our own server, wherever it is mounted and whichever page is open.

/**
 * @param {string} path relative to the app, without a leading slash
 * @returns {string}
 */
export const address = path => new URL(`./${path}`, document.baseURI).href
