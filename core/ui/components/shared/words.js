// Words and numbers. Every word comes from Python, in the language on screen; here they are only filled.

/**
 * Put values into the places of a sentence: `{step}` takes `fields.step`.
 * @param {string} sentence
 * @param {Record<string, unknown>} fields
 * @returns {string}
 */
export const fill = (sentence, fields) =>
  sentence.replace(/\{(\w+)\}/g, (place, name) => (name in fields ? String(fields[name]) : place))

/**
 * A loss: three digits that count, or that it is next to nothing.
 * @param {number} loss
 * @returns {string}
 */
export const lossWords = loss => (Math.abs(loss) < 0.0001 ? "< 0.0001" : loss.toPrecision(3))

const SHARES = Array.from({ length: 1001 }, (_, thousandth) => (thousandth / 1000).toFixed(3))

/**
 * A weight or a probability: three decimals. From a table: a map has thousands of them.
 * @param {number} value
 * @returns {string}
 */
export const shareWords = value => SHARES[Math.round(1000 * value)] ?? value.toFixed(3)

/**
 * A tiny error: "0" when there is none at all.
 * @param {number} value
 * @returns {string}
 */
export const errorWords = value => (value === 0 ? "0" : value.toExponential(0))

/**
 * How long something takes, rounded as one would say it.
 * @param {number} seconds
 * @param {Record<string, any>} labels
 * @returns {string}
 */
export function durationWords(seconds, labels) {
  const whole = Math.max(1, Math.round(seconds))
  if (whole < 60) return fill(labels.seconds, { seconds: whole })
  return fill(labels.minutes, { minutes: Math.floor(whole / 60), seconds: whole % 60 })
}
