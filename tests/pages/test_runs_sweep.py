"""The sweep: one setting over several values as one action, and one run's texts at several temperatures."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import catalogue, find
from core.runs.requests import GenerateRequest
from core.settings import SettingError, setting
from core.ui.runs import sweep
from tests.pages.conftest import FakePool
from tests.pages.test_runs import Open, mark, opened, overlaid, rows, said

__all__ = ["opened"]  # the fixture


def choose(test: AppTest, name: str = "mask_rate", values: str | None = None, experiment: str = "mini_bert") -> AppTest:
    """Open the panel, choose a setting, and its values."""
    test.session_state["sweep_panel"] = True
    test.run()
    test.selectbox(key=f"sweep_setting_{experiment}").set_value(name).run()
    if values is not None:
        test.text_input(key=f"sweep_values_{experiment}_{name}").set_value(values).run()
    return test


def press(test: AppTest) -> AppTest:
    """Start."""
    return test.button(key="sweep_start").click().run()


def chart(test: AppTest) -> Any:
    """The chart of the sweep, if it is there."""
    return [one for one in test.get("bidi_component") if one.proto.id.endswith("-sweep_chart")]


def test_one_press_trains_a_run_for_every_masking_rate(opened: Open, pool: FakePool) -> None:
    test = press(choose(opened()))
    assert [run.settings.mask_rate for run in pool.started] == [0.05, 0.15, 0.3, 0.5, 0.8]
    assert {run.status for run in pool.started} == {"running"}
    assert len(rows(test)) == 5
    assert [one["id"] for one in overlaid(test)["runs"]] == [run.id for run in pool.started]
    assert overlaid(test)["metric"] == "masked_accuracy"
    assert not test.session_state["sweep_panel"]
    assert not test.exception


def test_a_sweep_begins_with_the_marked_run(opened: Open, pool: FakePool) -> None:
    test = mark(opened(("mini_gpt", {"seed": 7, "layers": 1})), 0)
    press(choose(test, "heads", experiment="mini_gpt"))
    assert [(run.settings.heads, run.settings.seed, run.settings.layers) for run in pool.started[1:]] == [
        (heads, 7, 1) for heads in (1, 2, 4, 8)
    ]


def test_what_it_comes_to_is_drawn_against_the_values_with_the_guess(opened: Open, pool: FakePool) -> None:
    test = press(choose(opened(), values="0.3 0.1；0.3"))
    assert len(pool.started) == 2
    assert not chart(test)
    for run, accuracy in zip(pool.started, (0.9, 0.5), strict=True):
        run.status, run.step = "finished", run.settings.steps
        run.history.evaluations = [{"step": 800, "masked_accuracy": accuracy}]
        run.baselines = {"majority_accuracy": 0.08}
    test.run()
    here = test.session_state["_page_runs"]
    assert here.sweep.points("masked_accuracy") == [(0.3, 0.9), (0.1, 0.5)]
    assert here.sweep.baseline("masked_accuracy") == ("majority_accuracy", 0.08)
    assert len(chart(test)) == 1
    assert pool.archived == [run.id for run in pool.started]


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("mask_rate", "0.15", "a sweep takes 2 to 8 different values, not 1"),
        ("mask_rate", "0.15, 7", "mask_rate lies between 0.05 and 1, not 7"),
        ("mask_rate", "0.15, much", "mask_rate is a number, not “much”"),
        ("heads", "4, 5", "Heads 5 does not go"),
    ],
)
def test_bad_values_are_named_and_nothing_starts(
    opened: Open, pool: FakePool, name: str, values: str, why: str
) -> None:
    test = choose(opened(), name, values)
    assert why in test.error[0].value.replace("\\", "")
    assert test.button(key="sweep_start").disabled
    assert not pool.started


def test_all_of_them_start_or_none(opened: Open, pool: FakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    test, start = choose(opened()), pool.start

    def until_full(experiment: str, settings: Any) -> Any:
        if len(pool.started) == 3:
            raise SettingError("this server is full")
        return start(experiment, settings)

    monkeypatch.setattr(pool, "start", until_full)
    press(test)
    assert pool.dropped == [run.id for run in pool.started]
    assert "this server is full. Nothing was started." in said(test)


def test_a_sweep_is_cancelled_and_deleted_and_comes_back(opened: Open, pool: FakePool) -> None:
    test = press(choose(opened("mini_bert")))
    swept = pool.started[1:]
    swept[0].status, swept[0].step = "finished", 800
    swept[1].step = 400
    test.run()
    assert test.session_state["_page_runs"].sweep.fraction == pytest.approx(1.5 / 5)
    test.button(key="sweep_cancel").click().run()
    assert [run.status for run in swept] == ["finished", *["stopped"] * 4]
    test.button(key="sweep_remove").click().run()
    assert [row["Run"] for row in rows(test)] == ["MiniBERT 1"]
    test.button(key="undo_delete").click().run()
    assert len(rows(test)) == 6
    assert test.session_state["_page_runs"].sweep is not None


def test_one_run_writes_at_several_temperatures(opened: Open, pool: FakePool) -> None:
    test = mark(opened("mini_gpt"), 0)
    press(choose(test, "temperature", "0, 1.5", experiment="mini_gpt"))
    asked = [one for one in pool.run.answers if isinstance(one, GenerateRequest)]
    assert [one.temperature for one in asked] == [0.0, 1.5]
    assert len({one.prompt for one in asked}) == len({one.seed for one in asked}) == 1
    assert "being written" in said(test)
    for one, text in zip(asked, ("名可名", "<b>乱</b>"), strict=True):
        pool.run.answers[one].set_result({"samples": [{"text": text}]})
    test.run()
    assert [one.value for one in test.text] == ["名可名", "<b>乱</b>"]
    test.button(key="texts_close").click().run()
    assert not test.text
    assert len(pool.started) == 1


def test_a_text_that_cannot_be_written_is_told(opened: Open, pool: FakePool) -> None:
    test = press(choose(mark(opened("mini_gpt"), 0), "temperature", experiment="mini_gpt"))
    for one, answer in pool.run.answers.items():
        if isinstance(one, GenerateRequest):
            assert isinstance(answer, Future)
            answer.set_exception(RuntimeError())
    assert "could not be written" in said(test.run())


@pytest.mark.parametrize("name", list(catalogue()))
def test_every_setting_offers_values_that_can_be_trained(name: str) -> None:
    experiment = find(name)
    settings = experiment.defaults()
    for one in sweep.swept(experiment, settings, trained=False).values():
        values = sweep.offered(one, settings)
        assert values
        if one.kind in ("choice", "switch"):
            assert sweep.sized(values) == values
        else:
            written = ", ".join(f"{value:g}" for value in values)
            assert sweep.read(one, written) == values, (one.name, written)


def test_the_temperature_is_swept_of_what_writes_and_has_learned() -> None:
    experiment = find("mini_gpt")
    names = sweep.swept(experiment, experiment.defaults(), trained=True)
    assert list(names)[:2] == ["heads", "temperature"]
    assert "temperature" not in sweep.swept(experiment, experiment.defaults(), trained=False)
    assert "temperature" not in sweep.swept(find("mini_bert"), find("mini_bert").defaults(), trained=True)
    assert setting(experiment.view, "temperature") == names["temperature"]
