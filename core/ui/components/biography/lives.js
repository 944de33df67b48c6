// The numbers of the biographies: what the frames of the past tell of the heads of one layer.

export const MEASURES = ["entropy", "distance", "previous", "first", "self"] // as in core/figures/biography.py

/** @typedef {import("../shared/past.js").PastFrame} PastFrame */

/**
 * What was measured of a layer's heads after a step.
 * @param {PastFrame} frame
 * @param {number} layer
 * @returns {import("../shared/past.js").Statistics | null}
 */
export function measuredOf({ header, statistics }, layer) {
  const place = header.maps.findIndex((/** @type {{ layer: number }} */ one) => one.layer === layer)
  return statistics[place] ?? null
}

/**
 * The lines of the figure, in the order of its traces: of each measure one a head, then that of uniform attention.
 * What could not be measured (no query has such a key) leaves a gap.
 * @param {PastFrame[]} frames ascending
 * @param {number} layer
 * @param {number} heads
 * @returns {{ x: number[], y: (number | null)[] }[]}
 */
export function lives(frames, layer, heads) {
  const told = frames.map(frame => ({ step: frame.step, measured: measuredOf(frame, layer) }))
  const x = told.map(one => one.step)
  const of = MEASURES.flatMap(measure =>
    Array.from({ length: heads }, (_, head) => ({ x, y: told.map(({ measured }) => measured?.[measure]?.[head] ?? null) })),
  )
  return [...of, { x, y: told.map(({ measured }) => measured?.uniform_entropy ?? null) }]
}

/**
 * The largest value of some lines, so that an axis can hold them.
 * @param {{ y: (number | null)[] }[]} lines
 * @returns {number} 0 when there is none
 */
export const largest = lines => lines.flatMap(({ y }) => y).reduce((most, value) => Math.max(most, value ?? 0), 0)

/**
 * A table of what is drawn: a row a step and head.
 * @param {PastFrame[]} frames ascending
 * @param {number} layer
 * @returns {(string | number | null)[][]}
 */
export function lifeTable(frames, layer) {
  const rows = frames.flatMap(frame => {
    const measured = measuredOf(frame, layer)
    if (!measured) return []
    const uniform = measured.uniform_entropy
    return measured.entropy.map((_, head) => [
      frame.step,
      head,
      ...MEASURES.map(measure => measured[/** @type {"entropy"} */ (measure)][head]),
      uniform,
    ])
  })
  return [["step", "head", ...MEASURES, "uniform_entropy"], ...rows]
}
