// From logits to probabilities, as core/inference/generation.py does it: a slider then needs no new forward pass.

/**
 * Softmax of `logits / temperature` among the `topK` likeliest. Temperature 0 puts everything on the likeliest one;
 * `topK` 0, or more than there are, is no limit.
 * @param {Float32Array} logits
 * @param {number} temperature
 * @param {number} topK
 * @returns {Float32Array}
 */
export function probabilities(logits, temperature, topK) {
  const highest = logits.reduce((best, logit) => Math.max(best, logit), -Infinity)
  if (temperature === 0) {
    const chances = new Float32Array(logits.length)
    chances[logits.indexOf(highest)] = 1
    return chances
  }
  const least = topK > 0 && topK < logits.length ? Float32Array.from(logits).sort()[logits.length - topK] : -Infinity
  const powers = logits.map(logit => (logit < least ? 0 : Math.exp((logit - highest) / temperature)))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map(power => power / sum)
}

/**
 * The likeliest candidates, best first; of equals the earlier one.
 * @param {Float32Array} chances
 * @param {number} count
 * @returns {number[]} their places
 */
export const likeliest = (chances, count) =>
  [...chances.keys()].sort((one, other) => chances[other] - chances[one] || one - other).slice(0, count)
