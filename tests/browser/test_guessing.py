"""Predict, then reveal: the maps are covered until one has said where a query looks most."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.screen import LONG, Screen

Row = npt.NDArray[np.float64]


def toggle(screen: Screen) -> Locator:
    """The switch."""
    return screen.look.locator(".guess-first")


def said(screen: Screen) -> Locator:
    """The question, or what came of it."""
    return screen.look.locator(".look-guess p")


def chip(screen: Screen, position: int) -> Locator:
    """A token that the model read."""
    return screen.look.locator(".token-chip").nth(position)


def covered(screen: Screen) -> Screen:
    """Switch it on, and wait for the question."""
    toggle(screen).click()
    return asked(screen)


def asked(screen: Screen) -> Screen:
    """Wait until a question is asked and its maps are covered."""
    expect(screen.look).to_have_attribute("data-guess", "asking")
    screen.page.wait_for_function(f"() => {ALL_HIDDEN}")
    return screen


ALL_HIDDEN = """[".attention-grid", ".attention-zoom"].every(place =>
  document.querySelector(`${place} .js-plotly-plot`)?.data.every(({ z }) => z.every(row => row.every(Number.isNaN))))"""


def query(screen: Screen) -> int:
    """The position that is asked about."""
    marks = screen.look.locator(".token-chip").evaluate_all("chips => chips.map(chip => chip.dataset.guess ?? '')")
    (place,) = [place for place, mark in enumerate(marks) if "query" in mark.split()]
    return place


def row(screen: Screen, number: int) -> Row:
    """A row of the large map once it is revealed, and nothing but it."""
    screen.page.wait_for_function(
        """row => document.querySelector(".attention-zoom .js-plotly-plot").data[0].z[row]
          .some(one => !Number.isNaN(one))""",
        arg=number,
    )
    shown = screen.large_map
    assert np.isnan(np.delete(shown, number, axis=0)).all()
    return np.array(shown[number])


def words(screen: Screen) -> str:
    """All that the look says or shows of its maps: texts, names, hints, whatever a script could read."""
    places = ".heads-block, .look-zoom, .other-zoom, .look-tokens, .look-guess, .token-reading"
    return "\n".join(screen.look.locator(places).evaluate_all("parts => parts.map(part => part.outerHTML)"))


@pytest.mark.parametrize("scale", ["fixed", "head", "log", "uniform"])
def test_no_weight_is_on_the_page_while_it_is_guessed(screen: Screen, scale: str) -> None:
    screen.open("mini_gpt", scale=scale, layer=1, head=1)
    chip(screen, 3).click()  # its row is read in every head
    shown = words(screen)
    weights = {found for found in re.findall(r"\b0\.\d{3}\b", shown) if found != "0.001"}
    assert len(weights) > 10
    covered(screen)
    chip(screen, 2).hover()
    hidden = words(screen)
    assert not weights & set(re.findall(r"\b0\.\d{3}\b", hidden))
    assert not re.search(r"data-weight|argest weight|attends most|up to", hidden)
    expect(screen.look.locator(".token-reading")).to_be_hidden()
    expect(screen.zoom.locator(".look-plot")).to_have_attribute("aria-label", re.compile("Covered"))
    expect(screen.grid.locator(".look-plot")).to_have_attribute("aria-label", re.compile("Covered"))
    colours = screen.look.locator(".layer-row canvas").evaluate_all(COLOURS)
    assert len(colours) > 1
    assert set(colours) == {1}
    expect(screen.predictions).to_be_visible()
    screen.page.locator(".look-zoom .save-image").click()  # nor may a file give it away
    locked = screen.page.locator(".page-menu:popover-open [role=menuitem][aria-disabled=true]")
    expect(locked.filter(has_text="reveal them all first")).to_have_count(3)
    screen.page.keyboard.press("Escape")
    toggle(screen).click()
    screen.page.wait_for_function(f"() => !({ALL_HIDDEN})")
    expect(screen.look.locator(".look-guess")).to_be_hidden()
    screen.page.wait_for_function("count => document.querySelectorAll('[data-weight]').length >= count", arg=1)
    assert weights <= set(re.findall(r"\b0\.\d{3}\b", words(screen)))


# How many colours each canvas has.
COLOURS = """canvases => canvases.map(canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
  return new Set(new Uint32Array(data.buffer)).size
})"""


def test_a_guess_is_scored_against_the_weights_of_its_row(screen: Screen) -> None:
    screen.open("mini_gpt")
    weights = screen.large_map
    covered(screen)
    first = query(screen)
    expect(said(screen)).to_contain_text(
        f"Layer 0, head 0: where does the query {chip(screen, first).inner_text()} ({first})"
    )
    best = int(np.nanargmax(weights[first]))
    chip(screen, best).click()
    np.testing.assert_allclose(row(screen, first), weights[first], equal_nan=True)
    others = screen.maps[1:]
    assert np.isnan(others).all()
    expect(said(screen)).to_contain_text(f"Right: at step {screen.painted_step}")
    expect(said(screen)).to_contain_text(f"({best}), with weight {np.nanmax(weights[first]):.3f}")
    expect(screen.look.locator(".look-guess span")).to_have_text("Score 1.00 of 1 over 1 rounds")
    screen.look.get_by_role("button", name="Next guess").click()
    asked(screen)
    second = query(screen)
    assert second != first
    worst = int(np.nanargmin(weights[second]))
    chip(screen, worst).click()
    least, most, favourite = np.nanmin(weights[second]), np.nanmax(weights[second]), int(np.nanargmax(weights[second]))
    count = int((~np.isnan(weights[second])).sum())
    expect(said(screen)).to_contain_text(f"({worst}) has weight {least:.3f}, rank {count} of {count}")
    expect(said(screen)).to_contain_text(f"({favourite}), with {most:.3f}")
    mean = (1 + least / most) / 2
    expect(screen.look.locator(".look-guess span")).to_have_text(f"Score {mean:.2f} of 1 over 2 rounds")
    expect(chip(screen, worst)).to_have_attribute("data-guess", re.compile("guess"))
    expect(chip(screen, favourite)).to_have_attribute("data-guess", re.compile("favourite"))
    screen.look.get_by_role("button", name="Show all").click()
    expect(screen.look).to_have_attribute("data-guess", "shown")
    screen.page.wait_for_function(
        "() => !document.querySelector('.attention-zoom .js-plotly-plot').data[0].z[0].every(Number.isNaN)"
    )
    np.testing.assert_allclose(screen.large_map, weights, equal_nan=True)
    screen.look.get_by_role("button", name="Next guess").click()
    asked(screen)
    screen.page.get_by_role("navigation").get_by_role("button", name="Train").click()
    screen.page.get_by_role("menuitem", name="MiniBERT").click()
    expect(screen.page.get_by_role("heading", name="MiniBERT")).to_be_visible()
    screen.wait_until_painted()
    expect(screen.look.locator(".look-guess")).to_be_hidden()
    covered(screen)
    expect(screen.look.locator(".look-guess span")).to_have_text(f"Score {mean:.2f} of 1 over 2 rounds")


def test_it_is_worked_with_the_keyboard_and_no_key_edits_the_text(screen: Screen) -> None:
    screen.open("tiny_transformer")
    weights = screen.large_map
    text = screen.sentence.input_value()
    toggle(screen).focus()
    screen.page.keyboard.press("Enter")
    asked(screen)
    last = len(text) - 1
    expect(chip(screen, last)).to_be_focused()
    for key, place in (("ArrowRight", 0), ("ArrowLeft", last), ("ArrowLeft", last - 1), ("Home", 0), ("ArrowRight", 1)):
        screen.page.keyboard.press(key)
        expect(chip(screen, place)).to_be_focused()
    for key in ("7", "ArrowUp", "ArrowDown", "Delete"):
        screen.page.keyboard.press(key)
    number = query(screen)
    screen.page.keyboard.press("Enter")
    assert row(screen, number)[1] == pytest.approx(weights[number][1])
    expect(said(screen)).to_contain_text("(1)")
    expect(screen.look.get_by_role("button", name="Next guess")).to_be_focused()
    screen.page.keyboard.press("Enter")
    asked(screen)
    screen.page.keyboard.press("Space")  # on the token that the keyboard was led to
    expect(screen.look).to_have_attribute("data-guess", "answered")
    expect(screen.look.locator(".chip-editor")).to_be_hidden()
    expect(screen.sentence).to_have_value(text)


def test_a_click_neither_hides_a_character_nor_chooses_what_the_query_cannot_see(screen: Screen) -> None:
    screen.open("mini_bert")
    covered(screen)
    text = screen.sentence.input_value()
    chip(screen, 1).click()
    expect(screen.look).to_have_attribute("data-guess", "answered")
    expect(screen.sentence).to_have_value(text)
    chip(screen, 1).click()  # now a click means what it always does
    expect(screen.sentence).not_to_have_value(text)
    expect(screen.look).to_have_attribute("data-guess", "asking")  # another text
    screen.open("mini_gpt", prompt="道可道非常道名可名")
    covered(screen)
    number = query(screen)
    while number == 8:
        screen.look.get_by_role("button", name="Show all").click()
        screen.look.get_by_role("button", name="Next guess").click()
        number = query(asked(screen))
    for place in range(number + 1, 9):
        expect(chip(screen, place)).to_have_attribute("data-guess", "closed")
        chip(screen, place).click()
    expect(screen.look).to_have_attribute("data-guess", "asking")


def test_another_text_head_or_layer_is_another_question(screen: Screen) -> None:
    screen.open("mini_gpt")
    covered(screen)
    screen.write("天下皆知美之为美")
    asked(screen)
    number = query(screen)
    expect(said(screen)).to_contain_text(f"{'天下皆知美之为美'[number]} ({number})")
    screen.choose("head", "2")
    expect(said(screen)).to_contain_text("Layer 0, head 2")
    asked(screen)
    screen.choose("layer", "1")
    expect(said(screen)).to_contain_text("Layer 1, head 2")
    expect(screen.zoom).to_have_attribute("data-painted-layer", "1")
    asked(screen)
    number = query(screen)
    chip(screen, 0).click()
    shown = row(screen, number)
    expect(said(screen)).to_contain_text(f"{shown[0]:.3f}" if np.nanargmax(shown) else "Right")
    screen.look.get_by_role("radio", name="Show head 0 large").click()
    expect(said(screen)).to_contain_text("Layer 1, head 0")
    asked(screen)
    expect(screen.look.locator(".look-guess span")).to_contain_text("over 1 rounds")


def test_both_masks_are_covered(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.look.get_by_role("button", name="Both masks").click()
    expect(screen.look.locator(".other-predictions .js-plotly-plot")).to_be_visible()
    covered(screen)
    screen.page.wait_for_function(OTHER_HIDDEN)
    chip(screen, 0).click()
    row(screen, query(screen))
    screen.page.wait_for_function(OTHER_HIDDEN)
    expect(screen.look.locator(".other-zoom .look-readout")).to_have_text("Covered until you have guessed")


OTHER_HIDDEN = (
    """() => document.querySelector(".other-map .js-plotly-plot").data[0].z.every(row => row.every(Number.isNaN))"""
)


def test_while_it_trains_the_map_of_the_moment_counts(screen: Screen) -> None:
    screen.open("mini_gpt", steps=LONG, seed=11)
    screen.train()
    covered(screen)
    number = query(screen)
    told: dict[str, Any] = screen.page.evaluate(GUESS_NOW)
    expect(screen.look).to_have_attribute("data-guess", "answered")
    sentence = said(screen).inner_text()
    assert int(re.findall(r"step (\d+)", sentence)[0]) >= told["step"] >= 0
    screen.page.wait_for_function(
        "step => Number(document.querySelector('.attention-grid').dataset.paintedStep) > step + 5", arg=told["step"]
    )
    assert said(screen).inner_text() == sentence
    assert screen.look.locator(".look-guess span").inner_text().endswith("over 1 rounds")
    assert np.nansum(row(screen, number)) == pytest.approx(1, abs=1e-3)
    screen.look.get_by_role("button", name="Next guess").click()
    asked(screen)
    screen.button("pause").click()
    screen.wait_for_status("paused")


GUESS_NOW = """() => {
  const step = Number(document.querySelector(".attention-grid").dataset.paintedStep)
  document.querySelector(".token-chip").click()
  return { step }
}"""


def test_where_there_is_nothing_to_guess_it_says_so_and_nothing_is_covered(screen: Screen) -> None:
    screen.open("mini_gpt", prompt="道可")
    toggle(screen).click()
    expect(said(screen)).to_contain_text("nothing to guess")
    assert not np.isnan(screen.large_map[1]).any()
    screen.write("道可道")
    asked(screen)
    assert query(screen) == 2


def test_it_speaks_chinese(screen: Screen) -> None:
    screen.open("mini_gpt", language="zh")
    covered(screen)
    expect(said(screen)).to_contain_text("最看向哪里")
    chip(screen, 0).click()
    expect(said(screen)).to_contain_text("权重")
    expect(screen.look.locator(".look-guess span")).to_contain_text("得分")
    assert not re.search("[A-Za-z]{3}", screen.look.locator(".look-guess").inner_text())
