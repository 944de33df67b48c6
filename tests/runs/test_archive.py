"""A run that was replaced is kept at little cost: its weights in a file, its course on the server."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.runs.pool import Pool
from core.runs.requests import LookRequest, NoRun
from core.runs.run import Run
from core.runs.trainer import MOST_OPEN, Trainer
from core.runs.wire import unpack_look
from tests.runs.tools import LONGEST, finish, kill_worker, small, start, state, wait_until

TEXT = LookRequest(text="道可道")


def trained(pool: Pool, name: str = "mini_gpt") -> Run:
    """A run that has finished."""
    run = pool.start(name, small(name))
    run.control("train")
    wait_until(lambda: run.status == "finished")
    return run


def archived(pool: Pool, name: str = "mini_gpt") -> Run:
    """A run of which only that is left."""
    run = trained(pool, name)
    pool.archive(run.id)
    wait_until(lambda: run.archived)
    return run


def weights(run: Run) -> np.ndarray:
    """What its first layer attends to."""
    return unpack_look(run.look(TEXT).result(LONGEST)).weights


def test_an_archived_run_looks_as_before_and_keeps_its_course(pool: Pool) -> None:
    run = trained(pool)
    before, loss, marks = weights(run), list(run.history.loss), state(run)
    pool.archive(run.id)
    wait_until(lambda: run.archived)
    np.testing.assert_array_equal(weights(run), before)
    assert (run.history.loss, state(run), run.snapshots) == (loss, marks, [run.step])
    assert not (Path(pool._directory.name) / f"{run.id}.safetensors").exists()
    run.control("train")
    assert run.status == "finished"


def test_an_archived_run_survives_its_worker(pool: Pool) -> None:
    run = archived(pool)
    before, loss, worker = weights(run), list(run.history.loss), run.worker
    kill_worker(run)
    wait_until(lambda: run.worker is not worker)
    np.testing.assert_array_equal(weights(run), before)
    assert (run.history.loss, run.status) == (loss, "finished")


def test_a_run_that_trains_is_ended_where_it_is(pool: Pool) -> None:
    run = pool.start("mini_bert", small("mini_bert", steps=20_000))
    run.control("train")
    wait_until(lambda: run.step > 5)
    pool.archive(run.id)
    wait_until(lambda: run.archived)
    assert run.status == "stopped"
    assert unpack_look(run.look(LookRequest(text="学而")).result(LONGEST)).header["step"] >= 5


def test_archived_runs_cost_no_place_but_are_not_without_number(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.pool.MOST_ARCHIVED", 2)
    monkeypatch.setattr(pool, "most_runs", 1)
    runs = [archived(pool) for _ in range(3)]
    assert [pool.find(run.id) is not None for run in runs] == [False, True, True]
    wait_until(lambda: not (Path(pool._directory.name) / f"{runs[0].id}.archive.safetensors").exists())
    with pytest.raises(NoRun):
        runs[0].look(TEXT).result(LONGEST)
    assert pool.recall(runs[0].id) is runs[0]  # its curve can still be drawn


def test_what_was_exported_comes_back_with_its_curve(pool: Pool, tmp_path: Path) -> None:
    for run in (trained(pool), archived(pool, "mini_bert")):
        loaded = pool.load(run.export(tmp_path / "one.safetensors").result(LONGEST), leased=True)
        wait_until(lambda loaded=loaded: bool(loaded.history.about))  # type: ignore[misc]
        np.testing.assert_allclose(loaded.history.loss, run.history.loss, rtol=1e-6)
        assert loaded.history.evaluations == run.history.evaluations
        assert (loaded.step, loaded.settings, loaded.history.about) == (run.step, run.settings, run.history.about)
        np.testing.assert_array_equal(weights(loaded), weights(run))


def test_a_leased_checkpoint_goes_with_its_session(tmp_path: Path) -> None:
    pool = Pool(workers=1, away_after=1000.0, grace=0.05, orphan_after=0.2)
    try:
        path = trained(pool).export(tmp_path / "one.safetensors").result(LONGEST)
        leased, free = pool.load(path, leased=True), pool.load(path)
        pool.orphan(leased.id)
        pool.orphan(free.id)
        wait_until(lambda: pool.find(leased.id) is None)
        assert pool.find(free.id) is free
    finally:
        pool.shutdown()


def test_few_models_of_archived_runs_are_held_at_once(tmp_path: Path) -> None:
    trainer = Trainer()
    names = [f"run {number}" for number in range(MOST_OPEN + 2)]
    for name in names:
        start(trainer, name, "mini_gpt")
        trainer.archive(name, tmp_path / f"{name}.safetensors")
    finish(trainer)
    first = trainer.look(names[0], TEXT)
    for name in names:
        assert unpack_look(trainer.look(name, TEXT)).header["status"] == "stopped"
    assert len(trainer._open) == MOST_OPEN
    assert trainer.look(names[0], TEXT) == first
    trainer.drop(names[0])
    with pytest.raises(NoRun):
        trainer.look(names[0], TEXT)


def test_a_course_that_does_not_reach_the_weights_is_left_out(tmp_path: Path) -> None:
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    history = finish(trainer)["run"]
    course = {"loss": history.loss, "learning_rate": history.learning_rate, "evaluations": history.evaluations}
    for cut in (0, 3):
        known = {"loss": history.loss[cut:], "learning_rate": history.learning_rate[cut:]}
        trainer.export("run", tmp_path / "one.safetensors", course | known | {"tokens": 231})
        trainer.load("loaded", tmp_path / "one.safetensors")
        (report,) = trainer.advance()
        assert report.loss == ([] if cut else history.loss)
