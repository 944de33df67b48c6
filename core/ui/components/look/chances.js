// From logits to probabilities, as core/inference/generation.py does it: a slider then needs no new forward pass.

/**
 * Softmax of `logits / temperature` among the `topK` likeliest, and of those among the likeliest that together have at
 * least the probability `topP`. Temperature 0 puts everything on the likeliest one; `topK` 0, or more than there are,
 * and `topP` 1 are no limit.
 * @param {Float32Array} logits
 * @param {number} temperature
 * @param {number} topK
 * @param {number} [topP]
 * @returns {Float32Array}
 */
export function probabilities(logits, temperature, topK, topP = 1) {
  const chances = new Float32Array(logits.length)
  const order = likeliest(logits, topK > 0 ? topK : logits.length)
  if (order.length === 0) return chances
  if (temperature === 0) {
    chances[order[0]] = 1
    return chances
  }
  const powers = order.map(place => Math.exp((logits[place] - logits[order[0]]) / temperature))
  const kept = nucleus(powers, topP)
  const sum = total(powers.slice(0, kept))
  for (let rank = 0; rank < kept; rank++) chances[order[rank]] = powers[rank] / sum
  return chances
}

/**
 * How many of the likeliest have the probability `topP` together; one at least.
 * @param {number[]} powers falling
 * @param {number} topP
 */
function nucleus(powers, topP) {
  if (topP >= 1) return powers.length
  const wanted = topP * total(powers)
  let sum = 0
  let count = 0
  while (count < powers.length && (sum < wanted || count === 0)) sum += powers[count++]
  return count
}

const total = (/** @type {number[]} */ numbers) => numbers.reduce((sum, number) => sum + number, 0)

/**
 * The likeliest candidates, best first; of equals the earlier one.
 * @param {Float32Array} chances
 * @param {number} count
 * @returns {number[]} their places
 */
export const likeliest = (chances, count) =>
  [...chances.keys()].sort((one, other) => chances[other] - chances[one] || one - other).slice(0, count)
