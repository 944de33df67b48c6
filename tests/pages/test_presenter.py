"""Presenter view as Streamlit draws it: what is there, what is not, and what the link carries."""

from __future__ import annotations

import pytest

from core.experiments import catalogue, find
from core.i18n import translate
from tests.pages.conftest import App, FakePool


@pytest.mark.parametrize("name", catalogue())
@pytest.mark.parametrize("language", ["en", "zh"])
def test_only_the_map_and_the_named_controls_are_drawn(app: App, pool: FakePool, name: str, language: str) -> None:
    pool.ship(name)
    test = app(name, present="map", controls="layer,learning_rate", language=language)
    assert not test.exception
    assert test.title[0].value == translate(language, find(name).title)
    assert test.get_by_key("look") is not None
    drawn = {element.key for element in [*test.segmented_control, *test.select_slider, *test.button]}
    assert {"layer", "learning_rate", "present", "present_what"} <= drawn
    assert not drawn & {"train", "head", "scale", "recipe", "guide_part"}


def test_leaving_brings_the_page_back_with_its_choice_of_controls(app: App) -> None:
    test = app("mini_gpt", present="curve", controls="train,temperature")
    test.slider(key="temperature").set_value(1.5).run()
    test.button(key="present").click().run()
    assert test.slider(key="temperature").value == 1.5
    assert test.multiselect(key="controls").value == ["train", "temperature"]
    test.multiselect(key="controls").set_value(["prompt"]).run()
    test.button(key="present").click().run()
    assert not test.exception
    assert "train" not in {button.key for button in test.button}


def test_what_is_shown_is_switched_in_presenter_view(app: App) -> None:
    test = app("mini_bert", present="map")
    test.segmented_control(key="present_what").set_value("curve").run()
    assert test.get_by_key("loss_chart") is not None
    assert test.segmented_control(key="present_what").value == "curve"


@pytest.mark.parametrize("controls", ["", ",,", "nothing", "<b>,$x$,道", "train," * 200])
def test_strange_controls_do_no_harm(app: App, controls: str) -> None:
    test = app("mini_gpt", present="map", controls=controls)
    assert not test.exception
    assert test.get_by_key("look") is not None
