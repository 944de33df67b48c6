// Plotly in place: the library is loaded once from our own server, and a plot keeps its DOM node, its zoom and its focus.

import { address } from "./address.js"
import { pageTheme, themeValue } from "./theme.js"

/** @typedef {{ data: any[], layout: Record<string, any> }} Figure */

/** @type {Promise<any> | undefined} */
let library

/** @returns {Promise<any>} the Plotly object */
export function loadPlotly() {
  library ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly)
    const script = document.createElement("script")
    script.src = address("vendor/plotly/plotly.min.js")
    script.onload = () => resolve(window.Plotly)
    script.onerror = () => {
      library = undefined // the next one who asks tries again
      script.remove()
      reject(new Error("plotly.min.js could not be loaded"))
    }
    document.head.append(script)
  })
  return library
}

/**
 * A fresh copy of a template, in the colours of the page that it will stand on.
 * @param {Element} element
 * @param {Record<"light" | "dark", Record<string, Figure>>} figures
 * @param {string} name
 * @returns {Figure}
 */
export function figureFrom(element, figures, name) {
  const figure = structuredClone(figures[pageTheme(element)][name])
  figure.layout.font.color = themeValue(element, "text-color") || figure.layout.font.color
  return isPresented(element) ? enlarged(figure) : figure
}

export const READABLE = 24 // pixels of a letter that the last row of a lecture hall can read
const ENLARGEMENT = 1.8 // of margins and lines, so that larger letters have room

/** Whether an element is shown in presenter view. @param {Element} element */
export const isPresented = element => element.closest("[data-present='true']") !== null

/**
 * A figure with letters that can be read from the last row, and room for them.
 * @param {Figure} figure
 * @returns {Figure}
 */
function enlarged(figure) {
  const grow = (/** @type {any} */ part) => {
    for (const [name, value] of Object.entries(part ?? {})) {
      if (/font$/.test(name)) part[name] = { ...value, size: Math.max(READABLE, (value.size ?? 13) * ENLARGEMENT) }
      else if (name === "margin") for (const side of Object.keys(value)) value[side] *= ENLARGEMENT
      else if (value && typeof value === "object" && !ArrayBuffer.isView(value)) grow(value)
    }
  }
  grow(figure.layout)
  for (const trace of figure.data) {
    grow(trace)
    if (trace.line?.width) trace.line.width *= ENLARGEMENT
  }
  return figure
}

/**
 * Draw a figure, or bring the one that is there up to date.
 * @param {any} Plotly
 * @param {HTMLElement} plot
 * @param {Figure} figure
 * @param {Record<string, string>} words translates what Plotly itself says
 * @param {object} more of Plotly's configuration
 */
export function draw(Plotly, plot, figure, words, more = {}) {
  const locales = { page: { dictionary: words, format: {} } }
  Plotly.react(plot, figure.data, figure.layout, { displayModeBar: false, locale: "page", locales, ...more })
}

/**
 * Say in one sentence what a plot shows.
 * @param {HTMLElement} plot
 * @param {string} fact
 */
export function describe(plot, fact) {
  plot.setAttribute("role", "img")
  plot.setAttribute("aria-label", fact)
}

/**
 * Free what Plotly holds of a plot.
 * @param {HTMLElement} plot
 */
export function forget(plot) {
  if (plot.classList.contains("js-plotly-plot")) window.Plotly?.purge(plot)
}

/**
 * Call back when an element has another width: a sidebar opens, a window is resized.
 * @param {HTMLElement} element
 * @param {() => void} changed
 * @returns {() => void} stops it
 */
export function onWidth(element, changed) {
  return onChange(element, () => `${element.clientWidth}`, changed)
}

/**
 * Call back when an element has another width or height.
 * @param {HTMLElement} element
 * @param {() => void} changed
 * @returns {() => void} stops it
 */
export function onSize(element, changed) {
  return onChange(element, () => `${element.clientWidth} ${element.clientHeight}`, changed)
}

/**
 * @param {HTMLElement} element
 * @param {() => string} measure
 * @param {() => void} changed
 */
function onChange(element, measure, changed) {
  let before = measure()
  const observer = new ResizeObserver(() => {
    if (measure() === before) return
    before = measure()
    requestAnimationFrame(changed)
  })
  observer.observe(element)
  return () => observer.disconnect()
}
