"""The checkpoint that ships: shown before anything is trained, never trained itself, and always to be had back."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import catalogue
from core.i18n import LANGUAGES
from tests.pages.conftest import App, FakePool, go
from tests.pages.test_controls import enabled, said

EXPERIMENTS = list(catalogue())


@pytest.fixture(autouse=True)
def checkpoints(pool: FakePool) -> None:
    """One checkpoint for every experiment."""
    for name in EXPERIMENTS:
        pool.ship(name)


def looked_at(test: AppTest) -> str:
    """The run whose buttons are on the page."""
    return str(test.session_state["_runs"].drawn[0])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_page_opens_with_the_checkpoint_and_says_so(app: App, pool: FakePool, name: str, language: str) -> None:
    test = app(name, language=language)
    assert looked_at(test) == f"shipped-{name}"
    assert pool.started == []
    assert str(catalogue()[name].defaults().steps) in said(test)
    assert "0.036" in said(test).replace("\\", "")
    assert enabled(test) == {"train", "step", "reset", "new_seed"}


@pytest.mark.parametrize(
    ("button", "asked"), [("train", ["train"]), ("step", ["step"]), ("reset", []), ("new_seed", [])]
)
def test_every_button_makes_a_run_of_ones_own_from_step_0(
    app: App, pool: FakePool, button: str, asked: list[str]
) -> None:
    test = app("mini_gpt", recipe="fast")
    test.button(key=button).click().run()
    assert looked_at(test) == pool.run.id
    assert (pool.run.asked, pool.run.step, pool.run.settings.steps) == (asked, 0, test.number_input(key="steps").value)
    assert pool.run.settings.learning_rate == catalogue()["mini_gpt"].defaults("fast").learning_rate
    assert (len(pool.started), pool.dropped, pool.checkpoints["mini_gpt"].asked) == (1, [], [])
    assert "Shown: your own run" in said(test)


def test_the_checkpoint_can_be_had_back_and_so_can_ones_own_run(app: App, pool: FakePool) -> None:
    test = app("mini_bert")
    test.button(key="train").click().run()
    own = pool.run.id
    test.button(key="shipped").click().run()
    assert looked_at(test) == "shipped-mini_bert"
    test.button(key="shipped").click().run()
    assert looked_at(test) == own
    assert (pool.run.status, pool.dropped, len(pool.started)) == ("running", [], 1)


def test_train_on_the_checkpoint_begins_anew(app: App, pool: FakePool) -> None:
    test = app("mini_bert")
    test.button(key="train").click().run()
    test.button(key="shipped").click().run()
    test.button(key="train").click().run()
    old, new = pool.started
    assert (looked_at(test), new.asked, pool.dropped) == (new.id, ["train"], [old.id])


@pytest.mark.parametrize("parameters", [{"layers": "3"}, {"seed": "7"}, {"corpus": "lunyu"}, {"weight_decay": "0.5"}])
def test_a_link_to_another_model_opens_an_untrained_run_and_says_why(
    app: App, pool: FakePool, parameters: dict[str, str]
) -> None:
    test = app("mini_gpt", **parameters)
    (name,) = parameters
    assert (looked_at(test), len(pool.started)) == (pool.run.id, 1)
    assert str(getattr(pool.run.settings, name)) == parameters[name]
    assert f"other settings ({name})" in said(test).replace("\\", "")


@pytest.mark.parametrize(
    "parameters", [{"recipe": "fast"}, {"causal_mask": "false"}, {"steps": "900"}, {"layer": "1", "prompt": "无名"}]
)
def test_a_link_to_the_same_model_shows_the_checkpoint(app: App, pool: FakePool, parameters: dict[str, str]) -> None:
    test = app("mini_gpt", **parameters)
    assert (looked_at(test), pool.started) == ("shipped-mini_gpt", [])


def test_settings_wait_for_nothing_beside_the_checkpoint(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.number_input(key="layers").set_value(3).run()
    test.select_slider(key="learning_rate").set_value(0.003).run()
    assert (looked_at(test), pool.started) == ("shipped-mini_gpt", [])
    assert "Waiting for Reset" not in said(test)
    assert pool.checkpoints["mini_gpt"].changes == []
    test.button(key="train").click().run()
    assert (pool.run.settings.layers, pool.run.settings.learning_rate) == (3, 0.003)


def test_settings_that_do_not_fit_leave_the_checkpoint_in_place(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.number_input(key="heads").set_value(7).run()
    for name in ("train", "step", "reset", "new_seed"):
        test.button(key=name).click().run()
        assert looked_at(test) == "shipped-mini_gpt"
    assert pool.started == []
    assert test.error


def test_a_run_that_was_cleared_away_gives_way_to_the_checkpoint(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.button(key="train").click().run()
    pool.drop(pool.run.id)
    test.run()
    assert (looked_at(test), len(pool.started)) == ("shipped-mini_gpt", 1)
    assert "cleared away" in said(test)


def test_a_visitor_of_every_page_costs_no_run(app: App, pool: FakePool) -> None:
    test = app()
    for name in EXPERIMENTS:
        go(test, name)
        assert not test.exception
    assert (pool.started, pool.orphaned) == ([], [])
