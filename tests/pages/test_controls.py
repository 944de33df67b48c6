"""Buttons and controls: what each asks of the run, and what the page says about it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import catalogue
from core.runs.status import Status
from core.settings import SettingError
from tests.pages.conftest import App, FakePool, go

BUTTONS = ("train", "pause", "step", "stop", "reset", "new_seed")


def enabled(test: AppTest) -> set[str]:
    """The buttons that can be pressed."""
    return {name for name in BUTTONS if not test.button(key=name).disabled}


def said(test: AppTest) -> str:
    """Everything that stands small on the page."""
    return "\n".join(caption.value for caption in test.caption)


@pytest.mark.parametrize(
    ("status", "step", "can"),
    [
        ("ready", 0, {"train", "step", "reset", "new_seed"}),
        ("running", 7, {"pause", "stop", "reset", "new_seed"}),
        ("paused", 7, {"train", "step", "stop", "reset", "new_seed"}),
        ("finished", 400, {"train", "reset", "new_seed"}),
        ("stopped", 7, {"train", "reset", "new_seed"}),
        ("failed", 7, {"train", "reset", "new_seed"}),
        ("lost", 7, {"stop", "reset", "new_seed"}),
    ],
)
def test_only_buttons_that_mean_something_can_be_pressed(
    app: App, pool: FakePool, status: Status, step: int, can: set[str]
) -> None:
    test = app("mini_gpt")
    pool.run.status, pool.run.step = status, step
    test.run()
    assert enabled(test) == can


def test_train_pause_step_and_stop_ask_the_run(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    for name in ("train", "pause", "step", "train", "stop"):
        test.button(key=name).click().run()
    assert pool.run.asked == ["train", "pause", "step", "train", "stop"]
    assert len(pool.started) == 1
    assert "Stopped" in said(test)


def test_reset_begins_a_new_run_from_the_same_seed(app: App, pool: FakePool) -> None:
    test = app("mini_gpt", seed="5")
    test.button(key="train").click().run()
    test.button(key="reset").click().run()
    old, new = pool.started
    assert (new.settings, new.status, new.asked) == (old.settings, "ready", [])
    assert pool.dropped == [old.id]
    assert "seed 5" in said(test)


def test_new_seed_begins_a_new_run_from_another_seed(app: App, pool: FakePool) -> None:
    test = app("mini_gpt", seed="5")
    test.button(key="new_seed").click().run()
    old, new = pool.started
    assert new.settings.seed != old.settings.seed
    assert pool.dropped == [old.id]
    assert test.number_input(key="seed").value == new.settings.seed
    assert test.query_params["seed"] == str(new.settings.seed)


def test_live_settings_reach_the_run_that_is_training(app: App, pool: FakePool) -> None:
    test = app("mini_bert")
    test.button(key="train").click().run()
    test.slider(key="mask_rate").set_value(0.5).run()
    test.select_slider(key="learning_rate").set_value(0.003).run()
    assert pool.run.changes == [{"mask_rate": 0.5}, {"learning_rate": 0.003}]
    assert len(pool.started) == 1
    assert "Waiting for Reset" not in said(test)


def test_the_causal_mask_reaches_the_run(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.toggle(key="causal_mask").set_value(False).run()
    assert pool.run.changes == [{"causal_mask": False}]
    assert test.query_params["causal_mask"] == "false"


def test_structural_settings_wait_for_reset_and_say_so(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.button(key="train").click().run()
    test.number_input(key="layers").set_value(3).run()
    assert (len(pool.started), pool.run.changes) == (1, [])
    assert "Waiting for Reset: Layers" in said(test)
    assert "Changed since this run began" in said(test)
    test.button(key="reset").click().run()
    assert pool.run.settings.layers == 3
    assert "Waiting for Reset" not in said(test)


def test_train_takes_waiting_settings_while_nothing_is_learned(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.number_input(key="layers").set_value(3).run()
    assert "Train or Reset takes over: Layers" in said(test)
    test.button(key="train").click().run()
    assert (pool.run.settings.layers, pool.run.asked) == (3, ["train"])
    assert pool.dropped == [pool.started[0].id]


def test_train_goes_on_when_the_steps_were_raised(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    pool.run.status, pool.run.step = "finished", 400
    test.run()
    test.number_input(key="steps").set_value(600).run()
    test.button(key="train").click().run()
    assert (len(pool.started), pool.run.settings.steps, pool.run.status) == (1, 600, "running")
    assert "goes on to step 600" in said(test)


@pytest.mark.parametrize("status", ["finished", "stopped", "failed"])
def test_train_begins_again_when_a_run_is_over(app: App, pool: FakePool, status: Status) -> None:
    test = app("mini_gpt", seed="3")
    pool.run.status, pool.run.step = status, 400
    test.run()
    test.button(key="train").click().run()
    old, new = pool.started
    assert (new.settings, new.asked) == (old.settings, ["train"])
    assert (pool.archived, pool.dropped) == ([old.id], [])  # it has learned something: it is kept to be compared with
    assert "Begun again from the first weights of seed 3" in said(test)


def test_a_recipe_changes_what_recipes_differ_in_and_nothing_else(app: App, pool: FakePool) -> None:
    test = app("mini_bert", seed="9", width="24")
    fast = catalogue()["mini_bert"].defaults("fast")
    test.button(key="step").click().run()
    test.segmented_control(key="recipe").set_value("fast").run()
    assert test.slider(key="mask_rate").value == fast.mask_rate
    assert test.number_input(key="steps").value == fast.steps
    assert dict(test.query_params) == {"recipe": "fast", "seed": "9", "width": "24"}
    assert "Waiting for Reset: Batch size" in said(test)


def test_settings_that_do_not_fit_are_said_so_and_nothing_is_lost(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.button(key="train").click().run()
    test.number_input(key="heads").set_value(7).run()
    assert "7 heads do not divide a width of 64 evenly" in test.error[0].value
    for name in ("reset", "new_seed"):
        test.button(key=name).click().run()
    assert (len(pool.started), pool.run.status, pool.run.settings.seed) == (1, "running", 0)
    assert test.number_input(key="seed").value == 0
    assert test.number_input(key="heads").value == 7
    test.number_input(key="width").set_value(70).run()
    assert not test.error


def test_too_few_steps_for_three_digits_are_said_so(app: App) -> None:
    test = app("seq2seq", recipe="fast", digits="3")
    assert any("takes about 1000 steps to learn; the run has 500." in one.value for one in test.caption)
    test.number_input(key="steps").set_value(1_000).run()
    assert not any("steps to learn" in one.value for one in test.caption)


def test_a_refused_run_says_why(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    pool.run.status, pool.run.reason = "failed", "refused"
    pool.run.problem = SettingError("{heads} heads do not divide a width of {width} evenly", heads=7, width=64)
    test.run()
    assert "7 heads do not divide" in test.error[0].value


def test_a_run_that_was_cleared_away_is_replaced_and_said_so(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    pool.drop(pool.run.id)
    test.run()
    assert len(pool.started) == 2
    assert "cleared away" in said(test)


def test_layers_and_heads_to_look_at_are_those_of_the_run(app: App, pool: FakePool) -> None:
    test = app("mini_gpt", layers="3", heads="8", layer="2", head="7")
    test.number_input(key="layers").set_value(1).run()
    assert test.segmented_control(key="layer").options == ["0", "1", "2"]
    test.number_input(key="heads").set_value(2).run()
    test.button(key="reset").click().run()
    assert test.segmented_control(key="layer").options == ["0"]
    assert test.segmented_control(key="head").options == ["0", "1"]
    assert (test.segmented_control(key="layer").value, test.segmented_control(key="head").value) == (0, 1)


def test_many_heads_are_chosen_from_a_list(app: App) -> None:
    test = app("mini_gpt", heads="16", head="13")
    assert test.selectbox(key="head").value == 13


def test_a_learning_rate_between_the_stops_is_kept(app: App, pool: FakePool) -> None:
    test = app("mini_gpt", learning_rate="0.00123")
    assert test.select_slider(key="learning_rate").value == 0.00123
    assert pool.run.settings.learning_rate == 0.00123


def test_runs_of_different_pages_are_kept_apart(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.button(key="train").click().run()
    go(test, "mini_bert")
    test.button(key="step").click().run()
    assert [(run.experiment, run.asked) for run in pool.started] == [("mini_gpt", ["train"]), ("mini_bert", ["step"])]


def test_closed_settings_are_not_drawn_and_keep_what_was_chosen(app: App) -> None:
    test = app("mini_gpt", width="32")
    test.session_state["settings"] = False
    test.run()
    with pytest.raises(KeyError):
        test.number_input(key="width")
    test.segmented_control(key="recipe").set_value("fast").run()
    test.session_state["settings"] = True
    test.run()
    assert test.number_input(key="width").value == 32
    assert test.number_input(key="steps").value == catalogue()["mini_gpt"].defaults("fast").steps
