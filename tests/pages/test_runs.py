"""The page of runs: its table, and every control on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import find
from core.i18n import LANGUAGES, translate
from core.settings import changed
from core.ui import session
from core.ui.runs.compare import came_back
from core.ui.runs.results import number_words
from core.ui.runs.shelf import Shelf, shelf
from core.ui.runs.table import KEY
from tests.pages.conftest import App, FakePool, FakeRun, go

PAGE = "../pages/try/runs.py"
Open = Callable[..., AppTest]


def trained(pool: FakePool, test: AppTest, experiment: str, loss: float = 2.5, **changes: Any) -> FakeRun:
    """A run that has finished and is kept."""
    run = pool.start(experiment, changed(find(experiment).defaults(), changes))
    run.status, run.step, run.seconds = "finished", run.settings.steps, 12.34
    run.history.loss = [5.0, loss]
    run.history.learning_rate = [1e-3, 1e-3]
    measure = next(iter(find(experiment).metrics))
    run.history.evaluations = [{"step": 2, measure: 0.625}]
    test.session_state[session.STATE].keep(run)
    return run


@pytest.fixture
def opened(app: App, pool: FakePool) -> Open:
    """Opens the page with runs, oldest first: ``opened("mini_gpt", ("mini_gpt", {"seed": 7}))``."""

    def open_page(*runs: Any, **parameters: str) -> AppTest:
        test = app(**parameters)
        test.session_state[session.STATE] = session.Runs()
        for one in runs:
            experiment, changes = (one, {}) if isinstance(one, str) else one
            trained(pool, test, experiment, **changes)
        test.query_params.clear()
        test.query_params.update(parameters)
        return test.switch_page(PAGE).run()

    return open_page


def rows(test: AppTest) -> list[dict[str, str]]:
    """The table, row by row."""
    return [dict(row) for row in table(test).value.to_dict("records")]


def table(test: AppTest) -> Any:
    """The table of runs."""
    return next(one for one in test.dataframe if one.key and one.key.startswith(KEY))


def listing(test: AppTest, column: str) -> list[dict[str, str]]:
    """A table of the comparison, row by row."""
    found = next(one.value for one in test.dataframe if column in one.value.columns)
    return [{str(name): str(cell) for name, cell in row.items()} for row in found.to_dict("records")]


def mark(test: AppTest, *places: int) -> AppTest:
    """Mark rows of the table, counted from 0, and no others."""
    key = table(test).key
    test.session_state[key] = {"selection": {"rows": list(places), "columns": [], "cells": []}}
    here: Shelf = test.session_state["_page_runs"]
    here.chosen = [here.drawn[place] for place in places]
    return test.run()


def overlaid(test: AppTest) -> dict[str, Any]:
    """What the chart of several runs was given."""
    return component(test, "overlay")


def component(test: AppTest, key: str) -> Any:
    """What a component of that key was given."""
    for one in test.get("bidi_component"):
        if one.proto.id.endswith(f"-{key}"):
            return json.loads(one.proto.json)
    raise AssertionError(f"there is no component {key}")


def said(test: AppTest) -> str:
    """Every word of the page's own."""
    return "\n".join(
        one.value for kind in (test.markdown, test.caption, test.info, test.error, test.warning) for one in kind
    )


def test_without_runs_it_says_where_they_come_from(opened: Open) -> None:
    test = opened()
    assert "No run has learned anything" in said(test)
    assert not test.exception


def test_the_table_tells_what_runs_have_come_to_and_where_they_differ(opened: Open) -> None:
    test = opened("mini_gpt", ("mini_gpt", {"learning_rate": 0.003, "loss": 0.125}), "mini_bert")
    newest, second, first = rows(test)
    assert (first["Run"], second["Run"], newest["Run"]) == ("MiniGPT 1", "MiniGPT 2", "MiniBERT 1")
    assert (second["Settings that differ"], newest["Settings that differ"]) == ("Learning rate 0.003", "–")
    assert (second["Loss"], second["Measure"], second["Time"]) == ("0.125", "prefix-only loss 0.625", "12.3 s")
    assert (first["Steps"], first["State"]) == ("400 of 400", "finished")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_every_language(opened: Open, language: str) -> None:
    test = mark(opened("mini_gpt", ("mini_gpt", {"causal_mask": False}), language=language), 0, 1)
    assert translate(language, "Settings that differ") in rows(test)[0]
    assert translate(language, "All settings") in [one.label for one in test.toggle]
    assert not test.exception


def test_the_newest_are_drawn_until_some_are_marked(opened: Open, pool: FakePool) -> None:
    test = opened(*["mini_gpt"] * 10)
    assert [one["id"] for one in overlaid(test)["runs"]] == [run.id for run in pool.started[-8:]]
    assert "The newest 8 are drawn" in said(test)
    mark(test, 9, 3)
    assert [one["id"] for one in overlaid(test)["runs"]] == [pool.started[0].id, pool.started[6].id]


def test_what_is_drawn_can_be_chosen(opened: Open) -> None:
    test = opened("mini_bert", ("mini_gpt", {"held_out": 0.2}))
    assert overlaid(test)["metric"] == "training_loss"
    test.button_group(key="measure").set_value("masked_accuracy").run()
    assert overlaid(test)["metric"] == "masked_accuracy"
    mark(test, 0)  # MiniGPT alone has no such measure
    assert overlaid(test)["metric"] == "training_loss"


def test_lines_are_called_by_what_is_special_about_them(opened: Open) -> None:
    test = opened("mini_gpt", ("mini_gpt", {"seed": 7}))
    assert [one["name"] for one in overlaid(test)["runs"]] == ["MiniGPT 1 · Seed 0", "MiniGPT 2 · Seed 7"]


def test_a_run_is_renamed_and_called_by_its_number_again(opened: Open) -> None:
    test = mark(opened("mini_gpt", "mini_gpt"), 1)
    test.text_input(key="run_name").set_value("  <b>my *best*</b>  one ").run()
    assert rows(test)[1]["Run"] == "<b>my *best*</b> one"
    test.text_input(key="run_name").set_value(" ").run()
    assert rows(test)[1]["Run"] == "MiniGPT 1"


def test_deleted_runs_come_back_as_they_were(opened: Open, pool: FakePool) -> None:
    test = mark(opened("mini_gpt", "mini_gpt", "mini_gpt"), 0, 2)
    own: session.Runs = test.session_state[session.STATE]
    pool.started[2].status = "running"
    own.by_page["mini_gpt"] = pool.started[2]  # type: ignore[assignment]
    test.button(key="delete_runs").click().run()
    assert [row["Run"] for row in rows(test)] == ["MiniGPT 2"]
    assert "Deleted: MiniGPT 3, MiniGPT 1." in said(test)
    assert (pool.dropped, pool.started[2].asked, own.by_page) == ([], ["pause"], {})
    assert {run.id for run in pool.started} <= set(pool.touched)
    test.button(key="undo_delete").click().run()
    assert [row["Run"] for row in rows(test)] == ["MiniGPT 3", "MiniGPT 2", "MiniGPT 1"]
    assert (own.by_page["mini_gpt"].id, pool.started[2].status) == (pool.started[2].id, "running")


def test_what_was_deleted_before_is_gone(opened: Open, pool: FakePool) -> None:
    test = mark(opened("mini_gpt", "mini_gpt"), 1)
    test.button(key="delete_runs").click().run()
    assert pool.dropped == []
    mark(test, 0)
    test.button(key="delete_runs").click().run()
    assert pool.dropped == [pool.started[0].id]
    test.button(key="undo_delete").click().run()
    assert [row["Run"] for row in rows(test)] == ["MiniGPT 2"]


def test_two_runs_stand_side_by_side_with_their_differences_marked(opened: Open, pool: FakePool) -> None:
    test = mark(opened("mini_gpt", ("mini_gpt", {"heads": 2, "loss": 1.5})), 0, 1)
    assert listing(test, "Setting") == [{"Setting": "≠ Heads", "MiniGPT 1": "4", "MiniGPT 2": "2"}]
    assert {"Result": "Loss", "MiniGPT 1": "2.50", "MiniGPT 2": "1.50"} in listing(test, "Result")
    looks = [component(test, key) for key in ("look", "second_look")]
    assert [one["run"]["id"] for one in looks] == [run.id for run in pool.started]
    assert looks[0]["text"] == looks[1]["text"]
    test.toggle(key="all_settings").set_value(True).run()
    listed = [row["Setting"] for row in listing(test, "Setting")]
    assert [one for one in listed if one.startswith("≠")] == ["≠ Heads"]
    assert len(listed) > 10


def test_one_sentence_layer_and_head_for_both(opened: Open) -> None:
    test = mark(opened("mini_gpt", ("mini_gpt", {"heads": 2, "layers": 1})), 0, 1)
    here: Shelf = test.session_state["_page_runs"]
    here.change_view(find("mini_gpt"), prompt="天下", head=3, layer=1)
    test.run()
    for key in ("look", "second_look"):
        given = component(test, key)
        assert (given["text"], given["layer"], given["head"]) == ("天下", 0, 1)
    test.button_group(key="head").set_value(0).run()
    test.slider(key="temperature").set_value(0.3).run()
    assert {(component(test, key)["head"], component(test, key)["temperature"]) for key in ("look", "second_look")} == {
        (0, 0.3)
    }


def test_what_one_look_tells_counts_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Any] = {"second_look": {"text": "道", "map": {"layer": 1, "head": 2}}}
    monkeypatch.setattr("streamlit.session_state", told)
    here, experiment = shelf(), find("mini_gpt")
    here.view(experiment, experiment.defaults())
    came_back(here, experiment, "second_look")
    view = here.views["mini_gpt"]
    assert (view.prompt, view.layer, view.head) == ("道", 1, 2)
    told["second_look"] = {"map": {"layer": 10**9, "head": 0}}
    came_back(here, experiment, "second_look")
    assert here.views["mini_gpt"].layer == 1


def test_runs_of_different_experiments_read_no_sentence_together(opened: Open) -> None:
    test = mark(opened("mini_gpt", "tiny_transformer"), 0, 1)
    assert "These two learn different things" in said(test)
    assert not test.exception


def test_a_run_trained_on_a_page_stands_in_the_table(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.button(key="train").click().run()
    pool.run.step = 10
    test.switch_page(PAGE).run()
    assert [(row["Run"], row["State"]) for row in rows(test)] == [("MiniGPT 1", "training")]
    go(test, "mini_gpt")
    assert len(pool.started) == 1


def test_the_link_carries_the_language_and_says_what_it_does_not_know(opened: Open) -> None:
    test = opened("mini_gpt", language="zh", colour="red")
    assert test.query_params.get("language") in ("zh", ["zh"])
    assert "colour" in test.warning[0].value


def test_numbers_are_written_as_one_reads_them() -> None:
    assert [number_words(one) for one in (None, 0.00001, 0.05, 2.34567, 123.4)] == [
        "–",
        "< 0.0001",
        "0.0500",
        "2.35",
        "123",
    ]
