"""The curves as somebody reads them: smoothed, compared, on other axes, and where they end."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, WebSocket, expect

from core.figures.curve import CURVES
from tests.browser.conftest import Visit
from tests.browser.screen import LONG, Screen

READ = """([curves, drawn]) => {
  const root = document.querySelector(".st-key-loss_chart .attention-curve")
  if (drawn !== null && root.dataset.drawn !== drawn) return null
  const { data, layout } = root.querySelector(".js-plotly-plot")
  const named = {}
  curves.forEach((name, place) => {
    const { x, y, visible } = data[place]
    named[name] = { x: Array.from(x ?? []), y: Array.from(y ?? []), visible, name: data[place].name }
  })
  const { xaxis, yaxis, shapes, annotations } = layout
  return {
    curves: named,
    x: Array.from(xaxis.range),
    y: Array.from(yaxis.range),
    log: yaxis.type === "log",
    levels: shapes.filter(one => one.xref === "paper").map(one => one.y0),
    marks: shapes.filter(one => one.xref !== "paper").map(one => one.x0),
    words: annotations.map(one => one.text),
  }
}"""


def chart(screen: Screen, steps: int | None = None) -> dict[str, Any]:
    """What is painted, as soon as so many steps of the run on screen are."""
    drawn = None if steps is None else f"{screen.run} {steps}"
    handle = screen.page.wait_for_function(READ, arg=[list(CURVES), drawn])
    painted: dict[str, Any] = handle.json_value()
    return painted


def switch(screen: Screen, name: str) -> None:
    """Press one of the chart's own buttons, with the keyboard."""
    button = screen.chart.locator(f"[data-choice={name}]")
    before = button.get_attribute("aria-pressed")
    button.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "false" if before == "true" else "true")
    screen.page.wait_for_timeout(100)  # the next frame paints


def finished(screen: Screen, experiment: str, **parameters: object) -> Screen:
    """A page whose own run has finished."""
    screen.open(experiment, **parameters)
    screen.button("train").click()
    screen.wait_for_status("finished")
    chart(screen, screen.steps)
    return screen


def test_every_step_is_faint_and_an_average_strong(screen: Screen) -> None:
    painted = chart(finished(screen, "mini_gpt", steps=30, seed=3))
    raw, smooth = painted["curves"]["training"], painted["curves"]["smoothed"]
    assert len(raw["y"]) == len(smooth["y"]) == 30
    expected = pd.Series(raw["y"]).ewm(span=5).mean()
    np.testing.assert_allclose(smooth["y"], expected, rtol=1e-9)
    expect(screen.chart.locator(".curve-legend")).to_contain_text("moving average, 5 steps")


def test_the_axis_of_steps_spans_the_run_from_its_start(screen: Screen) -> None:
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    seen = {tuple(chart(screen)["x"])}
    for _ in range(3):
        screen.page.wait_for_timeout(300)
        seen.add(tuple(chart(screen)["x"]))
    assert len(seen) == 1
    assert LONG <= seen.pop()[1] < 1.1 * LONG


def test_other_axes_are_a_choice_that_stays(screen: Screen) -> None:
    before = chart(finished(screen, "mini_gpt", steps=20))
    assert not before["log"]
    switch(screen, "log")
    switch(screen, "tokens")
    painted = chart(screen)
    assert painted["log"]
    assert painted["curves"]["training"]["x"] == [step * 32 * 48 for step in range(1, 21)]
    assert painted["curves"]["training"]["y"] == before["curves"]["training"]["y"]
    screen.page.reload()
    for name in ("log", "tokens"):
        expect(screen.chart.locator(f"[data-choice={name}]")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(
    ("experiment", "lines", "words"),
    [
        ("mini_gpt", 3, ["ln V = 4.76", "unigram 4.41", "bigram 0.95"]),
        ("mini_bert", 3, ["ln V = 3.83", "unigram", "always the most frequent character"]),
        ("tiny_transformer", 1, ["always answering yes"]),
    ],
)
def test_curves_are_compared_with_guesses(screen: Screen, experiment: str, lines: int, words: list[str]) -> None:
    screen.open(experiment, steps=20, seed=2)
    screen.button("reset").click()
    screen.wait_for_status("ready")
    expect(screen.chart.locator(".curve-parameters")).to_contain_text("parameters")
    screen.page.wait_for_function(
        "lines => document.querySelector('.st-key-loss_chart .js-plotly-plot')?.layout.shapes.length === lines",
        arg=lines,
    )
    for _ in range(50):  # the new run's chart is painted once empty, then with what is known of it
        if len((painted := chart(screen))["levels"]) == lines:
            break
        screen.page.wait_for_timeout(100)
    assert len(painted["levels"]) == lines
    if experiment == "mini_gpt":
        assert painted["levels"][0] == pytest.approx(math.log(117))
    for one in words:
        assert any(one in said for said in painted["words"])


def test_accuracy_stands_beside_the_majority(screen: Screen) -> None:
    finished(screen, "tiny_transformer", recipe="fast", steps=60, question="two_3s")
    values = screen.chart.locator(".curve-values")
    expect(values).to_contain_text("held-out loss")
    expect(values).to_contain_text("always answering no: 0.8")


@pytest.mark.parametrize("held_out", [0.0, 0.3])
def test_what_is_not_held_out_is_said(screen: Screen, held_out: float) -> None:
    painted = chart(finished(screen, "mini_gpt", steps=20, held_out=held_out))
    said = screen.chart.locator(".curve-values").inner_text()
    assert ("nothing is held out" in said) == (held_out == 0)
    assert ("held-out loss" in said) == bool(painted["curves"]["held_out"]["visible"]) == (held_out > 0)


def test_the_run_before_is_a_ghost_that_says_how_it_differed(screen: Screen) -> None:
    first = chart(finished(screen, "mini_gpt", steps=20, seed=5))
    assert not first["curves"]["previous"]["visible"]
    screen.toggle("causal_mask")
    screen.wait_for_parameter("causal_mask", "false")
    screen.button("reset").click()
    screen.wait_for_status("ready")
    painted = chart(screen, 0)
    assert painted["curves"]["previous"]["y"] == first["curves"]["smoothed"]["y"]
    assert painted["curves"]["previous_metric"]["y"] == first["curves"]["metric"]["y"]
    expect(screen.chart.locator(".curve-legend")).to_contain_text("previous run: Causal mask on")


def test_a_ghost_outlives_a_visit_to_another_page(screen: Screen) -> None:
    finished(screen, "mini_gpt", steps=20)
    screen.button("new_seed").click()
    screen.wait_for_status("ready")
    screen.button("train").click()
    screen.wait_for_status("finished")
    screen.go_to("MiniBERT")
    assert not chart(screen)["curves"]["previous"]["visible"]
    screen.go_to("MiniGPT")
    screen.wait_for_status("finished")
    painted = chart(screen, 20)["curves"]
    assert len(painted["training"]["y"]) == len(painted["previous"]["y"]) == 20
    assert painted["smoothed"]["y"] != painted["previous"]["y"]


def test_zoom_is_kept_while_training_and_a_double_click_ends_it(screen: Screen) -> None:
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    box = screen.chart.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    middle, level = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    screen.page.mouse.move(middle - 60, level - 30)
    screen.page.mouse.down()
    screen.page.mouse.move(middle + 60, level + 30, steps=5)
    screen.page.mouse.up()
    screen.page.wait_for_timeout(300)
    zoomed, steps = chart(screen), screen.steps
    assert zoomed["x"][0] > 0
    expect(screen.chart).not_to_have_attribute("data-step", str(steps))
    screen.page.wait_for_timeout(500)
    assert (chart(screen)["x"], chart(screen)["y"]) == (zoomed["x"], zoomed["y"])
    screen.page.mouse.dblclick(middle, level)
    screen.page.wait_for_timeout(500)
    assert chart(screen)["x"][0] == 0


def test_a_loss_that_is_no_number_ends_in_words(screen: Screen) -> None:
    # Weight decay of 1 at a learning rate of 10 multiplies every weight by -9 a step.
    screen.open("mini_gpt", learning_rate=10, weight_decay=1)
    screen.button("train").click()
    screen.wait_for_status("failed")
    expect(screen.chart.locator(".curve-reason")).to_contain_text("no longer a number")
    expect(screen.widget("reset").locator("[data-testid='stBaseButton-primary']")).to_be_visible()
    expect(screen.widget("train").locator("[data-testid='stBaseButton-primary']")).to_have_count(0)
    painted = chart(screen, screen.steps)
    assert len(painted["curves"]["training"]["y"]) == screen.steps > 0
    assert np.isfinite(painted["curves"]["training"]["y"]).all()
    assert painted["marks"] == [screen.steps + 1]


@contextmanager
def ends_told(page: Page) -> Iterator[list[bytes]]:
    """What the browser tells Streamlit about ends of runs."""
    told: list[bytes] = []

    def notice(payload: str | bytes) -> None:
        if isinstance(payload, bytes) and b'"event":"ended"' in payload.replace(b" ", b""):
            told.append(payload)

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", notice)

    page.on("websocket", listen)
    yield told
    page.remove_listener("websocket", listen)


def test_an_end_is_told_exactly_once(screen: Screen) -> None:
    with ends_told(screen.page) as told:
        finished(screen, "mini_gpt", steps=30)
        expect(screen.button("pause")).to_be_disabled()  # the page has been drawn anew
        screen.page.wait_for_timeout(6_000)  # a heartbeat and whatever else might come
        assert len(told) == 1, [json.dumps(one.decode(errors="replace")) for one in told]
        screen.button("reset").click()
        screen.wait_for_status("ready")
        screen.button("train").click()
        screen.wait_for_status("finished")
        screen.page.wait_for_timeout(1_000)
        assert len(told) == 2


def test_a_preset_sets_both_shares_at_once(visit: Visit) -> None:
    screen = visit().open("mini_bert", steps=LONG)
    screen.train()
    screen.choose("masks", "80/10/10")
    expect(screen.chart).to_have_attribute("data-marks", "2")
    screen.wait_for_parameter("mask_share", "0.8")
    screen.wait_for_parameter("random_share", "0.1")
