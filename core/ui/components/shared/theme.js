// The page's theme, as Streamlit hands it to components: custom properties named --st-….

/** @type {Map<string, string>} */
const read = new Map()

/**
 * A value of the theme. Read once for all that is painted in one go: each reading makes the browser work out the styles of
 * everything that has changed meanwhile.
 * @param {Element} element
 * @param {string} name
 * @returns {string}
 */
export function themeValue(element, name) {
  const known = read.get(name)
  if (known !== undefined) return known
  const value = getComputedStyle(element).getPropertyValue(`--st-${name}`).trim()
  if (read.size === 0) setTimeout(() => read.clear())
  if (value) read.set(name, value) // an element that is not in the page yet has none
  return value
}

/**
 * Whether the page around an element is light or dark.
 * @param {Element} element
 * @returns {"light" | "dark"}
 */
export function pageTheme(element) {
  const [red, green, blue] = channels(themeValue(element, "background-color"))
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light"
}

/** @returns {boolean} */
export const motionUnwanted = () => matchMedia("(prefers-reduced-motion: reduce)").matches

/**
 * @param {string} color "#abc", "#aabbcc" or "rgb(…)"
 * @returns {number[]} red, green and blue, 0–255; white when it cannot be read
 */
function channels(color) {
  if (color.startsWith("rgb")) return (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
  const digits = color.slice(1)
  if (!color.startsWith("#") || digits.length < 3) return [255, 255, 255]
  const wide = digits.length < 6 ? [...digits].map(digit => digit + digit).join("") : digits
  return [0, 2, 4].map(start => parseInt(wide.slice(start, start + 2), 16))
}
