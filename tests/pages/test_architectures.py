"""The page of architectures: a prediction, a measurement, and what was measured beside what was said."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from core.i18n import LANGUAGES
from core.studies import length, recall
from core.ui.architectures.page import PARTS
from tests.pages.conftest import App, FakePool
from tests.pages.predicting import Open, asks_first, by_link, found, told
from tests.pages.test_runs import component

PAGE = "../pages/look/architectures.py"


@pytest.fixture
def opened(app: App) -> Open:
    """Opens the page by a link."""
    return partial(by_link, app, PAGE)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_asks_before_it_measures(opened: Open, pool: FakePool, part: str, language: str) -> None:
    asks_first(opened(part=part, language=language), pool, language)


def test_masks_are_counted_against_the_prediction(opened: Open, pool: FakePool) -> None:
    pool.found["masks"] = found("masks", {"tokens": 5, "padding": 0})
    test = opened(tokens="5")
    test.segmented_control(key="masks_guess").set_value("all").run()
    assert told(test).startswith("You said: 25. Measured: 15. The causal mask leaves 15 of the encoder's 25 pairs")
    drawn = component(test, "masks_map")
    assert "Decoder: 15 / 25" in drawn["alt"]
    assert "masks_guess" not in {one.key for one in test.segmented_control}  # nobody predicts afterwards
    test.number_input(key="tokens").set_value(7).run()
    assert test.query_params["tokens"] == "7"
    assert test.segmented_control(key="masks_guess").value is None  # another question


def test_padding_never_fills_the_whole_sequence(opened: Open, pool: FakePool) -> None:
    test = opened(tokens="3", padding="9")
    pool.found["masks"] = found("masks", {"tokens": 3, "padding": 2})
    test.segmented_control(key="masks_guess").set_value("fewer").run()
    assert pool.studies[-1].options == {"tokens": 3, "padding": 2}
    assert told(test)


def test_berts_are_counted(opened: Open, pool: FakePool) -> None:
    pool.found["sizes"] = found("sizes", {})
    test = opened(part="sizes")
    test.segmented_control(key="sizes_guess").set_value("feed_forward").run()
    assert told(test).startswith("You said: Feed-forward. Measured: Feed-forward. 52 % of 109,482,240 parameters.")
    assert "335,141,888" in component(test, "sizes_bars")["alt"]
    words = "\n".join(one.value for one in test.markdown)
    assert "| SQuAD 2.0 | 66.3 | 73.7 | 80.0 |" in words


def readers(lstm: float, cnn: float, attention: float, pull: float) -> dict[str, Any]:
    """Findings with these accuracies."""
    shares = {"lstm": lstm, "cnn": cnn, "attention": attention}
    one = {"parameters": 99, "pull": pull, "steps": [0, 400]}
    return {
        "length": 32,
        "chance": 0.125,
        "steps": 400,
        "readers": {kind: one | {"accuracy": [0.1, share]} for kind, share in shares.items()},
    }


def test_the_cause_follows_what_was_measured(opened: Open, pool: FakePool) -> None:
    test = opened(part="recall", length="32", seed="5")
    test.segmented_control(key="recall_guess").set_value("attention").run()
    test.button(key="recall_start").click().run()
    study = pool.studies[-1]
    assert (study.name, study.options) == ("recall", {"length": 32, "seed": 5})
    study.fraction, study.partial = 0.5, readers(0.1, 0.1, 0.1, 0.0)
    test.run()
    assert component(test, "recall_curve")["alt"].endswith("attention 0.10.")
    assert not test.success
    study.finish(readers(0.12, 0.13, 1.0, 0.0))
    test.run()
    assert "attention: 100 %, learned by step 400." in told(test)
    assert "CNN: 13 %; the gradient of its answer at the first symbol is exactly 0" in told(test)
    study.result = readers(0.12, 0.13, 0.2, 2e-7)
    test.run()
    assert "You said: attention. Measured: none." in told(test)
    assert "was 2 × 10⁻⁷ of that at the last." in told(test)


def test_what_grows_most_is_measured(opened: Open, pool: FakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(length, "LENGTHS", (4, 8))
    measured = found("length", {})
    for kind, factor in (("lstm", 2.0), ("cnn", 1.5), ("attention", 3.9)):
        measured["kinds"][kind]["milliseconds"] = [1.0, factor]
    test = opened(part="length")
    test.segmented_control(key="length_guess").set_value("lstm").run()
    test.button(key="length_start").click().run()
    pool.studies[-1].finish(measured)
    test.run()
    assert "Measured: attention." in told(test)
    assert "Attention's time grows faster than the length" in told(test)
    measured["kinds"]["attention"]["milliseconds"] = [1.0, 1.9]
    test.run()
    assert "Measured: LSTM." in told(test)
    assert "is not × 4 here" in told(test)
    assert component(test, "length_path")["alt"] == "Longest path at the greatest length: LSTM 8; CNN 2; attention 1."


def test_a_length_offered_is_one_that_the_study_takes(opened: Open) -> None:
    offered = [int(one) for one in opened(part="recall").segmented_control(key="length").options]
    assert recall.SHORTEST <= min(offered) <= max(offered) <= recall.LONGEST


def test_a_link_that_asks_for_nonsense_is_mended(opened: Open) -> None:
    test = opened(part="nonsense", tokens="99", colour="red")
    assert all(word in test.warning[0].value for word in ("nonsense", "99", "colour"))
