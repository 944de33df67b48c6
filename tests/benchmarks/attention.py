"""64 characters in 8 heads of 4 layers: keystrokes, looking back, an answer's bytes and seconds, and its first paint.

Beside it stands BertViz's model view of the very same weights, where it is installed. Our answer also runs the model
and measures its heads; BertViz is handed the finished weights. Goals stand beside the ratios; nothing is asserted.
"""

from __future__ import annotations

import io
import os
from statistics import median
from time import perf_counter
from typing import Any

import httpx
import numpy as np
import torch
from playwright.sync_api import Browser, expect
from torch import Tensor

from core.data import corpora
from core.runs.wire import unpack_look
from tests.benchmarks import bertviz_view
from tests.benchmarks.editing import summary, typed
from tests.benchmarks.tabs import chromium, new_screen
from tests.benchmarks.watching import cpu_seconds
from tests.browser.app import App, running_app
from tests.browser.screen import LONG, Screen

LENGTH, LONGEST, TOO_LONG = 64, 128, 256  # characters: of the comparison, of the largest block, and more than fit
SHAPE = {"layers": 4, "heads": 8}
STEPS = 60
TEXT = 2 * corpora.read("daodejing")  # one is shorter than what is too long
SHORT = TEXT[:2]
ROUNDS = 9
ANSWERS = 100
THERE_AND_BACK = (["ArrowLeft"] * 10 + ["ArrowRight"] * 10) * 2  # through the newest of about twenty snapshots
PAUSE = 300  # milliseconds between two keys on the scrubber
HOW_TO_INSTALL = "not installed: pip install --no-deps -r requirements-bertviz.txt"
GOALS = {"bytes": 20, "server_time": 2, "first_paint": 5}  # how many times less than BertViz
LIMITS = {"keystroke_idle": 80, "keystroke_two_runs_training": 120, "scrubbing": 50}  # milliseconds, medians

# Milliseconds from a key on the scrubber to the frame after the maps (the bars, the last part) were painted.
WATCH_SCRUBBER = """look => {
  const times = (window.scrubbed = { maps: [], everything: [] })
  let pressed = 0
  document.querySelector(".st-key-time .time-slider").addEventListener(
    "keydown", event => { pressed = event.timeStamp }, { capture: true })
  const watch = (element, attribute, list) =>
    new MutationObserver(() => {
      const began = pressed
      requestAnimationFrame(() => list.push(performance.now() - began))
    }).observe(element, { attributes: true, attributeFilter: [attribute] })
  watch(look, "data-step", times.maps)
  watch(look.querySelector(".predictions"), "data-painted-step", times.everything)
}"""

# From the request of an answer to the frame after its maps were painted, and what the network says of the way there.
WATCH_ARRIVAL = """(look, text) => {
  performance.clearResourceTimings()
  window.arrival = new Promise(resolve => {
    const observer = new MutationObserver(() => {
      if (look.dataset.paintedText !== text) return
      observer.disconnect()
      requestAnimationFrame(() => {
        const painted = performance.now()
        const asked = performance.getEntriesByType("resource").find(({ name }) => name.includes("/api/look/"))
        resolve({
          first_paint: painted - asked.startTime,
          until_answered: asked.responseStart - asked.startTime,
          transfer: asked.responseEnd - asked.responseStart,
          browser: painted - asked.responseEnd,
        })
      })
    })
    observer.observe(look, { attributes: true, attributeFilter: ["data-painted-text"] })
  })
}"""


def measure() -> dict[str, Any]:
    """Our side, BertViz's side and their ratios; milliseconds are medians unless they say otherwise."""
    load = os.getloadavg()[0]
    with running_app(ATTENTION_LIVE_GRACE="600") as app, chromium() as browser:
        screen = trained(browser, app.url)
        ours = {
            "scrubbing": scrubbing(screen),
            "keystroke_idle": keystrokes(screen),
            "answer": answers(app, screen.run, TEXT[:LENGTH]),
            "first_paint": first_paint(screen, TEXT[:LENGTH]),
        }
        maps = weights(app, screen.run, TEXT[:LENGTH])
        bertviz = bertviz_view.measure(browser, maps, list(TEXT[:LENGTH])) if bertviz_view.installed() else None
        ours["longest"] = longest(app, browser)
        train_two(app, browser)
        ours["keystroke_two_runs_training"] = keystrokes(screen)
    return {
        "ours": ours,
        "bertviz": bertviz or HOW_TO_INSTALL,
        "times_less_than_bertviz": ratios(ours, bertviz) if bertviz else None,
        "goals_times_less": GOALS,
        "goals_milliseconds": LIMITS,
        "load_before": round(load, 2),
        "load_after": round(os.getloadavg()[0], 2),
    }


def ratios(ours: dict[str, Any], bertviz: dict[str, Any]) -> dict[str, float]:
    """How many times less is ours."""
    answer = ours["answer"]
    cpu = answer["server_cpu_seconds"] + answer["worker_cpu_seconds"]  # the server's compresses the answer
    paint = ours["first_paint"]["first_paint_milliseconds"]
    pairs = {
        "bytes": (bertviz["html_bytes"], answer["bytes"]),
        "bytes_both_compressed": (bertviz["html_bytes_compressed"], answer["bytes_sent"]),
        "server_time": (bertviz["model_view_cpu_seconds"], cpu),
        "first_paint": (bertviz["first_paint_milliseconds"], paint),
    }
    return {name: round(theirs / mine, 1) for name, (theirs, mine) in pairs.items()}


def trained(browser: Browser, url: str) -> Screen:
    """A page whose run is over and has a past."""
    screen = new_screen(browser, url).open("mini_gpt", **SHAPE, block=LENGTH, steps=STEPS)
    screen.train_to_end()
    return screen


def keystrokes(screen: Screen) -> dict[str, float]:
    """Type on after 64 characters: of each longer sentence the model reads the last 64."""
    look_at(screen, TEXT[:LENGTH])
    return summary(typed(screen))


def look_at(screen: Screen, text: str) -> None:
    """Replace the sentence at once and wait for its maps."""
    screen.paste(text)
    screen.wait_until_painted(text)


def scrubbing(screen: Screen) -> dict[str, Any]:
    """Go back and forth in the past of the run, a snapshot at a time, once all of it is in the browser."""
    look_at(screen, TEXT[:LENGTH])
    scrubber = screen.page.locator(".st-key-time .attention-time")
    slider = scrubber.get_by_role("slider")
    slider.press("ArrowLeft")
    screen.page.wait_for_timeout(2_000)
    expect(scrubber.locator(".time-words")).not_to_contain_text("snapshots")  # it says how many are missing
    screen.look.evaluate(WATCH_SCRUBBER)
    for key in THERE_AND_BACK:
        slider.press(key)
        screen.page.wait_for_timeout(PAUSE)
    times = screen.page.evaluate("window.scrubbed")
    scrubber.locator(".time-newest").click()
    return {part: summary(values) for part, values in times.items()}


def answers(app: App, run: str, text: str) -> dict[str, Any]:
    """Ask for the same answer many times, without a page: bytes, seconds, and seconds of the processor."""
    seconds = []
    with httpx.Client(base_url=app.url, timeout=60) as client:
        client.post(f"/api/look/{run}", json={"text": text})
        began = [cpu_seconds(app.process), sum(cpu_seconds(worker) for worker in app.workers())]
        for _ in range(ANSWERS):
            asked = perf_counter()
            answer = client.post(f"/api/look/{run}", json={"text": text}).raise_for_status()
            seconds.append(perf_counter() - asked)
        ended = [cpu_seconds(app.process), sum(cpu_seconds(worker) for worker in app.workers())]
    header = unpack_look(answer.content).header
    return {
        "shape": [len(header["maps"]), *header["shape"]],  # layers, heads, queries, keys
        "notices": [notice["code"] for notice in header["notices"]],
        "bytes": len(answer.content),
        "bytes_sent": answer.num_bytes_downloaded,  # compressed, as a browser asks for it
        "median_seconds": round(median(seconds), 4),
        "server_cpu_seconds": round((ended[0] - began[0]) / ANSWERS, 5),
        "worker_cpu_seconds": round((ended[1] - began[1]) / ANSWERS, 5),
    }


def first_paint(screen: Screen, text: str) -> dict[str, float]:
    """From the request of an answer to its painted maps, on a page that shows a short sentence."""
    seen: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        look_at(screen, SHORT)
        screen.page.wait_for_timeout(1_500)  # until the page rests
        screen.look.evaluate(WATCH_ARRIVAL, text)
        screen.paste(text)
        seen.append(screen.page.evaluate("window.arrival"))
    return {f"{name}_milliseconds": round(median(one[name] for one in seen), 1) for name in seen[0]}


def weights(app: App, run: str, text: str) -> list[Tensor]:
    """The maps of the sentence, (1, heads, queries, keys) a layer, exactly as they are; 0 where masked."""
    answer = httpx.post(f"{app.url}/api/maps/{run}", json={"text": text}, timeout=60).raise_for_status()
    with np.load(io.BytesIO(answer.content)) as file:
        return [torch.from_numpy(file[f"layer_{layer}"]).nan_to_num()[None] for layer in range(SHAPE["layers"])]


def longest(app: App, browser: Browser) -> dict[str, Any]:
    """The largest block, asked about a text that is twice as long."""
    screen = new_screen(browser, app.url).open("mini_gpt", **SHAPE, block=LONGEST)
    text = TEXT[:TOO_LONG]
    result = answers(app, screen.run, text) | first_paint(screen, text)
    screen.page.context.close()
    return {"characters": len(text)} | result


def train_two(app: App, browser: Browser) -> None:
    """Two runs that go on training when their pages are closed: only the training is to weigh."""
    for experiment in ("mini_bert", "mini_gpt"):
        screen = new_screen(browser, app.url).open(experiment, steps=LONG)
        screen.train()
        screen.page.context.close()
