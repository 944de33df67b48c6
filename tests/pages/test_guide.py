"""The experiments beneath the maps: predicting, setting up, noticing what was run, saying only what was measured."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import catalogue, find
from core.i18n import LANGUAGES, ROOT, translate
from core.runs.requests import GenerateRequest, LookRequest
from core.runs.wire import pack_look, quantise
from core.settings import changed
from core.ui import source
from core.ui.lessons import blanks, digits, exercises, record, writing
from core.ui.lessons.exercise import Evidence, Exercise, Finding
from core.ui.lessons.probes import Probes, Request
from core.ui.lessons.record import Record
from tests.pages.conftest import App, FakePool, FakeRun, go

ALL = [(name, one) for name in catalogue() for one in exercises(name)]
NAMES = [one.name for _, one in ALL]
BASELINES = {"majority_accuracy": 0.59, "uniform_loss": 4.7}


def by_name(name: str) -> tuple[str, Exercise]:
    """An exercise and the experiment it belongs to."""
    return next((experiment, one) for experiment, one in ALL if one.name == name)


def done(value: Any) -> Future[Any]:
    """An answer that is there already."""
    future: Future[Any] = Future()
    future.set_result(value)
    return future


def finish(run: FakeRun, *, loss: float = 0.5, **evaluation: float) -> FakeRun:
    """Let a run reach its end."""
    run.status, run.step = "finished", int(run.settings.steps)
    run.history.loss = [9.0] * 30 + [loss] * record.LAST
    run.history.evaluations = [{"step": run.step} | evaluation]
    run.history.about = {"baselines": BASELINES}
    return run


def finished(experiment: str, changes: Mapping[str, Any], **measured: float) -> FakeRun:
    """A run of its own that has reached its end."""
    settings = changed(find(experiment).settings(), changes)
    name = f"{experiment} {sorted(changes.items())}"
    return finish(FakeRun(name, experiment, settings), **measured)


def found(exercise: Exercise, runs: Iterable[FakeRun]) -> Finding:
    """What an exercise finds when these runs were remembered and the last is on screen."""
    probes, records = Probes(), []
    for run in runs:
        records.append(record.of(run))  # type: ignore[arg-type]  # a fake has all of a run that is looked at
        for request in (*exercise.keeps, *exercise.asks):
            probes.ask(run, request)  # type: ignore[arg-type]
    return exercise.find(Evidence(records=records, now=records[-1] if records else None, probes=probes))


def words(finding: Finding, language: str = "en") -> str:
    """The sentence of why."""
    assert finding.why is not None
    return finding.why.say(lambda message, **fields: translate(language, message, **fields))


def open_exercise(test: AppTest, name: str) -> AppTest:
    """Choose an exercise."""
    test.segmented_control(key="guide_exercise").set_value(name).run()
    return test


def predict(test: AppTest, name: str, code: str) -> AppTest:
    """Mark a choice and commit to it."""
    test.radio(key=f"prediction_{name}").set_value(code).run()
    test.button(key="guide_commit").click().run()
    assert not test.exception
    return test


def texts(test: AppTest) -> str:
    """All Markdown and all captions of the page."""
    return "\n".join([one.value for one in test.markdown] + [one.value for one in test.caption])


# Predicting


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("experiment", "exercise"), ALL, ids=NAMES)
def test_a_prediction_comes_before_anything_else(app: App, experiment: str, exercise: Exercise, language: str) -> None:
    test = open_exercise(app(experiment, language=language), exercise.name)
    question, first = translate(language, exercise.question), next(iter(exercise.choices))
    assert question in texts(test)
    assert test.radio(key=f"prediction_{exercise.name}").value is None
    assert test.button(key="guide_commit").disabled
    assert "check_box_outline" not in texts(test)
    predict(test, exercise.name, first)
    assert "check_box_outline" in texts(test)
    assert test.radio(key=f"prediction_{exercise.name}").disabled


def test_a_prediction_can_be_taken_back(app: App) -> None:
    test = predict(app("mini_bert"), "rate", "lower")
    test.button(key="guide_again").click().run()
    assert test.radio(key="prediction_rate").value is None
    assert "check_box_outline" not in texts(test)


def test_predictions_outlive_a_change_of_page_and_of_language(app: App) -> None:
    test = predict(app("mini_bert"), "rate", "higher")
    go(test, "mini_gpt")
    go(test, "mini_bert")
    test.segmented_control(key="language").set_value("zh").run()
    assert test.radio(key="prediction_rate").value == "higher"
    assert test.radio(key="prediction_rate").disabled


@pytest.mark.parametrize(("experiment", "exercise"), ALL, ids=NAMES)
def test_nothing_is_found_without_runs(experiment: str, exercise: Exercise) -> None:
    finding = found(exercise, [])
    assert not finding.done
    assert finding.table is None
    assert finding.why is None
    assert not all(todo.done for todo in finding.todo)


# Setting up


@pytest.mark.parametrize(("experiment", "exercise"), ALL, ids=NAMES)
def test_one_click_prepares_the_next_run_and_keeps_the_sentence(
    app: App, pool: FakePool, experiment: str, exercise: Exercise
) -> None:
    sentences = {"tiny_transformer": "73737337", "mini_bert": "学而_习之", "mini_gpt": "天地之始", "seq2seq": "47+58"}
    typed = sentences[experiment]
    test = open_exercise(app(experiment, prompt=typed), exercise.name)
    test.button(key="train").click().run()
    pool.run.control("stop")
    predict(test, exercise.name, next(iter(exercise.choices)))
    wanted = found(exercise, []).setup
    test.button(key="guide_set_up").click().run()
    assert pool.run.status == "ready"
    assert {name: getattr(pool.run.settings, name) for name in wanted} == dict(wanted)
    assert test.query_params["prompt"] == typed
    assert "press Train" in texts(test)
    with pytest.raises(KeyError):
        test.button(key="guide_set_up")


def test_the_second_run_is_set_up_like_the_first(app: App, pool: FakePool) -> None:
    test = predict(app("mini_bert", seed="7", steps="90", width="24"), "rate", "lower")
    test.button(key="train").click().run()
    finish(pool.run, masked_accuracy=0.5)
    test.run()
    test.number_input(key="seed").set_value(8).run()
    test.button(key="guide_set_up").click().run()
    first, second = pool.started[0].settings, pool.run.settings
    assert second == changed(first, {"mask_rate": 0.3})


def test_settings_that_do_not_fit_are_said_so(app: App, pool: FakePool) -> None:
    test = predict(app("mini_bert"), "rate", "lower")
    test.number_input(key="heads").set_value(7).run()
    count = len(pool.started)
    test.button(key="guide_set_up").click().run()
    assert len(pool.started) == count
    assert test.number_input(key="heads").value == 7
    assert not test.exception


def test_temperatures_are_tried_on_the_page(app: App) -> None:
    test = predict(open_exercise(app("mini_gpt"), "temperature"), "temperature", "fewer")
    test.button(key="guide_temperature_1.5").click().run()
    assert test.query_params["temperature"] == "1.5"


# Noticing what was run


def test_two_runs_are_noticed_ticked_and_compared(app: App, pool: FakePool) -> None:
    test = predict(app("mini_bert"), "rate", "lower")
    for loss, accuracy, ticks in ((0.87, 0.61, 1), (0.91, 0.83, 2)):
        if ticks == 2:
            test.button(key="guide_set_up").click().run()
        test.button(key="train").click().run()
        assert "It will be noticed" in texts(test)
        finish(pool.run, loss=loss, masked_accuracy=accuracy)
        test.run()
        assert texts(test).count(":material/check_box:") == ticks
    for shown in ("0\\.87", "0\\.91", "61\\.0", "83\\.0"):
        assert shown in texts(test)
    assert "Other than you predicted. Measured: About the same" in texts(test)
    assert "22.0 points higher" in texts(test).replace("\\", "")
    icons = [option.content_icon for option in test.segmented_control(key="guide_exercise").proto.options]
    assert ["check" in icon for icon in icons] == [True, False, False]


def test_what_was_found_stays_after_a_reset(app: App, pool: FakePool) -> None:
    test = predict(open_exercise(app("mini_gpt"), "recital"), "recital", "all")
    test.button(key="train").click().run()
    pool.run.answers[writing.RECITAL] = done(recital(60, 31))
    finish(pool.run, prefix_loss=0.1)
    test.run()
    assert "As you predicted" in texts(test)
    test.button(key="reset").click().run()
    assert "Measured before" in texts(test)
    assert "As you predicted" in texts(test)


def test_a_run_whose_settings_changed_on_the_way_does_not_count() -> None:
    _, exercise = by_name("rate")
    runs = [finished("mini_bert", {"mask_rate": rate}, masked_accuracy=0.5) for rate in (0.15, 0.3)]
    assert found(exercise, runs).done
    runs[1].history.marks = [{"step": 7, "setting": "mask_rate", "value": 0.3}]
    assert not found(exercise, runs).done


@pytest.mark.parametrize("other", [{"seed": 5}, {"steps": 700}, {"corpus": "daodejing"}, {"layers": 3}])
def test_runs_that_differ_in_more_are_not_compared(other: dict[str, Any]) -> None:
    _, exercise = by_name("rate")
    runs = [
        finished("mini_bert", {"mask_rate": 0.15}, masked_accuracy=0.5),
        finished("mini_bert", {"mask_rate": 0.3} | other, masked_accuracy=0.5),
    ]
    assert not found(exercise, runs).done


@pytest.mark.parametrize("status", ["running", "stopped", "paused", "failed"])
def test_a_run_that_did_not_reach_its_end_is_not_compared(app: App, pool: FakePool, status: Any) -> None:
    test = predict(open_exercise(app("tiny_transformer", question="two_3s"), "two_threes"), "two_threes", "line")
    finish(pool.run, accuracy=0.9).status = status
    test.run()
    assert ":material/check_box:" not in texts(test)


# Saying only what was measured: the outcome and its reason follow the numbers


def recital(greedy: int, drawn: int) -> dict[str, Any]:
    """What a model writes that recites so many characters."""
    one = [{"text": "名" * count + "误" * (60 - count), "recited": count, "copied": []} for count in (greedy, drawn)]
    return {"step": 7, "prompt": "道可道", "greedy": one[0], "samples": one[1:], "notices": []}


def seen(chances: Mapping[str, float]) -> bytes:
    """The frame of a look at a blank with these probabilities."""
    prediction = {"kind": "blank", "position": 3, "labels": list(chances), "size": len(chances)}
    header = {"predictions": [prediction], "shape": [1, 1, 1]}
    logits = np.log(np.array(list(chances.values()), dtype=np.float32))
    return pack_look(header, [logits], quantise(np.ones((1, 1, 1)), True))


def shares(heads: Sequence[Sequence[float]], uniform: float) -> bytes:
    """The frame of a look with these shares of attention."""
    header = {"predictions": [], "shape": [1, 1, 1], "shares": {"digits": [3], "uniform": uniform, "heads": heads}}
    return pack_look(header, [], quantise(np.ones((1, 1, 1)), True))


@pytest.mark.parametrize(
    ("accuracy", "answer", "why"),
    [(1.0, "right", "counted"), (0.9, "above", "31.0 points"), (0.6, "line", "59.0%"), (0.4, "line", "no more")],
)
def test_two_threes_is_judged_by_the_majority_line(accuracy: float, answer: str, why: str) -> None:
    _, exercise = by_name("two_threes")
    finding = found(exercise, [finished("tiny_transformer", {"question": "two_3s"}, accuracy=accuracy)])
    assert finding.answer == answer
    assert why in words(finding).replace("\\", "")


@pytest.mark.parametrize(
    ("heads", "answer"),
    [
        ([[0.46, 0.32], [0.36, 0.79]], "all"),
        ([[0.85, 0.16], [0.57, 0.16]], "some"),
        ([[0.18, 0.17], [0.2, 0.1]], "none"),
    ],
)
def test_heads_are_judged_by_their_measured_shares(heads: list[list[float]], answer: str) -> None:
    _, exercise = by_name("where_heads_look")
    run = finished("tiny_transformer", {}, accuracy=1.0)
    run.answers[digits.SHARES] = done(shares(heads, 0.175))
    finding = found(exercise, [run])
    assert finding.answer == answer
    assert finding.table is not None
    assert [len(row) for row in finding.table.rows] == [3, 3]


@pytest.mark.parametrize(("orderless", "answer"), [(0.999, "same"), (0.885, "worse"), (0.6, "line")])
def test_order_is_judged_by_the_run_without_positions(orderless: float, answer: str) -> None:
    _, exercise = by_name("order")
    question = {"question": "3_before_7"}
    runs = [
        finished("tiny_transformer", question | {"positions": "none"}, accuracy=orderless),
        finished("tiny_transformer", question, accuracy=1.0),
    ]
    assert found(exercise, runs).answer == answer


@pytest.mark.parametrize(
    ("losses", "accuracies", "answer", "why"),
    [
        ((0.5, 0.3), (0.6, 0.8), "lower", "20.0 points higher"),
        ((0.5, 0.51), (0.6, 0.61), "same", "about the same"),
        ((0.5, 0.7), (0.6, 0.5), "higher", "10.0 points lower"),
    ],
)
def test_masking_rates_are_judged_by_loss_and_explained_by_accuracy(
    losses: tuple[float, float], accuracies: tuple[float, float], answer: str, why: str
) -> None:
    _, exercise = by_name("rate")
    runs = [
        finished("mini_bert", {"mask_rate": rate}, loss=loss, masked_accuracy=accuracy)
        for rate, loss, accuracy in zip((0.15, 0.3), losses, accuracies, strict=True)
    ]
    finding = found(exercise, runs)
    assert finding.answer == answer
    assert why in words(finding).replace("\\", "")


@pytest.mark.parametrize(("mixed", "answer"), [(0.5, "lower"), (0.61, "same"), (0.8, "higher")])
def test_shares_of_mask_are_judged_by_masked_accuracy(mixed: float, answer: str) -> None:
    _, exercise = by_name("shares")
    runs = [
        finished("mini_bert", {}, masked_accuracy=0.6),
        finished("mini_bert", {"mask_share": 0.8, "random_share": 0.1}, masked_accuracy=mixed),
    ]
    assert found(exercise, runs).answer == answer


@pytest.mark.parametrize(("first", "answer"), [("知", "know"), ("学", "learn"), ("温", "warm"), ("乎", "other")])
def test_the_blank_is_answered_by_the_models_first_candidate(first: str, answer: str) -> None:
    _, exercise = by_name("blank")
    run = finished("mini_bert", {}, masked_accuracy=0.6)
    others = [label for label in "知学温乎" if label != first]
    chances = dict.fromkeys(others, 0.1) | {first: 0.7}
    run.answers |= {blanks.BOTH_SIDES: done(seen(chances)), blanks.ONE_SIDE: done(seen(chances))}
    finding = found(exercise, [run])
    assert finding.answer == answer
    assert "70.0" in words(finding).replace("\\", "")


@pytest.mark.parametrize(
    ("loss", "prefix", "answer", "why"),
    [
        (0.07, 1.07, "cheats", "had by copying"),
        (0.07, 0.05, "fine", "does not expose"),
        (2.0, 5.0, "high", "still 2.00"),
        (0.07, 0.08, "fine", "does not expose"),
    ],
)
def test_the_missing_mask_is_judged_by_training_and_prefix_only_loss(
    loss: float, prefix: float, answer: str, why: str
) -> None:
    _, exercise = by_name("mask")
    runs = [
        finished("mini_gpt", {}, loss=0.06, prefix_loss=0.06),
        finished("mini_gpt", {"causal_mask": False}, loss=loss, prefix_loss=prefix),
    ]
    finding = found(exercise, runs)
    assert finding.answer == answer
    assert why in words(finding).replace("\\", "")


def test_the_held_out_loss_is_shown_where_it_was_measured_and_asked_for_where_not() -> None:
    _, exercise = by_name("mask")
    for held_out in ({}, {"held_out_loss": 1.4}):
        runs = [
            finished("mini_gpt", {"causal_mask": mask}, loss=0.06, prefix_loss=1.0, **held_out)
            for mask in (True, False)
        ]
        finding = found(exercise, runs)
        assert finding.table is not None
        assert ("held-out loss" in finding.table.head) == bool(held_out)
        assert (finding.hint is None) == bool(held_out)


@pytest.mark.parametrize(("cold", "hot", "answer"), [(1, 8, "fewer"), (4, 4, "same"), (6, 2, "more")])
def test_temperatures_are_judged_by_counting_different_texts(cold: int, hot: int, answer: str) -> None:
    _, exercise = by_name("temperature")
    run = finished("mini_gpt", {}, prefix_loss=0.1)
    for temperature, different in zip(writing.TEMPERATURES, (cold, 3, hot), strict=True):
        for request in writing.DRAWN[temperature]:
            numbers = range(request.seed * request.samples, (request.seed + 1) * request.samples)
            samples = [{"text": f"text {n % different}", "recited": n, "copied": []} for n in numbers]
            run.answers[request] = done({"samples": samples})
    finding = found(exercise, [run])
    assert finding.answer == answer
    assert finding.table is not None
    assert [row[1] for row in finding.table.rows] == [str(cold), "3", str(hot)]


@pytest.mark.parametrize(("recited", "answer"), [(60, "all"), (59, "some"), (10, "some"), (9, "few"), (0, "few")])
def test_the_recital_is_judged_by_counting(recited: int, answer: str) -> None:
    _, exercise = by_name("recital")
    run = finished("mini_gpt", {}, prefix_loss=0.1)
    run.answers[writing.RECITAL] = done(recital(recited, 31))
    finding = found(exercise, [run])
    assert finding.answer == answer
    assert str(recited) in words(finding)


@pytest.mark.parametrize("name", ["blank", "temperature", "recital", "where_heads_look"])
def test_an_untrained_model_is_not_asked(app: App, pool: FakePool, name: str) -> None:
    experiment, exercise = by_name(name)
    predict(open_exercise(app(experiment), name), name, next(iter(exercise.choices)))
    assert pool.run.answers == {}


def test_an_answer_that_failed_is_asked_for_again() -> None:
    probes, run, request = Probes(), finished("mini_gpt", {}, prefix_loss=0.1), writing.RECITAL
    failed: Future[Any] = Future()
    failed.set_exception(RuntimeError("the worker is gone"))
    run.answers[request] = failed
    now = ask(probes, run, request)
    assert probes.written(now, request) is None
    assert not probes.waiting()
    run.answers[request] = done(recital(3, 3))
    ask(probes, run, request)
    assert probes.written(now, request) is not None


def ask(probes: Probes, run: FakeRun, request: Request) -> Record:
    """Ask, and return the record that the answer belongs to."""
    probes.ask(run, request)  # type: ignore[arg-type]
    return record.of(run)  # type: ignore[arg-type]


def test_questions_are_ones_that_a_run_accepts() -> None:
    asked = [request for _, exercise in ALL for request in (*exercise.asks, *exercise.keeps)]
    assert asked
    for request in asked:
        kind = LookRequest if isinstance(request, LookRequest) else GenerateRequest
        assert kind.from_json(request.to_json()) == request


# The running source


@pytest.mark.parametrize("experiment", catalogue())
def test_the_source_is_what_runs(experiment: str) -> None:
    for part in source.parts(find(experiment)).values():
        module = importlib.import_module(part.file.removesuffix(".py").replace("/", "."))
        if part.names:
            expected = "\n\n".join(inspect.getsource(getattr(module, name)) for name in part.names)
        else:
            expected = Path(str(module.__file__)).read_text(encoding="utf-8")
        assert source.source(part) == expected


@pytest.mark.parametrize("experiment", catalogue())
def test_the_objective_shown_is_the_one_that_is_trained(experiment: str) -> None:
    place, _, name = find(experiment).objective.partition(":")
    objective = getattr(importlib.import_module(place), name)
    shown = source.objective_functions(find(experiment).objective)
    for function in (objective.loss, objective.evaluate):
        assert isinstance(function, FunctionType)
        assert function.__name__ in shown


def test_the_sampler_is_shown_where_a_model_writes() -> None:
    shown = {name: source.parts(one).get("sampler") for name, one in catalogue().items()}
    assert {name for name, part in shown.items() if part} == {n for n, one in catalogue().items() if one.generates}
    sampler = shown["mini_gpt"]
    assert sampler is not None
    assert {"probabilities", "continuations"} <= set(sampler.names)


def test_a_name_that_is_gone_is_an_error() -> None:
    with pytest.raises(LookupError, match="no_such_name"):
        source.source(source.Part("", "core/layers.py", ("no_such_name",)))


def test_the_panel_shows_a_part_and_its_file(app: App) -> None:
    test = app("mini_gpt")
    test.segmented_control(key="guide_part").set_value("source").run()
    assert "def attention(" in test.code[0].value
    test.segmented_control(key="source_part").set_value("model").run()
    assert test.code[0].value == (ROOT / "core/models/mini_gpt.py").read_text(encoding="utf-8").rstrip("\n")
    assert "core/models/mini_gpt.py" in texts(test)
    go(test, "mini_bert")
    assert "class MiniBERT" in test.code[0].value
