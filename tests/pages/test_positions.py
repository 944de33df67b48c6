"""The page of positions: a prediction, a measurement, and what was measured beside what was said."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from core.i18n import LANGUAGES
from core.ui.positions.page import PARTS
from tests.pages.conftest import App, FakePool
from tests.pages.predicting import Open, asks_first, by_link, found, told
from tests.pages.test_runs import component

PAGE = "../pages/look/positions.py"


@pytest.fixture
def opened(app: App) -> Open:
    """Opens the page by a link."""
    return partial(by_link, app, PAGE)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_asks_before_it_measures(opened: Open, pool: FakePool, part: str, language: str) -> None:
    asks_first(opened(part=part, language=language), pool, language)


@pytest.mark.parametrize(
    ("kind", "guess", "said"),
    [
        ("sinusoidal", "near", "Measured: neighbours. Mean cosine of neighbours 0.97"),
        ("rope", "other", "Measured: it stays. At every place the same query and key"),
        ("alibi", "0", "Measured: head 3. Slopes of the heads: 0.25, 0.0625, 0.0156, 0.00391."),
    ],
)
def test_a_kind_is_measured_against_the_prediction(
    opened: Open, pool: FakePool, kind: str, guess: str, said: str
) -> None:
    pool.found["waves"] = found("waves", {"kind": kind})
    test = opened(kind=kind)
    test.segmented_control(key="waves_guess").set_value(guess).run()
    assert said in told(test)
    assert component(test, "waves_distance")["alt"]
    assert pool.studies[-1].options == {"kind": kind}


def test_learned_positions_are_those_of_the_shipped_model(opened: Open, pool: FakePool) -> None:
    shipped = pool.ship("mini_gpt")
    similar = {"table": [[0.5, -0.5]] * 30, "similarity": [[1.0] * 30] * 30, "by_distance": [1.0] + [0.03] * 29}
    pool.found["waves"] = similar | {"step": 400, "experiment": "MiniGPT"}
    test = opened(kind="learned")
    test.segmented_control(key="waves_guess").set_value("near").run()
    assert pool.studies[-1].run == shipped.id
    assert "You said: neighbours. Measured: both alike." in told(test)
    assert any("after 400 steps" in one.value for one in test.caption)


def test_ones_own_sentence_is_permuted(opened: Open, pool: FakePool) -> None:
    options = {"text": "a <b> $c$ d", "change": "reverse", "seed": 0}
    pool.found["order"] = found("order", options)
    test = opened(part="order", change="reverse", prompt="a <b> $c$ d")
    test.segmented_control(key="order_guess").set_value("nothing").run()
    assert pool.studies[-1].options == options
    assert "they move with their tokens" in told(test)
    assert "ALiBi does not notice either" in told(test)  # everything reversed
    assert "With a causal mask and still no positions" in told(test)
    assert test.text[0].value == "a <b> $c$ d  →  d $c$ <b> a"
    assert "none, causal mask" in component(test, "order_bars")["alt"]


def stretched(**last: float) -> dict[str, Any]:
    """Findings with these losses in the last part; learned positions have none."""
    kinds: dict[str, Any] = {
        kind: {"losses": [0.1] * 48, "parts": [0.1, 0.2, loss], "problem": None} for kind, loss in last.items()
    }
    kinds["learned"] = {"losses": [0.1] * 16, "parts": [0.1], "problem": "48 tokens do not fit"}
    return {"block": 16, "times": 3, "steps": 200, "kinds": kinds}


def test_what_reads_farthest_is_measured(opened: Open, pool: FakePool) -> None:
    test = opened(part="stretch", seed="4")
    test.segmented_control(key="stretch_guess").set_value("learned").run()
    test.button(key="stretch_start").click().run()
    study = pool.studies[-1]
    assert study.options == {"seed": 4}
    study.finish(stretched(rope=0.3, alibi=0.11, none=0.7))
    test.run()
    assert "You said: learned. Measured: ALiBi." in told(test)
    assert "ALiBi × 1.1" in told(test)
    assert "The learned table has no rows past its end: `48 tokens do not fit`." in told(test)
    study.result = stretched(rope=0.3, alibi=0.9)
    test.run()
    assert "Measured: RoPE." in told(test)
    assert "| learned | 0.10 | – | – |" in "\n".join(one.value for one in test.markdown)
