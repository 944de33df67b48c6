"""What Python hands to the scrubber: the run, the words, and where its track has to lie."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import catalogue, find
from core.figures.curve import CurveWords, curve, margins
from core.figures.theme import LIGHT
from tests.pages.conftest import FakePool


def handed(test: AppTest, name: str) -> dict[str, Any]:
    """The data of a component of the page, as the browser gets them."""
    (found,) = [
        one for one in test.get("bidi_component") if one.proto.component_name.endswith(f"attention_live_{name}")
    ]
    return dict(json.loads(found.proto.json))


@pytest.mark.parametrize("experiment", catalogue())
def test_the_scrubber_follows_the_run_of_its_page(app: Callable[..., AppTest], pool: FakePool, experiment: str) -> None:
    test = app(experiment, steps="77")
    assert not test.exception
    data = handed(test, "time")
    assert data["run"] == {"id": pool.run.id, "step": 0, "steps": 77}
    assert data["language"] == "en"


def test_it_speaks_the_language_on_screen(app: Callable[..., AppTest]) -> None:
    english, chinese = (handed(app("mini_gpt", language=code), "time")["labels"] for code in ("en", "zh"))
    assert english.keys() == chinese.keys()
    assert all(english[name] != chinese[name] for name in english)


@pytest.mark.parametrize("metric", [name for one in catalogue() for name in find(one).metrics])
def test_its_track_is_as_wide_as_the_plotted_area(metric: str) -> None:
    words = CurveWords(step="", loss="", training="", smoothed="", held_out="", metric="", previous="", share="")
    margin = curve(metric_name=metric, palette=LIGHT, words=words).layout.margin
    assert margins(metric) == (margin.l, margin.r)
