"""The first screen: what this is, one model that has learned, one way in."""

from __future__ import annotations

import pytest
import streamlit as st

from core.i18n import LANGUAGES, translate
from core.ui import home, navigation
from tests.pages.conftest import App, FakePool


@pytest.mark.parametrize("language", LANGUAGES)
def test_home_shows_the_shipped_model_and_costs_no_run(app: App, pool: FakePool, language: str) -> None:
    pool.ship("mini_gpt")
    test = app(language=language)
    assert not test.exception
    assert test.get_by_key("look") is not None
    *cards, shown = [caption.value for caption in test.caption]
    assert cards == [translate(language, entry.about) for entry in navigation.TRAIN]
    links = [one.proto.label for one in test.get("page_link")]
    assert links == [f"**{translate(language, entry.title)}**" for entry in navigation.TRAIN]
    assert "MiniGPT" in shown
    assert "400" in shown
    assert pool.started == []


def test_home_has_one_way_in(app: App, pool: FakePool) -> None:
    test = app()
    assert [button.key for button in test.button if button.proto.type == "primary"] == ["begin"]
    test.button(key="begin").click().run()
    assert not test.exception
    assert [run.experiment for run in pool.started] == ["tiny_transformer"]


def test_home_without_a_checkpoint_says_what_to_do(app: App) -> None:
    test = app()
    assert "press Train" in test.info[0].value
    assert not test.exception


def test_home_keeps_the_sentence_and_the_head(app: App, pool: FakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.ship("mini_gpt")
    state = {home.VIEW: app().session_state[home.VIEW]}
    monkeypatch.setattr(st, "session_state", state)
    for told, prompt, head in [
        ({"text": "<b>$x$\n"}, "<b>$x$\n", 0),
        ({"text": "道", "map": {"layer": 1, "head": 3}}, "道", 3),
        ({"map": {"layer": 0, "head": 4}}, "道", 3),
        ({"map": {"layer": 0, "head": -1}, "text": None}, "道", 3),
        ({"map": {"layer": 9, "head": 1}}, "道", 3),
        ({"map": "2", "cell": {}}, "道", 3),
    ]:
        state[home.LOOK] = told
        home._came_back()
        assert (state[home.VIEW].prompt, state[home.VIEW].head) == (prompt, head)
