"""From a keystroke to the repainted maps in Chromium: idle, and while two runs train on the same two cores.

The clock starts with the key event and stops in the frame after the component has said what it painted.
"""

from __future__ import annotations

from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Browser

from tests.benchmarks.tabs import chromium, new_screen
from tests.browser.app import running_app
from tests.browser.screen import LONG, Screen

KEYS = "名可名非常名无名天地之始有名万物之母故常无欲以观其妙常有欲以观其徼此两者同"
PAUSE = 350  # milliseconds between two keys: a quick typist

WATCH = """root => {
  const times = (window.keystrokes = [])
  let pressed = 0
  root.querySelector("textarea, input[type=text], [contenteditable]").addEventListener(
    "keydown", event => { pressed = event.timeStamp }, { capture: true })
  new MutationObserver(() => {
    const began = pressed
    if (began) requestAnimationFrame(() => { times.push(performance.now() - began); pressed = 0 })
  }).observe(root, { subtree: true, attributes: true, attributeFilter: ["data-painted-text"] })
}"""


def measure() -> dict[str, Any]:
    """Median and 95th percentile in milliseconds."""
    with running_app(ATTENTION_LIVE_GRACE="600") as app, chromium() as browser:
        idle = keystrokes(browser, app.url)
        for experiment in ("mini_bert", "mini_gpt"):
            screen = new_screen(browser, app.url)
            screen.open(experiment, steps=LONG)
            screen.train()
            screen.wait_for_status("running")
            screen.page.context.close()  # it trains on: only the training is to weigh on the page, not another page
        return {"idle": summary(idle), "two_runs_training": summary(keystrokes(browser, app.url))}


def keystrokes(browser: Browser, url: str) -> list[float]:
    """Type a sentence and take the time of every key."""
    screen = new_screen(browser, url)
    screen.open("mini_gpt")
    screen.write("道可道非常道")
    times = typed(screen)
    screen.page.context.close()
    return times


def typed(screen: Screen) -> list[float]:
    """Type on after the sentence that is painted and take the time of every key, in milliseconds."""
    before = screen.sentence.input_value()
    screen.look.evaluate(WATCH)
    keyboard = screen.page.context.new_cdp_session(screen.page)  # Playwright's own has no Chinese keys
    for key in KEYS:
        keyboard.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "text": key})
        keyboard.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})
        screen.page.wait_for_timeout(PAUSE)
    screen.wait_until_painted(before + KEYS)
    times: list[float] = screen.page.evaluate("window.keystrokes")
    return times


def summary(times: list[float]) -> dict[str, float]:
    """What is quoted of a series."""
    return {
        "keystrokes": len(times),
        "median_milliseconds": round(median(times), 1),
        "p95_milliseconds": round(quantiles(times, n=20)[-1], 1),
    }
