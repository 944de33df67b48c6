// The component `plot`: a figure that Python has made whole, drawn in the place of the one before.

import { menu } from "../shared/menu.js"
import { pictureItems, pictureOf } from "../shared/picture.js"
import { describe, draw, figureFrom, forget, loadPlotly, onWidth } from "../shared/plotly.js"

/** @param {any} component what Streamlit passes */
export function mount(component) {
  const plot = new Plot(component)
  plot.update(component)
  return plot
}

class Plot {
  /** @param {any} component */
  constructor(component) {
    this.root = /** @type {HTMLElement} */ (component.parentElement.querySelector(".attention-plot"))
    this.plot = /** @type {HTMLElement} */ (this.root.querySelector(".plot-figure"))
    this.save = /** @type {HTMLElement} */ (this.root.querySelector(".save-image"))
    this.data = component.data
    this.plotly = null
    this.closed = false
    this.stopWatchingWidth = onWidth(this.root, () => this.paint())
    const { take } = this.data.labels
    menu(this.save, () => pictureItems(take, this.data.name, () => pictureOf(this.plot, [this.data.alt])))
    loadPlotly().then(Plotly => {
      this.plotly = Plotly
      this.paint()
    }, console.error)
  }

  /** @param {any} component */
  update(component) {
    this.data = component.data
    const { labels, language, height } = this.data
    this.root.lang = language
    this.plot.style.height = `${height}px` // before it is drawn, so that nothing beneath it jumps
    this.save.title = labels.save
    this.save.setAttribute("aria-label", labels.save)
    this.paint()
  }

  paint() {
    if (this.closed || !this.plotly || this.plot.clientWidth === 0) return
    const figure = figureFrom(this.root, this.data.figures, "plot")
    Object.assign(figure.layout, { width: this.plot.clientWidth, height: this.data.height })
    draw(this.plotly, this.plot, figure, this.data.labels.plotly)
    describe(this.plot, this.data.alt)
    this.root.dataset.drawn = String(figure.data.length)
  }

  unmount() {
    this.closed = true
    this.stopWatchingWidth()
    forget(this.plot)
  }
}
