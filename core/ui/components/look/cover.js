// Maps that are covered: a look whose weights are not there, so that nothing painted from it can tell them.

const MASKED = 255

/** @typedef {import("../shared/frame.js").Look} Look */
/** @typedef {{ head: number, query: number }} Row of a map of the layer that was asked for */

/**
 * @param {Look} look
 * @param {Row | null} open the one row that is left to be seen
 * @returns {Look}
 */
export function covered(look, open) {
  const { maps, overview, rollout } = look
  const hide = (/** @type {Uint8Array} */ cells) => new Uint8Array(cells.length).fill(MASKED)
  return {
    ...look,
    maps: maps.map((map, head) =>
      map.map((row, query) => (open?.head === head && open.query === query ? row : new Float32Array(row.length).fill(NaN))),
    ),
    overview: overview?.map(hide),
    rollout: rollout ? hide(rollout) : null,
  }
}

/**
 * Take out of a figure what would speak of weights that are not there: hovers, bounds, the colour bar.
 * @param {import("../shared/plotly.js").Figure} figure
 * @param {string} [sign] what stands in the middle of it instead
 */
export function blank({ data, layout }, sign = "") {
  for (const trace of data) Object.assign(trace, { text: null, hovertext: null, texttemplate: "", hoverinfo: "skip", hovertemplate: null })
  for (const trace of data) if (!trace.coloraxis) Object.assign(trace, { zmin: 0, zmax: 1 })
  Object.assign(layout.coloraxis, { cmin: 0, cmax: 1, showscale: false })
  if (!sign) return
  const middle = { xref: "paper", yref: "paper", x: 0.5, y: 0.5, showarrow: false }
  layout.annotations.push({ ...middle, text: sign, font: { size: 64, color: layout.font.color } })
}
