// The steps of the formula in their order: what each shows, in which colours, and how it is written.
// Formulas are built of our own symbols alone; what a person typed is set as text.

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {"query" | "key"} rows which tokens the rows are
 * @property {boolean} square whether the columns are keys; otherwise they are the numbers of a vector
 * @property {"diverging" | "sequential"} ramp
 */

/** @type {Step[]} */
export const STEPS = [
  { name: "query", rows: "query", square: false, ramp: "diverging" },
  { name: "key", rows: "key", square: false, ramp: "diverging" },
  { name: "value", rows: "key", square: false, ramp: "diverging" },
  { name: "scores", rows: "query", square: true, ramp: "diverging" },
  { name: "scaled", rows: "query", square: true, ramp: "diverging" },
  { name: "masked", rows: "query", square: true, ramp: "diverging" },
  { name: "weights", rows: "query", square: true, ramp: "sequential" },
  { name: "weighted", rows: "key", square: false, ramp: "diverging" },
  { name: "mixed", rows: "query", square: false, ramp: "diverging" },
  { name: "share", rows: "query", square: false, ramp: "diverging" },
]

const T = "<sup>T</sup>"

/**
 * The formula of a step, as HTML without anything typed in it.
 * @param {string} name
 * @param {Record<string, any>} header
 * @param {number} width d_k
 * @param {Record<string, any>} labels
 */
export function formulaOf(name, { causal, scaled, scale, queries, keys }, width, labels) {
  const note = (/** @type {string} */ words) => ` <small>${words}</small>`
  const [asks, answers] = [queries, keys].map(stream => (stream === "target" ? "Y" : "X"))
  /** @type {Record<string, string>} */
  const formulas = {
    query: `<b>Q</b> = ${asks}·W<sub>Q</sub> + b`,
    key: `<b>K</b> = ${answers}·W<sub>K</sub> + b`,
    value: `<b>V</b> = ${answers}·W<sub>V</sub> + b`,
    scores: `<b>S</b> = Q·K${T}`,
    scaled: scaled ? `S / √${width} = S · ${scale.toPrecision(3)}` : `S · 1${note(labels.not_scaled)}`,
    masked: causal ? "−∞, k &gt; q" : note(labels.no_mask),
    weights: `<b>A</b> = softmax${note(labels.each_row)}`,
    weighted: "A<sub>q,k</sub> · V<sub>k</sub>",
    mixed: "<b>O</b> = A·V",
    share: "O·W<sub>O</sub>",
  }
  return formulas[name]
}

/**
 * The whole formula as this head computes it.
 * @param {Record<string, any>} header
 * @param {number} width d_k
 */
export function wholeFormula({ causal, scaled }, width) {
  const scores = scaled ? `<span class="over"><span>Q·K${T}</span><span>√${width}</span></span>` : `Q·K${T}`
  return `Attention(Q, K, V) = softmax( ${scores}${causal ? " + M" : ""} ) · V`
}
