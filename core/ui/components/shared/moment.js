// The moment of a run that its page looks at: the scrubber, the curve, the maps and the biographies of heads share it.
// Modules are loaded once a page, so this is where its components meet, without Python.

/**
 * @typedef {object} Moment
 * @property {number | null} step the step that is looked back at; null: the newest, whatever it is
 * @property {boolean} playing whether the step moves on by itself
 *
 * @typedef {(now: Moment) => void} Listener
 */

/** @type {Moment} */
const NEWEST = Object.freeze({ step: null, playing: false })

/** @type {Map<string, { now: Moment, listeners: Set<Listener> }>} runs that somebody listens to */
const stores = new Map()

/**
 * The moment of a run. It begins at the newest and is forgotten when nobody listens any more: another run, or the same
 * one after a visit to another page, begins at its newest again.
 * @param {string} run
 * @returns {{
 *   get(): Moment,
 *   set(step: number | null, playing?: boolean): void,
 *   subscribe(listener: Listener): () => void,
 * }} `set` does nothing while nobody listens; it stops what plays unless told that it goes on. `subscribe` calls back at
 *   every change, not at once, and returns what ends that.
 */
export function moment(run) {
  return {
    get: () => stores.get(run)?.now ?? NEWEST,
    set(step, playing = false) {
      const store = stores.get(run)
      if (!store || (store.now.step === step && store.now.playing === playing)) return
      store.now = Object.freeze({ step, playing })
      for (const listener of [...store.listeners]) if (store.listeners.has(listener)) listener(store.now)
    },
    subscribe(listener) {
      const store = stores.get(run) ?? { now: NEWEST, listeners: new Set() }
      stores.set(run, store)
      store.listeners.add(listener)
      return () => {
        store.listeners.delete(listener)
        if (store.listeners.size === 0 && stores.get(run) === store) stores.delete(run)
      }
    },
  }
}
