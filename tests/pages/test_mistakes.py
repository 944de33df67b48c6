"""The page of common mistakes: a prediction for each measure, and what was measured beside it."""

from __future__ import annotations

import dataclasses
from functools import cache, partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments.mistakes import OUTCOMES
from core.experiments.mistakes_made import MISTAKES, find_variant
from core.i18n import LANGUAGES, translate
from core.runs.studying import plain
from core.studies import twins
from tests.pages.conftest import App, FakePool
from tests.pages.predicting import Open, by_link
from tests.pages.test_runs import component

PAGE = "../pages/try/mistakes.py"


@pytest.fixture
def opened(app: App) -> Open:
    """Opens the page by a link."""
    return partial(by_link, app, PAGE)


@cache
def trained(mistake: str, variant: str) -> Any:
    """What the study finds with one seed and few steps."""
    pair = find_variant(mistake, variant)
    told: dict[str, Any] = {"seeds": [], "baselines": {}}
    shorter = dataclasses.replace(pair, both={**pair.both, "steps": 20})
    for _fraction in twins._pair(shorter, 0, told):
        pass
    return plain(told)


def predict(test: AppTest, mistake: str, variant: str, outcome: str = "lower") -> AppTest:
    """Answer every question of a pair."""
    for measure in find_variant(mistake, variant).measures:
        test.segmented_control(key=f"predict_{measure}").set_value(outcome).run()
    return test


def said(test: AppTest) -> str:
    """Everything that the page writes."""
    return "\n".join(one.value for one in [*test.markdown, *test.caption, *test.warning])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pair_asks_before_it_trains(opened: Open, pool: FakePool, language: str) -> None:
    test = opened(language=language)
    for name, mistake in MISTAKES.items():
        test.selectbox(key="mistake").set_value(name).run()
        for code in mistake.variants:
            if len(mistake.variants) > 1:
                test.segmented_control(key="variant").set_value(code).run()
            assert not test.exception
            assert translate(language, mistake.about) in said(test)
            assert f"predict_{mistake.variants[code].measures[0]}" in {one.key for one in test.segmented_control}
            assert f"twins_{name}_{code}_start" not in {one.key for one in test.button}
    assert pool.studies == []


@pytest.mark.parametrize(
    ("mistake", "variant"),
    [("positions", "contains"), ("too_long", "learned"), ("mixed_up", "loud"), ("dropout", "strong")],
)
def test_what_was_measured_stands_beside_what_was_said(
    opened: Open, pool: FakePool, mistake: str, variant: str
) -> None:
    pool.found["twins"] = trained(mistake, variant)
    test = predict(opened(mistake=mistake, variant=variant, seeds="1"), mistake, variant)
    test.button(key=f"twins_{mistake}_{variant}_start").click().run()
    assert not test.exception
    assert pool.studies[-1].options == {"mistake": mistake, "variant": variant, "seeds": 1}
    shown = said(test)
    assert "right → wrong" in shown
    assert f"| {OUTCOMES['lower']} |" in shown
    error = pool.found["twins"]["seeds"][0]["broken"]["error"]
    assert (error is not None) == (variant in ("learned", "loud"))
    assert error is None or error in shown
    assert component(test, "twins_training_loss")["alt"].startswith("training loss. seed 0: right ")
    if mistake == "positions":
        for twin in ("right", "wrong"):
            key = f"twins_map_{'correct' if twin == 'right' else 'broken'}"
            assert component(test, key)["alt"].startswith(f"{twin}: the largest weight of L")


def test_a_loss_that_lies_is_called_so(opened: Open, pool: FakePool) -> None:
    twin = {"ended": None, "error": None}
    right = twin | {"losses": [2.0] * 20, "evaluations": [{"step": 20, "masked_accuracy": 0.5}]}
    wrong = twin | {"losses": [0.5] * 20, "evaluations": [{"step": 20, "masked_accuracy": 0.5}]}
    pool.found["twins"] = {"seeds": [{"seed": 0, "correct": right, "broken": wrong}], "baselines": {}}
    test = predict(opened(mistake="loss_on"), "loss_on", "short")
    test.button(key="twins_loss_on_short_start").click().run()
    assert "Better: training loss. But the masked accuracy shows that nothing was gained." in said(test)


def test_who_exposes_and_who_flatters_is_named(opened: Open, pool: FakePool) -> None:
    twin = {"ended": None, "error": None}
    right = twin | {"losses": [0.2] * 20, "evaluations": [{"step": 20, "masked_accuracy": 0.9}]}
    wrong = twin | {"losses": [0.01] * 20, "evaluations": [{"step": 20, "masked_accuracy": 0.1}]}
    pool.found["twins"] = {"seeds": [{"seed": 0, "correct": right, "broken": wrong}], "baselines": {}}
    test = predict(opened(mistake="mask_copied"), "mask_copied", "mini_bert")
    assert "Your prediction: masked accuracy **lower** · training loss **lower**" in said(test)
    test.button(key="twins_mask_copied_mini_bert_start").click().run()
    assert "Exposed by: masked accuracy. It looks like a gain by: training loss." in said(test)
    assert "training loss: what training itself makes smaller" in said(test)


def test_two_that_have_not_learned_are_not_called_unharmed(opened: Open, pool: FakePool) -> None:
    twin = {"ended": None, "error": None, "losses": [4.4] * 20, "evaluations": [{"step": 20, "prefix_loss": 4.6}]}
    pool.found["twins"] = {"seeds": [{"seed": 0, "correct": twin, "broken": twin}], "baselines": {"unigram_loss": 4.41}}
    test = predict(opened(mistake="warmup"), "warmup", "fast")
    test.button(key="twins_warmup_fast_start").click().run()
    assert "Neither has learned: by the prefix-only loss" in said(test)
    learned = twin | {"evaluations": [{"step": 20, "prefix_loss": 4.2}]}
    pool.studies[-1].result["seeds"][0]["correct"] = learned
    test.run()
    assert "does not hurt, as far as the prefix-only loss shows" in said(test)


def test_a_link_that_cannot_be_is_mended(opened: Open) -> None:
    test = opened(mistake="scaled", variant="<b>", seeds="9", colour="red")
    assert not test.exception
    told = test.warning[0].value
    assert all(words in told for words in ("seeds lies between 1 and 3", "variant is one of d64, d16", "colour"))
    test.segmented_control(key="variant").set_value("d16").run()
    assert dict(test.query_params) == {"mistake": "scaled", "variant": "d16"}
