// What one takes away: files that the browser saves.

/**
 * Save a file as the browser saves what is downloaded.
 * @param {Blob} content
 * @param {string} name
 */
export function download(content, name) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000) // not at once: the browser may still be reading it
}

/**
 * A table as comma-separated values (RFC 4180), with the mark that tells spreadsheets that it is UTF-8.
 * @param {(string | number | null | undefined)[][]} rows nothing is written for what is null or not a number
 * @returns {Blob}
 */
export const table = rows =>
  new Blob(["\ufeff", rows.map(row => `${row.map(cell).join(",")}\r\n`).join("")], { type: "text/csv;charset=utf-8" })

/** @param {string | number | null | undefined} value */
function cell(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return ""
  const words = String(value)
  return /[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words
}
