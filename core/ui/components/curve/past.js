// The run before the one that is drawn, page by page: a ghost to compare with. It outlives the component, not the tab.

/** @typedef {import("../shared/stream.js").Course} Course */
/** @typedef {{ course: Course, settings: Record<string, any> }} Known */

const MOST = 3 // runs of a page that are remembered

/** @type {Map<string, Known[]>} experiment → its runs that have learned something, in the order of their beginnings */
const pages = new Map()

/**
 * Remember what is drawn. What never learned here (a checkpoint from a file, a run at step 0) is no run to compare with.
 * @param {string} experiment
 * @param {Known} now
 */
export function remember(experiment, now) {
  if (now.course.loss.length === 0 || now.course.from_file) return
  const runs = pages.get(experiment) ?? []
  const known = runs.find(one => one.course.run === now.course.run)
  if (known) Object.assign(known, now)
  else pages.set(experiment, [...runs, now].slice(-MOST))
}

/**
 * The run before this one, or the newest if this one has not learned anything yet.
 * @param {string} experiment
 * @param {string} run
 * @returns {Known | null}
 */
export function before(experiment, run) {
  const runs = pages.get(experiment) ?? []
  const place = runs.findIndex(one => one.course.run === run)
  return runs[(place < 0 ? runs.length : place) - 1] ?? null
}

/**
 * In which settings an earlier run differed, in words.
 * @param {Record<string, any>} earlier
 * @param {Record<string, any>} now
 * @param {Record<string, any>} labels
 * @returns {string[]}
 */
export function differences(earlier, now, labels) {
  return Object.keys(earlier)
    .filter(name => name !== "steps" && earlier[name] !== now[name])
    .map(name => `${labels.settings[name] ?? name} ${valueWords(name, earlier[name], labels)}`)
}

/**
 * The value of a setting, as a person reads it.
 * @param {string} name
 * @param {any} value
 * @param {Record<string, any>} labels
 * @returns {string}
 */
export function valueWords(name, value, labels) {
  if (typeof value === "boolean") return value ? labels.on : labels.off
  return String(labels.choices[name]?.[value] ?? value)
}
