"""Presenter view: one map or one curve, readable from the last row, still live, opened by a key or a link."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.screen import Screen

LETTERS = 24  # pixels: the least that the last row can read
SMALLEST = """root => Math.min(...[...root.querySelectorAll('*')]
  .filter(one => [...one.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.textContent.trim()))
  .filter(one => one.getClientRects().length > 0)
  .map(one => parseFloat(getComputedStyle(one).fontSize)))"""


@pytest.mark.parametrize("experiment", ["tiny_transformer", "mini_bert", "mini_gpt", "seq2seq"])
def test_a_link_opens_one_map_in_large_letters(screen: Screen, experiment: str) -> None:
    screen.page.set_viewport_size({"width": 1280, "height": 720})
    screen.open(experiment, present="map", controls="prompt", layer=1)
    assert screen.look.evaluate(SMALLEST) >= LETTERS
    expect(screen.zoom).to_have_attribute("data-layer", "1")
    expect(screen.widget("train")).to_have_count(0)
    expect(screen.look.locator(".heads-block")).to_be_hidden()
    box = screen.zoom.bounding_box()
    assert box and box["y"] + box["height"] <= 720


@pytest.mark.parametrize("width", [1024, 1280])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_buttons_of_the_longest_title_stay_in_one_line(screen: Screen, language: str, width: int) -> None:
    screen.page.set_viewport_size({"width": width, "height": 720})
    screen.open("tiny_transformer", language=language)
    box = screen.page.locator(".st-key-bar").bounding_box()
    assert box and box["height"] < 60
    expect(screen.button("keys")).to_have_accessible_name("Shortcuts" if language == "en" else "快捷键")


def test_the_key_opens_and_leaves_it_and_the_sentence_stays_live(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.page.keyboard.press("Alt+p")
    screen.wait_for_parameter("present", "map")
    expect(screen.look).to_have_count(1)  # the one that was there has gone
    expect(screen.look).to_have_attribute("data-present", "true")
    screen.write("有名万物")
    assert screen.large_map.shape == (4, 4)
    screen.page.keyboard.press("Alt+p")
    expect(screen.widget("recipe")).to_be_visible()
    expect(screen.look).to_have_count(1)  # the presented one has gone
    expect(screen.look).to_have_attribute("data-present", "false")
    expect(screen.look.locator(".heads-block")).to_be_visible()
    expect(screen.sentence).to_have_value("有名万物")  # though it was left before the typing rested
    screen.page.wait_for_function("() => !new URL(location.href).searchParams.has('present')")


def test_the_curve_is_presented_while_it_trains(screen: Screen) -> None:
    page = screen.page
    page.goto(f"{screen.server}/tiny-transformer?recipe=fast&present=curve&controls=train")
    screen.button("train").click()
    screen.wait_for_status("finished")
    page.wait_for_function("() => document.querySelector('.curve-plot.js-plotly-plot')?.data[0].x.length > 50")
    assert screen.chart.evaluate(SMALLEST) >= LETTERS
    expect(page.locator(".st-key-look")).to_have_count(0)


def test_controls_are_those_that_the_link_names_and_strange_ones_are_named(screen: Screen) -> None:
    screen.page.goto(f"{screen.server}/mini-gpt?present=map&controls=layer,temperature,nothing")
    expect(screen.look).to_have_attribute("data-state", "ok")
    expect(screen.widget("layer")).to_be_visible()
    expect(screen.widget("temperature")).to_be_visible()
    expect(screen.look.locator(".look-sentence")).to_be_hidden()
    expect(screen.widget("train")).to_have_count(0)
    expect(screen.page.get_by_role("alert")).to_contain_text(re.compile("does not have: nothing"))
    screen.choose("layer", "1")
    expect(screen.zoom).to_have_attribute("data-layer", "1")
