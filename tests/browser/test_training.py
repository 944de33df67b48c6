"""Runs, as somebody drives them with the buttons of a page."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from core.experiments import catalogue
from tests.browser.conftest import Visit
from tests.browser.screen import LONG, Screen


@pytest.mark.parametrize("experiment", catalogue())
def test_model_trains(screen: Screen, experiment: str) -> None:
    screen.open(experiment, recipe="fast", steps=60)
    before = screen.maps
    screen.train_to_end()
    assert screen.painted_step == 60
    expect(screen.look.locator(".look-stamp")).to_contain_text("60")
    assert len(screen.loss) == 60
    assert np.mean(screen.loss[-5:]) < np.mean(screen.loss[:5])
    assert not np.array_equal(before, screen.maps, equal_nan=True)


def test_maps_follow_the_training(screen: Screen) -> None:
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    for _ in range(3):
        expect(screen.grid).not_to_have_attribute("data-painted-step", str(screen.painted_step))
    screen.button("stop").click()
    screen.wait_for_status("stopped")


def test_pause_one_step_and_on(screen: Screen) -> None:
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    screen.button("pause").click()
    screen.wait_for_status("paused")
    steps = screen.steps
    screen.button("step").click()
    expect(screen.chart).to_have_attribute("data-step", str(steps + 1))
    expect(screen.grid).to_have_attribute("data-painted-step", str(steps + 1))
    screen.train()
    expect(screen.grid).not_to_have_attribute("data-painted-step", str(steps + 1))
    screen.button("stop").click()
    screen.wait_for_status("stopped")
    assert len(screen.loss) == screen.steps > steps + 1


def test_reset_goes_back_to_the_same_weights_and_a_new_seed_to_others(screen: Screen) -> None:
    screen.open("tiny_transformer", steps=20)
    screen.button("reset").click()  # from the model that ships to an untrained one
    expect(screen.grid).to_have_attribute("data-painted-step", "0")
    first = screen.maps
    screen.train_to_end()
    assert not np.array_equal(screen.maps, first)
    screen.button("reset").click()
    expect(screen.grid).to_have_attribute("data-painted-step", "0")
    np.testing.assert_array_equal(screen.maps, first)
    screen.button("new_seed").click()
    expect(screen.grid).not_to_have_attribute("data-painted-seed", "0")
    assert not np.array_equal(screen.maps, first)


@pytest.mark.parametrize(("experiment", "setting"), [("mini_bert", "mask_rate"), ("mini_gpt", "learning_rate")])
def test_live_slider_reaches_the_run(screen: Screen, experiment: str, setting: str) -> None:
    screen.open(experiment, steps=LONG)
    screen.train()
    run = screen.run
    screen.slide(setting, 1)
    expect(screen.chart).to_have_attribute("data-marks", "1")
    screen.wait_for_parameter(setting)
    assert screen.run == run


def test_training_without_the_causal_mask_cheats(screen: Screen) -> None:
    screen.open("mini_gpt", recipe="fast", causal_mask="false")
    screen.train_to_end()
    assert screen.metric[-1] > 2 * screen.loss[-1]  # it has looked at what it should have predicted


def test_two_sessions_have_their_own_runs(visit: Visit) -> None:
    one, other = visit(), visit()
    one.open("mini_gpt", recipe="fast", steps=30, seed=3)
    other.open("mini_bert", recipe="fast", steps=40, seed=5)
    one.train_to_end()
    other.train_to_end()
    assert one.run != other.run
    assert (len(one.loss), len(other.loss)) == (30, 40)


def test_same_seed_gives_the_same_curve_beside_others(visit: Visit) -> None:
    screens = visit(), visit()
    for screen in screens:
        screen.open("mini_bert", steps=100, seed=7)
    for screen in screens:
        screen.button("train").click()
    for screen in screens:
        screen.wait_for_status("finished")
    assert screens[0].run != screens[1].run
    assert screens[0].loss == screens[1].loss
