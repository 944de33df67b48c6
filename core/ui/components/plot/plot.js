// The component `plot`: a figure that Python has made, drawn in place.

import { menu } from "../shared/menu.js"
import { pictureItems, pictureOf } from "../shared/picture.js"
import { describe, draw, figureFrom, forget, loadPlotly, onSize } from "../shared/plotly.js"

const WORKED_OUT_FOR = 800 // pixels of a screen's height: on a taller one a figure is taller than Python asks

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
    this.stage = /** @type {HTMLElement} */ (this.root.querySelector(".plot-stage"))
    this.save = /** @type {HTMLElement} */ (this.root.querySelector(".save-image"))
    this.data = component.data
    this.plotly = null
    this.closed = false
    this.stopWatchingSize = onSize(this.stage, () => this.paint())
    menu(this.save, () => this.offers())
    loadPlotly().then(Plotly => {
      this.plotly = Plotly
      this.paint()
    }, console.error)
  }

  /** @param {any} component */
  update(component) {
    this.data = component.data
    const { alt, height, labels, language } = this.data
    this.root.lang = language
    // Set before it comes, so that nothing beneath it moves; on a tall screen it has its share of what is free there.
    this.stage.style.height = `max(${height}px, ${(height / WORKED_OUT_FOR) * 100}vh)`
    this.save.title = labels.save
    this.save.setAttribute("aria-label", labels.save)
    describe(this.stage, alt)
    if (this.plotly) requestAnimationFrame(() => this.paint())
  }

  paint() {
    if (this.closed || !this.plotly || !this.stage.clientWidth) return // another width comes when it is shown
    const { figures, labels } = this.data
    const figure = figureFrom(this.root, figures, "plot")
    Object.assign(figure.layout, { width: this.stage.clientWidth, height: this.stage.clientHeight })
    draw(this.plotly, this.stage, figure, labels.plotly)
    this.root.dataset.drawn = String(figure.data.length)
  }

  offers() {
    const { alt, labels, name } = this.data
    return pictureItems(labels.take, name, () => pictureOf(this.stage, [alt]))
  }

  unmount() {
    this.closed = true
    this.stopWatchingSize()
    forget(this.stage)
  }
}
