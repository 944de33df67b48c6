"""One browser tab on one page of the app, in the words of somebody who uses it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, Request, expect

PATIENCE = 60_000  # milliseconds: two shared cores, sometimes busy with much else
expect.set_options(timeout=PATIENCE)
LONG = 20_000  # steps: still running whenever one looks
Maps = NDArray[np.float64]
PATHS = {
    "tiny_transformer": "/tiny-transformer",
    "mini_bert": "/mini-bert",
    "mini_gpt": "/mini-gpt",
    "seq2seq": "/seq2seq",
}


class Screen:
    """What one does on a page, and what one sees there."""

    def __init__(self, page: Page, server: str) -> None:
        self.page = page
        self.server = server
        self.run = ""  # the run that the page asked about last
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: self._notice_run(request.url))

    def _notice_run(self, url: str) -> None:
        if found := re.search(r"/api/(?:look|stream)/([^/?]+)", url):
            self.run = found.group(1)

    def open(self, experiment: str, **parameters: object) -> Screen:
        """Follow a link, and wait until its sentence has been looked at."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        self.page.goto(f"{self.server}{PATHS[experiment]}{query}")
        self.wait_until_painted()
        return self

    # What stands on the page

    @property
    def look(self) -> Locator:
        """The component with the sentence and its maps."""
        return self.page.locator(".st-key-look .attention-look")

    @property
    def sentence(self) -> Locator:
        """The sentence that is looked at."""
        return self.look.get_by_role("textbox")

    @property
    def grid(self) -> Locator:
        """The row of all heads."""
        return self.look.locator(".attention-grid")

    @property
    def zoom(self) -> Locator:
        """The head that is shown large."""
        return self.look.locator(".attention-zoom")

    @property
    def predictions(self) -> Locator:
        """The bars of what the model predicts."""
        return self.look.locator(".predictions")

    @property
    def chart(self) -> Locator:
        """The live chart of the loss."""
        return self.page.locator(".st-key-loss_chart .attention-curve")

    def widget(self, key: str) -> Locator:
        """The control with that key."""
        return self.page.locator(f".st-key-{key}")

    def button(self, key: str) -> Locator:
        """The button with that key."""
        return self.widget(key).get_by_role("button")

    # What one does

    def write(self, text: str) -> None:
        """Replace the sentence, key by key, and wait for its maps."""
        self.write_blindly(text)
        self.wait_until_painted(text)

    def write_blindly(self, text: str) -> None:
        """Replace the sentence, key by key."""
        self.sentence.press("ControlOrMeta+a")
        self.sentence.press("Delete")
        self.sentence.press_sequentially(text)

    def train(self) -> None:
        """Press Train and wait until the run runs."""
        self.button("train").click()
        self.wait_for_status("running")

    def train_to_end(self) -> None:
        """Press Train and wait until the run is finished and its last step painted."""
        self.button("train").click()
        self.wait_for_status("finished")
        expect(self.grid).to_have_attribute("data-painted-step", self.chart.get_attribute("data-step") or "")

    def slide(self, key: str, presses: int) -> None:
        """Move a slider by so many steps, with the keyboard."""
        handle = self.widget(key).get_by_role("slider")
        handle.focus()
        for _ in range(abs(presses)):
            handle.press("ArrowRight" if presses > 0 else "ArrowLeft")

    def paste(self, text: str) -> None:
        """Replace the sentence at once."""
        self.sentence.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def toggle(self, key: str) -> None:
        """Click a switch."""
        self.widget(key).locator("label").click()

    def choose(self, key: str, option: str) -> None:
        """Choose one of a few options that stand side by side."""
        self.widget(key).get_by_text(option, exact=True).click()

    def go_to(self, title: str) -> None:
        """Follow the menu to another page of experiments."""
        before = self.run
        self.page.get_by_role("navigation").get_by_role("button").first.click()  # the section of experiments
        self.page.get_by_role("menuitem", name=title).click()
        expect(self.page.get_by_role("heading", name=title)).to_be_visible()
        self.page.wait_for_function(
            "() => document.querySelector('.attention-look')?.dataset.paintedText !== undefined"
        )
        assert self.run != before

    # What one sees

    def wait_until_painted(self, text: str | None = None) -> None:
        """Wait until the maps show this sentence, or the one in the box."""
        if text is None:
            expect(self.look).to_have_attribute("data-state", "ok")
            text = self.sentence.input_value()
        expect(self.look).to_have_attribute("data-painted-text", text)

    def wait_for_status(self, status: str) -> None:
        """Wait until the run is in this state."""
        expect(self.chart).to_have_attribute("data-status", status)

    def wait_for_parameter(self, name: str, value: str | None = None) -> None:
        """Wait until the address names this setting (with this value)."""
        self.page.wait_for_function(
            """([name, value]) => {
              const found = new URL(location.href).searchParams.get(name)
              return value === null ? found !== null : found === value
            }""",
            arg=[name, value],
        )

    def wait_for_chance(self, label: str, at_least: float) -> None:
        """Wait until the bars give a candidate at least (below a half: at most) this probability."""
        self.page.wait_for_function(
            """([label, wanted]) => {
              const plot = document.querySelector(".predictions .js-plotly-plot")
              const chance = plot.data[0].x[plot.layout.yaxis.ticktext.indexOf(label)]
              return wanted > 0.5 ? chance >= wanted : chance <= wanted
            }""",
            arg=[label, at_least],
        )

    def count_looks(self) -> Callable[[], int]:
        """Count the questions that the page asks from now on."""
        asked: list[Request] = []
        self.page.on("request", lambda request: asked.append(request) if "/api/look/" in request.url else None)
        return lambda: len(asked)

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters in the address."""
        return {name: values[-1] for name, values in parse_qs(urlsplit(self.page.url).query).items()}

    @property
    def steps(self) -> int:
        """How many steps the page says the run has made."""
        return int(self.chart.get_attribute("data-step") or 0)

    @property
    def painted_step(self) -> int:
        """The step of the run whose maps are painted."""
        return int(self.grid.get_attribute("data-painted-step") or -1)

    @property
    def maps(self) -> Maps:
        """The painted weights of all heads, (heads, queries, keys); masked cells are not numbers."""
        return np.array([trace["z"] for trace in self._traces(".attention-grid")])

    @property
    def large_map(self) -> Maps:
        """The painted weights of the large map, (queries, keys)."""
        return np.array(self._traces(".attention-zoom")[0]["z"])

    @property
    def probabilities(self) -> dict[str, float]:
        """The painted bars: candidates, likeliest first."""
        plot = self.page.locator(".predictions .js-plotly-plot").evaluate(READ_PLOT)
        return dict(zip(plot["labels"], plot["data"][0]["x"], strict=True))

    @property
    def loss(self) -> list[float]:
        """The painted losses of training."""
        return [float(value) for value in self._traces(".st-key-loss_chart")[0]["y"]]

    @property
    def metric(self) -> list[float]:
        """The painted values of the experiment's own measure."""
        return [float(value) for value in self._traces(".st-key-loss_chart")[2]["y"]]

    def _traces(self, place: str) -> list[dict[str, Any]]:
        plot = self.page.locator(f"{place} .js-plotly-plot").evaluate(READ_PLOT)
        return [dict(trace) for trace in plot["data"]]


# Plotly's own record of what it has painted, typed arrays unpacked.
READ_PLOT = """plot => {
  const plain = values => Array.from(values ?? [], value => ArrayBuffer.isView(value) ? Array.from(value) : value)
  return {
    data: plot.data.map(({ x, y, z }) => ({ x: plain(x), y: plain(y), z: plain(z) })),
    labels: plain(plot.layout.yaxis.ticktext),
  }
}"""
