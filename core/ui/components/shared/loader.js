// What Streamlit runs for a component: it loads the component's own module once, then passes every change on to it.
// Streamlit calls the default export at each change and, when the component goes, the function that it returned last.

/** @typedef {{ update(component: object): void, unmount(): void }} Mounted */

const module = import(new URL("MODULE", document.baseURI).href)

/** @type {WeakMap<Element, { latest: object, mounted: Mounted | null, gone: boolean }>} */
const places = new WeakMap()

async function begin(place) {
  const { mount } = await module
  if (!place.gone) place.mounted = mount(place.latest) // it may have gone while the module was on its way
}

export default function render(component) {
  const element = component.parentElement
  let place = places.get(element)
  if (place) {
    place.latest = component
    place.mounted?.update(component)
  } else {
    place = { latest: component, mounted: null, gone: false }
    places.set(element, place)
    begin(place).catch(problem => console.error("a component could not start:", problem))
  }
  return () => {
    place.gone = true
    places.delete(element)
    place.mounted?.unmount()
  }
}
