"""What holds of every run in a Trainer, with the real engine on small models."""

from __future__ import annotations

import gc
import weakref
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ablation import Ablation
from core.experiments import find
from core.inference import checkpoint
from core.inference.look import look
from core.inference.losses import Losses
from core.runs.history import History
from core.runs.requests import GenerateRequest, LookRequest, NoRun, PastRequest
from core.runs.trainer import Trainer
from core.runs.wire import SMALL_UNIT, UNIT, unpack_look, unpack_past
from core.settings import SettingError, describe, values
from tests.runs.tools import NAMES, SMALL, curve, finish, gather, small, start

STEPS = int(SMALL["steps"])
SENTENCES = {name: find(name).view().prompt for name in NAMES}


@cache
def undisturbed(name: str) -> History:
    """The course that a small run takes when nothing disturbs it."""
    return curve(name)


def disturb(trainer: Trainer, what: str, run: str, sentence: str) -> None:
    """Do something to a run that must not change its course."""
    if what == "look":
        trainer.look(run, LookRequest(text=sentence, layer=1))
    elif what == "look back":
        trainer.look(run, LookRequest(text=sentence, step=2))
    elif what == "ablate":
        trainer.look(run, LookRequest(text=sentence, ablate=((0, 1),), without_keys=(0,)))
    elif what == "ask for the past":
        trainer.past(run, PastRequest(text=sentence, steps=(0, 2, 5)))
    elif what == "write":
        with pytest.raises(SettingError) if run != "mini_gpt" else torch.random.fork_rng():
            trainer.generate(run, GenerateRequest(prompt=sentence, tokens=3, seed=5))
    elif what == "somebody else draws":
        torch.rand(7)
    elif what == "change nothing":
        trainer.change(run, {"learning_rate": SMALL["learning_rate"]})
    elif what in ("train", "pause", "step"):
        trainer.control(run, what)  # type: ignore[arg-type]


disturbances = st.sampled_from(
    [
        "advance",
        "look",
        "look back",
        "ablate",
        "ask for the past",
        "write",
        "somebody else draws",
        "change nothing",
        "train",
        "pause",
        "step",
    ]
)


@settings(max_examples=13)
@given(st.lists(st.tuples(disturbances, st.sampled_from(NAMES)), max_size=23))
def test_a_run_takes_the_same_course_alone_and_in_company(events: list[tuple[str, str]]) -> None:
    trainer, histories = Trainer(), dict[str, History]()
    for name in NAMES:
        start(trainer, name, name)
        trainer.control(name, "train")
    for what, name in events:
        disturb(trainer, what, name, SENTENCES[name])
        gather(histories, trainer.advance(0.0))
    for name in NAMES:
        trainer.control(name, "train")
    while trainer.busy:
        gather(histories, trainer.advance())
    for name in NAMES:
        assert histories[name].since(0) == undisturbed(name).since(0)


def test_seeds_and_only_seeds_make_courses_differ() -> None:
    for name in NAMES:
        assert curve(name).loss == undisturbed(name).loss != curve(name, seed=1).loss


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stop", [0, 1, 5])
def test_a_resumed_run_goes_on_as_if_nothing_had_happened(name: str, optimizer: str, stop: int, tmp_path: Path) -> None:
    whole = curve(name, optimizer=optimizer)
    first, second = Trainer(), Trainer()
    start(first, "run", name, optimizer=optimizer)
    for _ in range(stop):
        first.control("run", "step")
        first.advance(0.0)
    first.keep("run", tmp_path / "run.safetensors")
    wanted = values(small(name, optimizer=optimizer))
    second.start("run", name, wanted, resume=tmp_path / "run.safetensors", status="running")
    rest = finish(second)["run"]
    assert rest.loss == whole.loss[stop:]
    assert rest.evaluations == [one for one in whole.evaluations if one["step"] > stop]
    assert [path.name for path in tmp_path.iterdir()] == ["run.safetensors"]


def test_a_resumed_run_knows_its_loss_its_time_and_its_first_weights(tmp_path: Path) -> None:
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    first = trainer.look("run", LookRequest(text="道可"))
    trainer.control("run", "train")
    (report,) = [report for report in trainer.advance(1000.0) if report.run == "run"]
    trainer.keep("run", tmp_path / "file")
    last = trainer.look("run", LookRequest(text="道可"))
    trainer.start("run", "mini_gpt", values(small("mini_gpt")), resume=tmp_path / "file", status="finished")
    (resumed,) = trainer.advance()
    assert (resumed.start, resumed.step, resumed.status, resumed.seconds) == (STEPS, STEPS, "finished", report.seconds)
    assert trainer.look("run", LookRequest(text="道可")) == last
    again = trainer.look("run", LookRequest(text="道可", step=3))
    assert unpack_look(again).header["step"] == 0
    assert np.array_equal(unpack_look(again).weights, unpack_look(first).weights, equal_nan=True)


@pytest.mark.parametrize("name", NAMES)
def test_more_steps_lead_a_finished_run_on(name: str) -> None:
    trainer = Trainer()
    start(trainer, "run", name, steps=5)
    trainer.control("run", "train")
    first = finish(trainer)["run"]
    trainer.control("run", "train")
    assert finish(trainer)["run"].loss == []  # there is nothing left to do
    trainer.change("run", {"steps": STEPS})
    trainer.control("run", "train")
    assert first.loss + finish(trainer)["run"].loss == undisturbed(name).loss


@settings(max_examples=11)
@given(at=st.integers(0, STEPS - 1), rate=st.floats(1e-4, 1e-2), dropout=st.floats(0.0, 0.9))
def test_a_live_change_takes_effect_at_the_marked_step(at: int, rate: float, dropout: float) -> None:
    courses = []
    for _ in range(2):
        trainer, histories = Trainer(), dict[str, History]()
        start(trainer, "run", "mini_bert")
        for _ in range(at):
            trainer.control("run", "step")
            gather(histories, trainer.advance(0.0))
        trainer.change("run", {"learning_rate": 0.5})  # never in effect, so never marked
        trainer.change("run", {"learning_rate": rate, "dropout": dropout})
        gather(histories, trainer.advance(0.0))
        trainer.control("run", "train")
        while trainer.busy:
            gather(histories, trainer.advance())
        courses.append(histories["run"].since(0))
    course, straight = courses[0], undisturbed("mini_bert")
    assert courses[1] == course
    assert course["loss"][:at] == straight.loss[:at]
    assert course["learning_rate"] == straight.learning_rate[:at] + [rate] * (STEPS - at)
    expected = {"learning_rate": rate, "dropout": dropout}
    marks = {mark["setting"]: mark["value"] for mark in course["marks"]}
    assert marks == {name: value for name, value in expected.items() if value != SMALL[name]}
    assert {mark["step"] for mark in course["marks"]} <= {at + 1}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_live_cannot_be_changed(name: str) -> None:
    trainer = Trainer()
    start(trainer, "run", name)
    for setting in describe(small(name)):
        if not setting.live:
            with pytest.raises(SettingError, match=setting.name):
                trainer.change("run", {setting.name: getattr(small(name), setting.name)})
    with pytest.raises(SettingError, match="between"):
        trainer.change("run", {"learning_rate": 1e9})
    with pytest.raises(SettingError, match="no setting"):
        trainer.change("run", {"speed": 3})


@given(st.integers(1, STEPS - 1))
def test_one_step_is_one_step(clicks: int) -> None:
    trainer = Trainer()
    start(trainer, "run", "tiny_transformer")
    for _ in range(clicks):
        trainer.control("run", "step")
    reports = [report for _ in range(2 * STEPS) for report in trainer.advance(0.0)]
    assert (reports[-1].step, reports[-1].status, trainer.busy) == (clicks, "paused", False)


def test_a_stopped_run_stays_and_can_be_looked_at() -> None:
    trainer = Trainer()
    start(trainer, "run", "tiny_transformer")
    trainer.control("run", "train")
    trainer.advance(0.0)
    trainer.control("run", "stop")
    trainer.control("run", "train")
    trainer.control("run", "step")
    (report,) = trainer.advance()
    assert (report.status, report.step, trainer.busy) == ("stopped", 1, False)
    assert unpack_look(trainer.look("run", LookRequest(text="37"))).header["status"] == "stopped"


def test_a_loss_that_is_not_finite_ends_the_run_in_words() -> None:
    trainer = Trainer()
    # Weight decay of 1 at a learning rate of 10 multiplies every weight by -9 a step.
    start(trainer, "run", "mini_gpt", learning_rate=10.0, weight_decay=1.0, steps=101)
    start(trainer, "other", "mini_gpt")
    for run in ("run", "other"):
        trainer.control(run, "train")
    histories, reports = dict[str, History](), []
    while trainer.busy:
        reports += trainer.advance()
    gather(histories, reports)
    last = [report for report in reports if report.run == "run"][-1]
    assert (last.status, last.reason, last.step) == ("failed", "non_finite_loss", len(histories["run"].loss))
    assert 0 < last.step < 101
    assert np.isfinite(histories["run"].loss).all()
    assert histories["other"].loss == undisturbed("mini_gpt").loss
    seen = unpack_look(trainer.look("run", LookRequest(text="道可")))
    assert np.isfinite(seen.logits[0]).all()  # not the broken weights, but the last good ones
    assert trainer.generate("run", GenerateRequest(prompt="道", tokens=3))["step"] == seen.header["step"]


@pytest.mark.parametrize("name", NAMES)
def test_looking_back_shows_what_was_seen_then(name: str) -> None:
    trainer = Trainer()
    start(trainer, "run", name)
    request = LookRequest(text=SENTENCES[name], layer=1)
    then = []
    for step in range(STEPS):
        then.append(unpack_look(trainer.look("run", request)))
        assert then[-1].header["step"] == step
        trainer.control("run", "step")
        trainer.advance(0.0)
    for step in range(STEPS):
        now = unpack_look(trainer.look("run", LookRequest(text=SENTENCES[name], layer=1, step=step)))
        assert (now.header["step"], now.header["loss"]) == (step, then[step].header["loss"])
        assert np.array_equal(now.weights, then[step].weights, equal_nan=True)
        for one, other in zip(now.logits, then[step].logits, strict=True):
            assert np.array_equal(one, other)
    moved = [not np.array_equal(a.weights, b.weights, equal_nan=True) for a, b in pairwise(then)]
    assert all(moved)


@pytest.mark.parametrize("name", NAMES)
def test_the_past_holds_what_looks_see(name: str) -> None:
    trainer = Trainer()
    start(trainer, "run", name)
    trainer.control("run", "train")
    finish(trainer)
    asked = (STEPS, 0, 3, STEPS + 5, 3, 1)
    past = unpack_past(trainer.past("run", PastRequest(text=SENTENCES[name], steps=asked)))
    assert [one["step"] for one in past.header["frames"]] == [STEPS, 0, 3, 1]  # each once, in the order asked for
    assert past.header["left"] == []
    rollouts: list[Any] = list(past.rollout) or [None] * len(past.maps)  # two streams have none
    parts = zip(past.header["frames"], past.maps, rollouts, past.logits, strict=True)
    for frame, maps, rollout, logits in parts:
        seen = unpack_look(trainer.look("run", LookRequest(text=SENTENCES[name], step=frame["step"])))
        header = past.header | ({"streams": frame["streams"]} if "streams" in frame else {})
        assert {key: header[key] for key in ("tokens", "streams", "maps", "notices", "predictions", "seed")} == {
            key: seen.header[key] for key in ("tokens", "streams", "maps", "notices", "predictions", "seed")
        }
        assert (frame["loss"], frame["statistics"]) == (seen.header["loss"], seen.header["statistics"])
        assert (seen.rollout is None) == find(name).answers
        rolled = () if rollout is None else (rollout,)
        read = (*maps, *rolled, *logits)
        looked = (*seen.overview, *(() if seen.rollout is None else (seen.rollout,)), *seen.logits)
        for one, other in zip(read, looked, strict=True):
            assert np.array_equal(one, other, equal_nan=True)


def test_the_past_is_told_by_the_snapshots_there_are(tmp_path: Path) -> None:
    trainer = Trainer(snapshot_bytes=1)
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    finish(trainer)
    request = PastRequest(text="道可道", steps=(1, 2, 5, STEPS))
    steps = [one["step"] for one in unpack_past(trainer.past("run", request)).header["frames"]]
    assert steps == [0, STEPS]
    trainer.export("run", tmp_path / "run.safetensors")
    trainer.load("copy", tmp_path / "run.safetensors")
    for asked in (request, PastRequest(text="道可道")):
        copied = unpack_past(trainer.past("copy", asked))
        assert [one["step"] for one in copied.header["frames"]] == [STEPS]
    with pytest.raises(NoRun):
        trainer.past("nobody", request)


def test_steps_that_do_not_fit_are_left_to_be_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    finish(trainer)
    wanted = PastRequest(text="道可道", steps=tuple(range(STEPS + 1)))
    whole = unpack_past(trainer.past("run", wanted))
    cells = sum(one.size for one in (*whole.maps[0], whole.rollout[0]))
    monkeypatch.setattr("core.runs.looks.PAST_BYTES", 5 * cells + 1)
    first = unpack_past(trainer.past("run", wanted))
    assert [one["step"] for one in first.header["frames"]] == [0, 1, 2, 3, 4]
    assert first.header["left"] == list(range(5, STEPS + 1))
    monkeypatch.setattr("core.runs.looks.PAST_BYTES", 1)
    assert len(unpack_past(trainer.past("run", wanted)).maps) == 1  # one at least, or asking would never end


@pytest.mark.parametrize("name", NAMES)
def test_the_frame_tells_what_an_ablation_costs(name: str, tmp_path: Path) -> None:
    trainer = Trainer()
    start(trainer, "run", name)
    trainer.control("run", "train")
    finish(trainer)
    trainer.export("run", tmp_path / "run.safetensors")
    saved = checkpoint.load(tmp_path / "run.safetensors")
    plain = unpack_look(trainer.look("run", LookRequest(text=SENTENCES[name])))
    assert (plain.header["ablation"], plain.baseline) == (None, None)
    everything = tuple((layer, head) for layer in range(2) for head in range(2))
    seen = unpack_look(
        trainer.look("run", LookRequest(text=SENTENCES[name], ablate=everything, without_keys=(3, 1, 3)))
    )
    told = seen.header["ablation"]
    assert told["heads"] == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert (told["keys"], told["loss_kind"]) == ([1, 3], "whole corpus")
    losses, causal = Losses(), seen.header["causal"]
    for field, ablation in (("loss", Ablation()), ("loss_without", Ablation(frozenset(everything), frozenset({1, 3})))):
        found = losses.of(saved, ablation, causal)
        assert found is not None
        assert told[field] == pytest.approx(found.value, rel=1e-5)
    assert seen.baseline is not None
    alike = 1 if find(name).answers else None  # after its first token a model that answers reads what it wrote itself
    logits = seen.logits[:alike], seen.baseline[:alike], plain.logits[:alike]
    for without, with_all, then in zip(*logits, strict=True):
        np.testing.assert_allclose(with_all, then, atol=1e-5)
        assert not np.allclose(without, with_all, atol=1e-4)
    assert np.isnan(seen.overview[0][:, :, [1, 3]]).all()
    if find(name).answers:
        return  # two streams have no rollout
    assert seen.rollout is not None
    identity = np.broadcast_to(np.eye(seen.rollout.shape[-1]), seen.rollout.shape)
    assert np.array_equal(np.nan_to_num(seen.rollout), identity)  # silent heads hand nothing on


def test_with_little_memory_a_look_back_says_which_step_it_is() -> None:
    trainer = Trainer(snapshot_bytes=1)
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    finish(trainer)
    headers = [unpack_look(trainer.look("run", LookRequest(text="道", step=step))).header for step in range(STEPS + 2)]
    assert [header["step"] for header in headers] == [0] * STEPS + [STEPS] * 2


def test_many_runs_share_the_memory_of_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer()
    start(trainer, "first", "mini_gpt")
    size = trainer._learners["first"].snapshots.kept[0].weights.nbytes
    monkeypatch.setattr("core.runs.trainer.ALL_SNAPSHOT_BYTES", 13 * size)
    trainer.control("first", "train")
    finish(trainer)
    assert len(trainer._learners["first"].snapshots.kept) == STEPS + 1  # there was room for each
    for run in "abcdefg":
        start(trainer, run, "mini_gpt")
        trainer.control(run, "train")
        finish(trainer)
        kept = [one.snapshots.kept for one in trainer._learners.values()]
        assert sum(len(one) for one in kept) <= 13
        assert all(one[0].step == 0 for one in kept)


@pytest.mark.parametrize("name", NAMES)
def test_the_frame_holds_what_the_engine_saw(name: str, tmp_path: Path) -> None:
    trainer = Trainer()
    start(trainer, "run", name)
    trainer.control("run", "train")
    finish(trainer)
    trainer.export("run", tmp_path / "run.safetensors")
    saved = checkpoint.load(tmp_path / "run.safetensors")
    request = LookRequest(text=SENTENCES[name] + "β", given=101, layer=1)
    looked = look(saved.model, saved.task, saved.settings, request)
    seen = unpack_look(trainer.look("run", request))
    allowed = looked.map.allowed[0].expand_as(looked.map.weights[0]).numpy()
    assert np.array_equal(np.isnan(seen.weights), ~allowed)
    assert np.abs(seen.weights - looked.map.weights[0].numpy())[allowed].max() <= 0.51 / UNIT
    for shown, prediction in zip(seen.logits, looked.predictions, strict=True):
        assert np.array_equal(shown, prediction.logits.numpy())
    assert seen.header["tokens"] == list(looked.reading.tokens)
    assert {notice["code"] for notice in seen.header["notices"]} >= {"unknown_characters", "text_cut"}


@pytest.mark.parametrize("name", NAMES)
def test_the_frame_holds_every_layer_and_what_is_told_of_its_heads(name: str) -> None:
    trainer = Trainer()
    start(trainer, "run", name)
    trainer.control("run", "train")
    finish(trainer)
    if find(name).answers:  # tests/core/test_seq2seq.py has the laws of its three kinds of maps
        seen = unpack_look(trainer.look("run", LookRequest(text="12+39", layer=3)))
        assert (seen.header["queries"], seen.header["keys"]) == ("target", "source")
        assert seen.header["shape"] == [2, len(seen.header["streams"]["target"]), 5]
        assert [one.shape[1:] for one in seen.overview] == [(5, 5)] * 2 + [(4, 4), (4, 5)] * 2
        assert seen.header["rollout"] is seen.rollout is None
        np.testing.assert_allclose(seen.overview[3], seen.weights, atol=0.51 / SMALL_UNIT)
        return
    for layer in range(2):
        seen = unpack_look(trainer.look("run", LookRequest(text=SENTENCES[name], layer=layer)))
        header = seen.header
        tokens = len(header["tokens"])
        assert header["streams"] == {"tokens": header["tokens"]}
        entries = [(entry["name"], entry["layer"], entry["queries"], entry["keys"]) for entry in header["maps"]]
        assert entries == [(f"blocks.{layer}.attention", layer, "tokens", "tokens") for layer in range(2)]
        assert [entry["shape"] for entry in header["maps"]] == [[2, tokens, tokens]] * 2
        assert np.array_equal(np.isnan(seen.overview[layer]), np.isnan(seen.weights))
        np.testing.assert_allclose(seen.overview[layer], seen.weights, atol=0.51 / SMALL_UNIT)
        assert header["rollout"] == [2, tokens, tokens]
        assert seen.rollout is not None
        np.testing.assert_allclose(np.nansum(seen.rollout, axis=-1), 1.0, atol=0.51 * tokens / SMALL_UNIT)
        entropy = -np.nansum(seen.weights * np.log(np.where(seen.weights > 0, seen.weights, 1.0)), axis=-1)
        assert header["statistics"][layer]["entropy"] == pytest.approx(entropy.mean(axis=-1).tolist(), abs=1e-3)
        uniform = np.log((~np.isnan(seen.weights[0])).sum(axis=-1)).mean()
        assert header["statistics"][layer]["uniform_entropy"] == pytest.approx(uniform, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_checkpoint_looks_like_the_run_it_came_from(name: str, tmp_path: Path) -> None:
    trainer = Trainer()
    start(trainer, "run", name)
    trainer.control("run", "train")
    finish(trainer)
    trainer.export("run", tmp_path / "run.safetensors")
    trainer.load("copy", tmp_path / "run.safetensors")
    (report,) = trainer.advance()
    assert (report.run, report.status, report.step) == ("copy", "stopped", STEPS)
    one, other = (unpack_look(trainer.look(run, LookRequest(text=SENTENCES[name]))) for run in ("run", "copy"))
    assert np.array_equal(one.weights, other.weights, equal_nan=True)
    assert one.header | {"run": "copy", "status": "stopped"} == other.header


def test_runs_take_turns() -> None:
    trainer = Trainer(report_every=0.0)
    for run in "abc":
        start(trainer, run, "mini_gpt")
        trainer.control(run, "train")
    for turn in range(STEPS):
        steps = {report.run: report.step for _ in "abc" for report in trainer.advance(0.0)}
        assert steps == dict.fromkeys("abc", turn + 1)


def test_an_interrupted_turn_ends_after_the_step() -> None:
    trainer = Trainer(report_every=0.0)
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    (report,) = trainer.advance(1000.0, interrupted=lambda: True)
    assert report.step == 1


def test_a_dropped_run_is_gone_from_memory() -> None:
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    trainer.look("run", LookRequest(text="道"))
    trainer.advance(0.0)
    learner = trainer._learners["run"]
    held: list[object] = [learner, learner.training.model, learner.view(0).model]
    remains = [weakref.ref(one) for one in held]
    del learner, held
    trainer.drop("run")
    gc.collect()
    assert [remain() for remain in remains] == [None, None, None]
    assert not trainer.busy
    for ask in (lambda: trainer.look("run", LookRequest()), lambda: trainer.control("run", "train")):
        with pytest.raises(NoRun):
            ask()


def test_settings_that_do_not_fit_are_refused_in_words() -> None:
    trainer = Trainer()
    with pytest.raises(SettingError, match="evenly"):
        start(trainer, "run", "mini_gpt", heads=3)
    with pytest.raises(SettingError, match="at least"):
        start(trainer, "run", "mini_bert", block=101)
    assert not trainer.busy


@pytest.mark.parametrize("name", NAMES)
def test_a_run_tells_once_what_never_changes_of_it(name: str) -> None:
    trainer = Trainer(report_every=0.0)
    start(trainer, "run", name)
    trainer.control("run", "train")
    reports = []
    while trainer.busy:
        reports += trainer.advance(0.0)
    assert reports[0].about is not None
    assert all(report.about is None for report in reports[1:])
    last = trainer._learners["run"]
    assert reports[0].about["tokens_per_step"] * STEPS == reports[-1].tokens
    assert reports[0].about["parameters"] == sum(one.numel() for one in last.training.model.parameters())
    assert reports[0].about["baselines"] == last.training.task.baselines()


def test_reports_list_the_snapshots_that_can_be_looked_back_at() -> None:
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    history = finish(trainer)["run"]
    assert history.snapshots == [one.step for one in trainer._learners["run"].snapshots.kept]
    for step in history.snapshots:
        assert unpack_look(trainer.look("run", LookRequest(text="道", step=step))).header["step"] == step
