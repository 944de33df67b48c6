// The player of an animation that was taken away. It stands in the file itself, so it imports nothing and asks for nothing.
// animation.js says what it is given.

const LARGE = 460 // pixels of the large map
const [SMALL, SMALLEST, ROW] = [96, 36, 560] // pixels of a small one, and of a row of them
const MASKED = 255
const UNIT = 254
const [QUICKEST, SLOWEST, WHOLE] = [80, 500, 8000] // milliseconds that a frame stands, and that all of them take

/** @typedef {any} Film as animation.js describes it */

/**
 * Where the cells of a head begin in a frame, and how large a frame is.
 * @param {Film["parts"]} parts
 * @returns {{ starts: number[][], size: number }} part → head → place
 */
export function places(parts) {
  let size = 0
  const starts = parts.map((/** @type {any} */ { heads, queries, keys }) =>
    heads.map(() => {
      size += queries.length * keys.length
      return size - queries.length * keys.length
    }),
  )
  return { starts, size }
}

/**
 * A value in words.
 * @param {number} value what the colours stand for
 * @param {string} scale
 */
export function valueWords(value, scale) {
  if (scale === "log") return value <= -2.999 ? "≤ 0.001" : (10 ** value).toFixed(3)
  return scale === "uniform" && value > 0 ? `+${value.toFixed(3)}` : value.toFixed(3).replace("-", "−")
}

/** @param {string} sentence @param {Record<string, any>} fields */
const fill = (sentence, fields) => sentence.replace(/\{(\w+)\}/g, (place, name) => (name in fields ? fields[name] : place))

/** @param {string} tag @param {Record<string, any>} [properties] @param {(Node | string)[]} children @returns {any} */
function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

class Player {
  /** @param {HTMLElement} root @param {Film} film @param {Uint8Array} cells */
  constructor(root, film, cells) {
    this.film = film
    this.cells = cells
    this.layout = places(film.parts)
    this.frame = film.frames.length - 1
    this.part = Math.max(0, film.parts.findIndex((/** @type {any} */ { layer }) => layer === film.chosen.layer))
    this.place = Math.max(0, film.parts[this.part].heads.indexOf(film.chosen.head))
    this.timer = 0
    this.pointed = /** @type {{ query: number, key: number } | null} */ (null)
    for (const [name, colour] of Object.entries(film.colours)) document.documentElement.style.setProperty(`--${name}`, String(colour))
    const { words } = film
    this.play = make("button", { type: "button", id: "play", onclick: () => this.toggle() })
    const last = String(film.frames.length - 1)
    this.slider = make("input", { type: "range", min: "0", max: last, step: "1", oninput: () => this.show(Number(this.slider.value)) })
    this.slider.setAttribute("aria-label", words.step)
    this.told = make("output")
    this.large = make("canvas", { className: "film-map" })
    this.large.setAttribute("role", "img")
    this.caption = make("p", { className: "film-caption" })
    this.readout = make("p", { className: "film-readout" })
    this.heads = film.parts.map((/** @type {any} */ part, /** @type {number} */ own) => this.row(part, own))
    const overview = make("div", { className: "film-overview" }, ...this.heads.map((/** @type {any} */ { row }) => row))
    root.append(
      make("h1", { textContent: film.title }),
      make("p", { textContent: film.about }),
      make("div", { className: "film-controls" }, this.play, this.slider, this.told),
      make("div", { className: "film-maps" }, make("div", { className: "film-large" }, this.caption, this.large, this.readout), overview),
      make("p", { textContent: words.help }),
    )
    this.large.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.point(event))
    this.large.addEventListener("pointerleave", () => this.point(null))
    document.addEventListener("keydown", event => this.key(event))
    this.name()
    this.show(this.frame)
  }

  /** @param {any} part @param {number} own */
  row({ layer, heads }, own) {
    const { words } = this.film
    const buttons = heads.map((/** @type {number} */ head, /** @type {number} */ place) => {
      const choose = () => this.choose(own, place)
      const button = make("button", { type: "button", className: "film-head", onclick: choose }, make("canvas"), String(head))
      button.setAttribute("aria-label", fill(words.zoom, { layer, head }))
      return button
    })
    return { buttons, row: make("div", { className: "film-layer" }, make("span", { textContent: fill(words.layer, { layer }) }), ...buttons) }
  }

  /** @param {number} part @param {number} place */
  choose(part, place) {
    this.part = part
    this.place = place
    this.name()
    this.show(this.frame)
  }

  name() {
    const { parts, words } = this.film
    const { layer, heads } = parts[this.part]
    this.caption.textContent = fill(words.zoom, { layer, head: heads[this.place] })
    this.play.textContent = this.timer ? words.pause : words.play
    this.heads.forEach((/** @type {any} */ { buttons }, /** @type {number} */ part) =>
      buttons.forEach((/** @type {Element} */ button, /** @type {number} */ place) =>
        button.setAttribute("aria-pressed", String(part === this.part && place === this.place)),
      ),
    )
  }

  toggle() {
    if (this.timer) return this.pause()
    const { frames } = this.film
    if (this.frame === frames.length - 1) this.show(0)
    const stands = Math.max(QUICKEST, Math.min(SLOWEST, WHOLE / frames.length))
    this.timer = setInterval(() => {
      if (this.frame < frames.length - 1) this.show(this.frame + 1)
      if (this.frame === frames.length - 1) this.pause()
    }, stands)
    this.name()
  }

  pause() {
    clearInterval(this.timer)
    this.timer = 0
    this.name()
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { parts, frames } = this.film
    const all = parts.flatMap((/** @type {any} */ { heads }, /** @type {number} */ part) => heads.map((/** @type {any} */ _, /** @type {number} */ place) => [part, place]))
    const now = all.findIndex((/** @type {number[]} */ [part, place]) => part === this.part && place === this.place)
    const go = (/** @type {number} */ frame) => () => {
      this.pause()
      this.show(Math.max(0, Math.min(frames.length - 1, frame)))
    }
    const turn = (/** @type {number} */ by) => () => {
      const [part, place] = all[(now + by + all.length) % all.length]
      this.choose(part, place)
    }
    /** @type {Record<string, () => void>} */
    const ways = {
      ArrowLeft: go(this.frame - 1),
      ArrowRight: go(this.frame + 1),
      Home: go(0),
      End: go(frames.length - 1),
      ArrowUp: turn(-1),
      ArrowDown: turn(1),
      " ": () => this.toggle(),
    }
    const press = ways[event.key]
    if (!press || (event.key === " " && event.target instanceof HTMLButtonElement)) return // a button is pressed by it
    event.preventDefault()
    press()
  }

  /** @param {number} frame */
  show(frame) {
    this.frame = frame
    const { frames, parts, words } = this.film
    const { step, loss } = frames[frame]
    const said = loss === null || loss === undefined ? words.at_step : words.at_loss
    this.told.textContent = fill(said, { step, last: frames.at(-1).step, loss: loss?.toPrecision(3) })
    this.slider.value = String(frame)
    this.slider.setAttribute("aria-valuetext", this.told.textContent)
    parts.forEach((/** @type {any} */ part, /** @type {number} */ own) =>
      part.heads.forEach((/** @type {any} */ _, /** @type {number} */ place) => this.paintSmall(part, own, place)),
    )
    this.paintLarge()
    document.body.dataset.step = String(step)
    document.body.dataset.frame = String(frame)
  }

  /** @param {number} part @param {number} place @param {number} [frame] */
  map(part, place, frame = this.frame) {
    const { queries, keys } = this.film.parts[part]
    const start = frame * this.layout.size + this.layout.starts[part][place]
    return this.cells.subarray(start, start + queries.length * keys.length)
  }

  /** @param {any} part @param {number} own @param {number} place */
  paintSmall({ queries, keys }, own, place) {
    const canvas = this.heads[own].buttons[place].firstElementChild
    Object.assign(canvas, { width: keys.length, height: queries.length })
    const side = Math.max(SMALLEST, Math.min(SMALL, ROW / this.heads[own].buttons.length - 8)) / Math.max(queries.length, keys.length)
    Object.assign(canvas.style, { width: `${Math.round(side * keys.length)}px`, height: `${Math.round(side * queries.length)}px` })
    this.cover(canvas.getContext("2d"), this.map(own, place), keys.length, 0, 0, 1, 1)
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Uint8Array} map @param {number} keys
   * @param {number} left @param {number} top @param {number} width of a cell @param {number} height
   */
  cover(pen, map, keys, left, top, width, height) {
    const { shades, colours } = this.film
    map.forEach((cell, place) => {
      const [query, key] = [Math.floor(place / keys), place % keys]
      pen.fillStyle = cell === MASKED ? colours.masked : shades[Math.round((cell / UNIT) * (shades.length - 1))]
      const [x, y] = [Math.round(left + key * width), Math.round(top + query * height)]
      pen.fillRect(x, y, Math.round(left + (key + 1) * width) - x, Math.round(top + (query + 1) * height) - y)
    })
  }

  paintLarge() {
    const part = this.film.parts[this.part]
    const { queries, keys } = part
    const side = LARGE / Math.max(queries.length, keys.length)
    const letters = Math.max(7, Math.min(15, Math.floor(side * 0.8)))
    const longest = Math.max(...[...queries, ...keys].map((/** @type {string} */ token) => [...token].length))
    const edge = 22 + Math.min(6, longest) * letters * 0.65 + 6
    const [wide, tall] = [side * keys.length, side * queries.length]
    const [width, height] = [Math.ceil(edge + wide + 90), Math.ceil(tall + edge + 10)]
    const ratio = devicePixelRatio || 1
    Object.assign(this.large, { width: width * ratio, height: height * ratio })
    Object.assign(this.large.style, { width: `${width}px`, height: `${height}px` })
    const pen = this.large.getContext("2d")
    pen.scale(ratio, ratio)
    this.area = { left: edge, top: 6, side, queries: queries.length, keys: keys.length }
    this.cover(pen, this.map(this.part, this.place), keys.length, edge, 6, side, side)
    this.nameTokens(pen, part, letters, edge, side)
    this.paintBar(pen, edge + wide + 16, 6, tall)
    this.large.setAttribute("aria-label", `${this.caption.textContent}, ${this.told.textContent}`)
    this.read()
  }

  /** @param {CanvasRenderingContext2D} pen @param {any} part @param {number} letters @param {number} edge @param {number} side */
  nameTokens(pen, { queries, keys }, letters, edge, side) {
    const { words, colours } = this.film
    const every = Math.max(1, Math.ceil((letters * 1.1) / side))
    const below = 6 + side * queries.length
    const cut = (/** @type {string} */ token) => ([...token].length > 6 ? `${[...token].slice(0, 5).join("")}…` : token)
    pen.fillStyle = colours.text
    pen.font = `${letters}px ${getComputedStyle(document.body).fontFamily}`
    pen.textBaseline = "middle"
    pen.textAlign = "right"
    queries.forEach((/** @type {string} */ token, /** @type {number} */ place) => {
      if (place % every === 0) pen.fillText(cut(token), edge - 6, 6 + (place + 0.5) * side)
    })
    keys.forEach((/** @type {string} */ token, /** @type {number} */ place) => {
      if (place % every > 0) return
      const wide = pen.measureText(cut(token)).width > side * every
      turned(pen, edge + (place + 0.5) * side, below + 6, wide ? -Math.PI / 2 : 0, () => {
        pen.textAlign = wide ? "right" : "center"
        pen.textBaseline = wide ? "middle" : "top"
        pen.fillText(cut(token), 0, 0)
      })
    })
    pen.font = `13px ${getComputedStyle(document.body).fontFamily}`
    pen.textAlign = "center"
    pen.textBaseline = "bottom"
    pen.fillText(words.key, edge + (side * keys.length) / 2, below + edge)
    turned(pen, 15, 6 + (side * queries.length) / 2, -Math.PI / 2, () => pen.fillText(words.query, 0, 0))
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} left @param {number} top @param {number} tall */
  paintBar(pen, left, top, tall) {
    const { shades, colours, scale, words, parts } = this.film
    const [low, high] = parts[this.part].limits[this.place]
    shades.forEach((/** @type {string} */ shade, /** @type {number} */ place) => {
      pen.fillStyle = shade
      const y = top + tall * (1 - (place + 1) / shades.length)
      pen.fillRect(left, y, 10, tall / shades.length + 1)
    })
    pen.fillStyle = colours.text
    pen.font = `11px ${getComputedStyle(document.body).fontFamily}`
    pen.textAlign = "left"
    pen.textBaseline = "middle"
    const marks = scale === "log" ? [-3, -2, -1, 0] : [low, (low + high) / 2, high]
    for (const mark of marks) {
      const y = top + tall * (1 - (mark - low) / (high - low || 1))
      const beyond = mark === high ? this.beyond(UNIT) : ""
      pen.fillText(beyond + valueWords(mark, scale), left + 14, Math.max(top + 6, Math.min(top + tall - 4, y)))
    }
    pen.textAlign = "center"
    turned(pen, left + 66, top + tall / 2, Math.PI / 2, () => pen.fillText(scale === "uniform" ? words.difference : words.weight, 0, 0))
  }

  /** A query with one key alone gives it more than a head's scale reaches: its cell says so. @param {number} cell */
  beyond(cell) {
    return cell === UNIT && this.film.scale === "head" ? "≥ " : ""
  }

  /** @param {PointerEvent | null} event */
  point(event) {
    this.pointed = null
    if (event && this.area) {
      const { left, top, side, queries, keys } = this.area
      const key = Math.floor((event.offsetX - left) / side)
      const query = Math.floor((event.offsetY - top) / side)
      if (key >= 0 && key < keys && query >= 0 && query < queries) this.pointed = { query, key }
    }
    this.read()
  }

  read() {
    const { parts, scale, words } = this.film
    const part = parts[this.part]
    const { query, key } = this.pointed ?? {}
    if (query === undefined || key === undefined || query >= part.queries.length || key >= part.keys.length) {
      this.readout.textContent = words.point
      return
    }
    const cell = this.map(this.part, this.place)[query * part.keys.length + key]
    const [low, high] = part.limits[this.place]
    const weight = cell === MASKED ? words.masked : this.beyond(cell) + valueWords(low + (cell / UNIT) * (high - low), scale)
    const names = { query: part.queries[query], key: part.keys[key], query_position: query, key_position: key }
    this.readout.textContent = fill(words.cell, { ...names, weight })
  }
}

/** @param {CanvasRenderingContext2D} pen @param {number} x @param {number} y @param {number} angle @param {() => void} draw */
function turned(pen, x, y, angle, draw) {
  pen.save()
  pen.translate(x, y)
  pen.rotate(angle)
  draw()
  pen.restore()
}

/** @param {string} letters @returns {Promise<Uint8Array>} */
async function unpacked(letters) {
  const bytes = Uint8Array.from(atob(letters), letter => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

const film = document.getElementById("film")
const root = document.querySelector("main")
if (film && root) {
  const cells = await unpacked(document.getElementById("cells")?.textContent ?? "")
  const player = new Player(root, JSON.parse(film.textContent ?? ""), cells)
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) player.toggle()
}
