// Which line is which: words of the page's own, for Plotly's legend takes a row for each of them in a narrow place.

/**
 * @param {HTMLElement} place
 * @param {any[]} traces
 */
export function showLegend(place, traces) {
  const shown = traces.filter(trace => trace.visible && trace.showlegend).sort((a, b) => a.legendrank - b.legendrank)
  const entries = shown.map(({ name, line, opacity = 1 }) => ({ name, ...line, opacity }))
  const now = JSON.stringify(entries)
  if (place.dataset.shown === now) return
  place.dataset.shown = now
  place.replaceChildren(...entries.map(entry))
}

/** @param {{ name: string, color: string, width: number, dash?: string, opacity: number }} one */
function entry({ name, color, width, dash, opacity }) {
  const whole = document.createElement("span")
  const sample = document.createElement("i")
  Object.assign(sample.style, { borderTop: `${Math.max(width, dash ? 2.5 : 1)}px ${dash === "dot" ? "dotted" : "solid"} ${color}`, opacity })
  whole.append(sample, name)
  return whole
}

const ROOM = 84 // pixels above the chart

/**
 * For an image, which has no page around it.
 * @param {Record<string, any>} layout
 */
export const inImage = ({ margin, height }) => ({
  showlegend: true,
  margin: { ...margin, t: margin.t + ROOM },
  height: height + ROOM,
})
