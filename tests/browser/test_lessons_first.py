"""The first screen, the model that ships, and a text of one's own, as somebody meets them in a browser."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from core.experiments import catalogue
from tests.browser.conftest import Visit
from tests.browser.screen import Screen

TEXT = "the fern looked over the wall and saw the other fern. " * 7
SIZES = [(1024, 768), (1280, 720), (1920, 1080)]


def home(screen: Screen, language: str = "en") -> Screen:
    """Open the first screen and wait for its map."""
    screen.page.goto(f"{screen.server}/?language={language}")
    screen.wait_until_painted()
    return screen


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", SIZES)
def test_home_fits_one_screen(screen: Screen, size: tuple[int, int], language: str) -> None:
    screen.page.set_viewport_size({"width": size[0], "height": size[1]})
    home(screen, language)
    for part in (screen.widget("begin"), screen.sentence, screen.grid, screen.zoom, screen.predictions):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1]
        assert box["x"] + box["width"] <= size[0]
    for link in screen.widget("home").get_by_role("link").all():
        expect(link).to_be_in_viewport()


def test_home_reads_ones_own_sentence(screen: Screen) -> None:
    home(screen)
    assert screen.painted_step == 400
    screen.write("无名天地")
    assert screen.maps.shape[1:] == (4, 4)
    screen.grid.get_by_role("radio").nth(2).click()
    expect(screen.zoom).to_have_attribute("data-head", "2")
    screen.paste("<b>" * 30_000 + "道")
    screen.wait_until_painted("<b>" * 30_000 + "道")
    expect(screen.page.get_by_role("heading", level=1)).to_be_visible()


def test_home_leads_into_the_first_lesson(screen: Screen) -> None:
    home(screen).button("begin").click()
    expect(screen.page.get_by_role("heading", level=1, name="TinyTransformer")).to_be_visible()
    expect(screen.widget("provenance")).to_contain_text("Shipped checkpoint")
    screen.page.wait_for_url(re.compile(r"/tiny-transformer\b"))


@pytest.mark.parametrize("experiment", catalogue())
def test_a_trained_model_is_shown_before_anything_is_trained(visit: Visit, experiment: str) -> None:
    first, second = visit().open(experiment), visit().open(experiment)
    steps = catalogue()[experiment].defaults().steps
    assert first.painted_step == steps
    assert first.run == second.run  # one run for everybody
    expect(first.widget("provenance")).to_contain_text(f"{steps} steps")
    assert max(first.probabilities.values()) > 0.5
    trained = first.maps
    first.button("step").click()
    expect(first.grid).to_have_attribute("data-painted-step", "1")
    assert first.run != second.run
    first.button("reset").click()
    expect(first.grid).to_have_attribute("data-painted-step", "0")
    assert not np.array_equal(first.maps, trained)
    first.button("shipped").click()
    expect(first.grid).to_have_attribute("data-painted-step", str(steps))
    np.testing.assert_array_equal(first.maps, trained)


def test_a_link_to_another_model_opens_it_untrained(screen: Screen) -> None:
    screen.open("mini_gpt", layers=3)
    assert screen.painted_step == 0
    expect(screen.page.get_by_text("The shipped checkpoint has other settings (layers)")).to_be_visible()


@pytest.mark.parametrize("experiment", ["mini_bert", "mini_gpt"])
def test_a_text_of_ones_own_is_learned(screen: Screen, experiment: str) -> None:
    screen.open(experiment, recipe="fast", steps=40)
    screen.button("own_text_panel").click()
    box = screen.page.get_by_label("Text", exact=True)
    box.fill(TEXT)
    screen.button("use_text").click()
    expect(screen.page.get_by_text("Your text is the corpus now")).to_be_visible()
    expect(screen.grid).to_have_attribute("data-painted-step", "0")
    assert set(screen.sentence.input_value()) <= set(TEXT) | {"_"}
    screen.wait_until_painted()
    screen.train_to_end()
    assert np.mean(screen.loss[-5:]) < np.mean(screen.loss[:5])
    assert set(screen.probabilities) <= set(TEXT) | {"␣", "␠", "·"}
    assert screen.parameters["corpus"] == "own"


def test_a_bad_upload_is_explained_and_a_good_one_taken(screen: Screen, tmp_path: Path) -> None:
    bad, good = tmp_path / "gbk.txt", tmp_path / "utf-8.txt"
    bad.write_bytes("天地玄黄".encode("gbk"))
    good.write_bytes(("\ufeff" + TEXT.replace(". ", ".\r\n")).encode())
    screen.open("mini_gpt")
    screen.button("own_text_panel").click()
    box = screen.page.get_by_label("Text", exact=True)
    box.fill(TEXT)
    box.press("ControlOrMeta+Enter")
    expect(screen.page.get_by_text("16 of them distinct")).to_be_visible()
    upload = screen.widget("own_file").locator("input[type=file]")
    upload.set_input_files(bad)
    expect(screen.page.get_by_role("alert").filter(has_text="position 0")).to_be_visible()
    expect(box).to_have_value(TEXT)
    upload.set_input_files(good)
    expect(screen.page.get_by_text("17 of them distinct")).to_be_visible()
    expect(box).to_have_value(TEXT.replace(". ", ".\n").strip("\n"))
