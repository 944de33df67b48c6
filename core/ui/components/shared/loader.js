// What Streamlit runs for a component: it loads the component's own module once, then passes every change on to it.
// Streamlit calls the default export at each change and, when the component goes, the function that it returned last.

/** @typedef {{ update(component: object): void, unmount(): void }} Mounted */

const module = import(new URL("MODULE", document.baseURI).href)

/** @typedef {{ latest: object, root: Element | null, mounted: Mounted | null, gone: boolean, timer: number }} Place */

const PATIENCE = 500 // milliseconds between two looks whether a component that was told to go is still on the page

/** @type {WeakMap<Element, Place>} */
const places = new WeakMap()

async function begin(place) {
  const { mount } = await module
  if (!place.gone) place.mounted = mount(place.latest) // it may have gone while the module was on its way
}

/** @param {Element} element @param {Place} place */
function end(element, place) {
  clearTimeout(place.timer)
  place.gone = true
  if (places.get(element) === place) places.delete(element)
  place.mounted?.unmount()
}

/**
 * React also takes effects back while something beside them is still being loaded, and sets them again: what stands on the
 * page all the while keeps its state, and asks nothing twice.
 * @param {Element} element
 * @param {Place} place
 */
function leave(element, place) {
  if (place.root?.isConnected) place.timer = setTimeout(leave, PATIENCE, element, place)
  else end(element, place)
}

export default function render(component) {
  const element = component.parentElement
  const root = element.querySelector('[class^="attention-"]')
  let place = places.get(element)
  if (place && place.root !== root) {
    end(element, place)
    place = undefined
  }
  if (place) {
    clearTimeout(place.timer)
    place.latest = component
    place.mounted?.update(component)
  } else {
    place = { latest: component, root, mounted: null, gone: false, timer: 0 }
    places.set(element, place)
    begin(place).catch(problem => console.error("a component could not start:", problem))
  }
  return () => {
    place.timer = setTimeout(leave, 0, element, place)
  }
}
