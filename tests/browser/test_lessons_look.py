"""What one does with a sentence and its maps in a lesson: tokens as buttons, blanks, both masks, written text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Request, expect

from core.experiments import catalogue
from tests.browser.conftest import Visit
from tests.browser.screen import READ_PLOT, Screen

PAGES = list(catalogue())


def chips(screen: Screen) -> Locator:
    """The tokens that the model read, as buttons."""
    return screen.look.locator(".token-chip")


def asked(screen: Screen, route: str) -> list[dict[str, Any]]:
    """The questions that go to a route from now on."""
    questions: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if f"/api/{route}/" in request.url:
            questions.append(json.loads(request.post_data or "{}"))

    screen.page.on("request", note)
    return questions


def bars(screen: Screen, place: str) -> dict[str, float]:
    """The painted bars of a place, likeliest first."""
    plot = screen.page.locator(f"{place} .js-plotly-plot").evaluate(READ_PLOT)
    return dict(zip(plot["labels"], plot["data"][0]["x"], strict=True))


def other_map(screen: Screen) -> np.ndarray[Any, Any]:
    """The painted weights of the other mask."""
    plot = screen.page.locator(".other-map .js-plotly-plot").evaluate(READ_PLOT)
    return np.array(plot["data"][0]["z"])


# Tokens


@pytest.mark.parametrize("experiment", PAGES)
def test_chips_are_exactly_what_the_model_read(screen: Screen, experiment: str) -> None:
    screen.open(experiment)
    shown = screen.sentence.input_value()
    expect(chips(screen)).to_have_count(len(shown))
    assert "".join(chips(screen).all_inner_texts()) == shown


def test_a_digit_is_changed_by_click_and_by_key(screen: Screen) -> None:
    screen.open("tiny_transformer")
    screen.write("49303973")
    looks = asked(screen, "look")
    chips(screen).nth(1).click()
    editor = screen.look.locator(".chip-editor")
    expect(editor.get_by_role("button")).to_have_count(10)
    editor.get_by_role("button", name="5", exact=True).click()
    screen.wait_until_painted("45303973")
    chips(screen).nth(1).focus()
    for key, text in (("7", "47303973"), ("ArrowUp", "48303973"), ("ArrowDown", "47303973")):
        screen.page.keyboard.press(key)
        screen.wait_until_painted(text)
    screen.page.keyboard.press("ArrowRight")
    screen.page.keyboard.press("ArrowDown")
    screen.wait_until_painted("47203973")
    for _ in range(3):
        screen.page.keyboard.press("ArrowDown")
    screen.wait_until_painted("47903973")
    screen.page.keyboard.press("Escape")
    expect(editor).to_be_hidden()
    expect(screen.sentence).to_have_value("47903973")
    screen.wait_for_parameter("prompt", "47903973")
    assert [look["text"] for look in looks[:3]] == ["45303973", "47303973", "48303973"]
    assert len(looks) <= 8


def test_the_models_own_token_is_marked_and_cannot_be_edited(screen: Screen) -> None:
    screen.open("tiny_transformer", readout="cls")
    first = chips(screen).first
    expect(first).to_have_text("[CLS]")
    expect(first).to_have_attribute("data-part", "special")
    first.click()
    screen.page.keyboard.press("5")
    expect(screen.look.locator(".chip-editor")).to_be_hidden()
    expect(screen.sentence).to_have_value("49303973")
    expect(screen.look.locator(".look-zoom .look-readout")).to_contain_text("[CLS] (0)")
    chips(screen).nth(1).click()
    screen.page.keyboard.press("8")
    screen.wait_until_painted("89303973")


def test_a_character_is_hidden_and_brought_back_by_the_same_click(screen: Screen) -> None:
    screen.open("mini_bert")
    screen.write("温故而知新")
    for text in ("_故而知新", "温故而知新"):
        chips(screen).first.click()
        screen.wait_until_painted(text)
        expect(screen.sentence).to_have_value(text)
    chips(screen).nth(3).click()
    screen.wait_until_painted("温故而_新")
    screen.sentence.press("Home")
    screen.sentence.press_sequentially("学")
    screen.wait_until_painted("学温故而_新")
    chips(screen).nth(4).click()  # what stood there is remembered, though it has moved on
    screen.wait_until_painted("学温故而知新")
    chips(screen).nth(1).focus()
    screen.page.keyboard.press("_")
    screen.wait_until_painted("学_故而知新")


def test_a_chosen_character_shows_its_row(screen: Screen) -> None:
    screen.open("mini_gpt")
    looks = asked(screen, "look")
    chips(screen).nth(2).click()
    row = screen.large_map[2]
    expect(screen.look.locator(".look-zoom .look-readout")).to_contain_text(f"{np.nanmax(row):.3f}")
    expect(chips(screen).nth(2)).to_have_attribute("aria-pressed", "true")
    assert looks == []


# Blanks


def test_every_blank_has_candidates_and_a_click_draws_it(screen: Screen) -> None:
    screen.open("mini_bert")
    screen.write("温_而[MASK]新_以")
    listed = screen.look.locator(".answer-choice button")
    expect(listed).to_have_count(3)
    seen = []
    for number, position in enumerate((1, 3, 5)):
        listed.nth(number).click()
        expect(screen.predictions).to_have_attribute("data-position", str(position))
        best = list(screen.probabilities.items())[:3]
        for name, chance in best:
            expect(listed.nth(number)).to_contain_text(f"{name} {chance:.2f}")
        seen.append(best)
    assert seen[0] != seen[1] != seen[2]


@pytest.mark.parametrize(
    ("shares", "untrained"), [({}, True), ({"seed": 3, "mask_share": 0.8, "random_share": 0.1}, False)]
)
def test_a_visible_character_is_asked_and_named_untrained_where_it_is(
    screen: Screen,
    shares: dict[str, float],
    untrained: bool,  # another seed: no run that ships
) -> None:
    screen.open("mini_bert", **shares)
    screen.look.get_by_role("radio", name="asks").click()
    chips(screen).nth(5).click()
    expect(screen.predictions).to_have_attribute("data-position", "5")
    expect(screen.look.locator(".answer-choice button")).to_have_count(2)
    caption = screen.look.locator(".answer-caption")
    expect(caption).to_contain_text("可")
    assert ("untrained" in caption.inner_text()) is untrained
    assert ("untrained" in screen.look.locator(".answer-choice button").last.inner_text()) is untrained
    expect(screen.sentence).to_have_value("温故而_新可以为师")
    chips(screen).nth(5).click()
    expect(screen.look.locator(".answer-choice button")).to_have_count(0)


# Both masks


def test_both_masks_stand_side_by_side(screen: Screen) -> None:
    screen.open("mini_gpt")
    alone = screen.large_map
    looks = asked(screen, "look")
    screen.look.get_by_role("button", name="Both masks").click()
    expect(screen.look).to_have_attribute("data-both", "true")
    expect(screen.look.locator(".other-predictions .js-plotly-plot")).to_be_visible()
    assert {look["causal_mask"] for look in looks} == {True, False}
    np.testing.assert_array_equal(screen.large_map, alone)
    future = np.triu(np.ones(alone.shape, dtype=bool), k=1)
    assert (other_map(screen)[future] > 0).all()
    np.testing.assert_allclose(other_map(screen).sum(axis=1), 1, atol=1e-3)
    expect(screen.look.locator(".zoom-caption")).to_contain_text("with causal mask")
    expect(screen.look.locator(".other-zoom .look-caption")).to_contain_text("without")
    without, chances = other_map(screen), bars(screen, ".other-predictions")
    screen.toggle("causal_mask")
    expect(screen.look).to_have_attribute("data-causal", "false")
    expect(screen.look.locator(".other-zoom .look-caption")).to_contain_text("with causal mask")
    np.testing.assert_array_equal(screen.large_map, without)
    expect(screen.predictions).to_have_attribute("data-painted-causal", "false")
    assert bars(screen, ".predictions") == chances
    left, right = (screen.look.locator(name).bounding_box() for name in (".other-zoom", ".look-zoom"))
    assert left and right and left["x"] < right["x"]  # with the mask on the left, whichever the run has
    screen.wait_for_parameter("both")
    screen.page.reload()
    expect(screen.look).to_have_attribute("data-both", "true")
    screen.look.get_by_role("button", name="Both masks").click()
    expect(screen.look.locator(".other-zoom")).to_be_hidden()


# What the model writes


def written(screen: Screen) -> Locator:
    """The box of what was written, once it is all there."""
    box = screen.look.locator(".generated")
    expect(box).to_have_attribute("data-written", "true")
    return box


@pytest.mark.parametrize("key", ["temperature", "top_p"])
def test_sliders_reweigh_without_asking_and_the_sample_stays(screen: Screen, key: str) -> None:
    screen.open("mini_gpt", steps=30, prompt="不", temperature=1.5, top_p=0.9, seed=7)  # settings of its own: untrained
    box = written(screen)
    texts, before = box.locator(".generated-text").all_inner_texts(), screen.probabilities
    looks, writings = asked(screen, "look"), asked(screen, "generate")
    screen.slide(key, -4)
    screen.wait_for_parameter(key, {"temperature": "1.3", "top_p": "0.7"}[key])
    expect(box.locator(".generated-note")).to_contain_text("until you write again")
    best = next(iter(before))
    screen.page.wait_for_function(
        "before => document.querySelector('.predictions .js-plotly-plot').data[0].x[0] > before", arg=before[best]
    )
    assert next(iter(screen.probabilities)) == best
    screen.page.wait_for_timeout(1_000)  # longer than a new text would wait
    assert (looks, writings) == ([], [])
    assert box.locator(".generated-text").all_inner_texts() == texts
    box.get_by_role("button", name="Write again").click()
    expect(box.locator(".generated-note")).to_be_empty()
    expect(box).to_have_attribute("data-seed", "8")
    again = written(screen).locator(".generated-text").all_inner_texts()
    assert again[0] == texts[0]  # greedy
    assert again[1] != texts[1]
    assert len(writings) == 1


def test_several_samples_are_drawn_and_counted(screen: Screen) -> None:
    screen.open("mini_gpt", samples=3, temperature=2, tokens=40)
    box = written(screen)
    rows = box.locator(".generated-row")
    expect(rows).to_have_count(4)
    for row in rows.all():
        prompt = row.locator(".generated-prompt").inner_text()
        text = row.locator(".generated-text").inner_text().removeprefix(prompt)
        assert len(text) == 40
        marks = {name: "".join(row.locator(f"mark.{name}").all_inner_texts()) for name in ("recited", "copied")}
        told = re.findall(r"\d+", row.locator(".generated-count").inner_text())
        assert told == [str(len(marks["recited"])), "40", str(len(marks["copied"]))]
        assert text.startswith(marks["recited"])
    assert len(set(rows.locator(".generated-text").all_inner_texts())) > 2


@pytest.mark.parametrize("calm", [True, False])
def test_text_appears_character_by_character_unless_motion_is_unwanted(visit: Visit, calm: bool) -> None:
    screen = visit()
    screen.page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
    screen.page.add_init_script(WATCH_WRITING)
    screen.open("mini_gpt", tokens=50)
    box = written(screen)
    heights, counts = screen.page.evaluate("() => [window.heights, window.unwritten]")
    assert len(set(heights)) == 1  # nothing moves while it appears
    assert (max(counts) == 0) is calm
    assert box.locator(".unwritten").count() == 0


WATCH_WRITING = """
window.heights = []
window.unwritten = []
const look = () => {
  const rows = document.querySelectorAll(".generated-text")
  if (rows.length) {
    window.heights.push(document.querySelector(".generated").clientHeight)
    window.unwritten.push(document.querySelectorAll(".generated .unwritten").length)
  }
  requestAnimationFrame(look)
}
requestAnimationFrame(look)
"""


# Shares


def test_every_heads_share_stands_beside_the_even_share(screen: Screen) -> None:
    screen.open("tiny_transformer", heads=2, layers=3)
    table = screen.look.locator(".look-shares")
    expect(table.locator("td")).to_have_count(6)
    even = float(table.get_attribute("data-uniform") or "nan")
    assert 0.1 < even < 0.3
    for cell in table.locator("td").all():
        assert float(cell.get_attribute("data-share") or "nan") == pytest.approx(even, abs=0.12)  # nothing learned yet
    expect(table).to_contain_text(f"{even:.3f}")


def test_the_question_on_screen_is_the_runs_own(screen: Screen) -> None:
    screen.open("tiny_transformer", question="3_before_7")
    expect(screen.look.locator(".answer-caption")).to_have_text("Is there a 3 before the first 7?")
    expect(screen.look.locator(".look-shares")).to_contain_text("3 and 7")


# Layout


@pytest.mark.parametrize("experiment", PAGES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_look_fits_the_first_screen(screen: Screen, experiment: str, language: str) -> None:
    screen.open(experiment, language=language)
    top, board = (screen.look.locator(name).bounding_box() for name in (".look-head", ".look-board"))
    assert top and board
    assert board["y"] + board["height"] - top["y"] <= 520


@pytest.mark.parametrize("size", [(1024, 768), (1280, 720), (1920, 1080)])
@pytest.mark.parametrize("experiment", PAGES)
def test_nothing_sticks_out(screen: Screen, experiment: str, size: tuple[int, int]) -> None:
    screen.page.set_viewport_size({"width": size[0], "height": size[1]})
    screen.open(experiment)
    outer = screen.look.bounding_box()
    assert outer
    for name in (".look-head", ".heads-block", ".look-zoom", ".look-answer", ".look-tokens"):
        inner = screen.look.locator(name).bounding_box()
        assert inner
        assert inner["x"] >= outer["x"] - 1
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
    for left in (".heads-block", ".look-answer"):
        one, large = (screen.look.locator(name).bounding_box() for name in (left, ".look-zoom"))
        assert one and large
        assert one["x"] + one["width"] <= large["x"]
    heads, bars = (screen.look.locator(name).bounding_box() for name in (".heads-block", ".look-answer"))
    assert heads and bars
    assert heads["y"] + heads["height"] <= bars["y"]


# Long texts


@pytest.mark.parametrize(("experiment", "kept"), [("mini_gpt", slice(-4096, None)), ("mini_bert", slice(4096))])
def test_of_a_long_paste_the_part_that_is_read_is_sent(screen: Screen, experiment: str, kept: slice) -> None:
    screen.open(experiment)
    text = "学而时习之" * 1_000 + "道可道非常道名可名非常名"
    looks = asked(screen, "look")
    screen.paste(text)
    screen.wait_until_painted(text)
    assert looks[-1]["text"] == text[kept]
    assert looks[-1]["given"] == len(text)


# Two questions at most


def test_no_more_than_two_looks_are_under_way(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.look.get_by_role("button", name="Both masks").click()
    expect(screen.look).to_have_attribute("data-both", "true")
    flying, most = flights(screen)
    screen.write("有无相生难易相成")
    assert most() <= 2
    assert flying() == 0


def flights(screen: Screen) -> tuple[Callable[[], int], Callable[[], int]]:
    """How many looks are under way now, and how many were at most."""
    counts = {"now": 0, "most": 0}

    def begin(request: Request) -> None:
        if "/api/look/" in request.url:
            counts["now"] += 1
            counts["most"] = max(counts.values())

    def end(request: Request) -> None:
        if "/api/look/" in request.url:
            counts["now"] -= 1

    screen.page.on("request", begin)
    screen.page.on("requestfinished", end)
    screen.page.on("requestfailed", end)
    return (lambda: counts["now"]), (lambda: counts["most"])
