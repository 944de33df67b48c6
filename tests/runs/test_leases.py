"""A run lives as long as somebody looks: it pauses unseen, goes on when seen again, and is dropped with its session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.runs.pool import Pool
from core.runs.requests import LookRequest
from core.runs.run import Run
from tests.runs.tools import LONGEST, small, state, wait_until


@pytest.fixture(scope="module")
def quick() -> Iterator[Pool]:
    """A pool that soon loses patience with an orphan."""
    pool = Pool(workers=1, away_after=1000.0, grace=0.1, orphan_after=3.0)
    yield pool
    pool.shutdown()


def training(pool: Pool) -> Run:
    """A run that trains."""
    run = pool.start("mini_gpt", small("mini_gpt", steps=20_000))
    run.control("train")
    wait_until(lambda: run.step > 0)
    return run


def test_an_orphan_pauses_and_goes_on_when_it_is_touched(quick: Pool) -> None:
    run = training(quick)
    quick.orphan(run.id)
    wait_until(lambda: state(run) == ("paused", "away"))
    quick.touch(run.id)
    assert state(run) == ("running", None)
    step = run.step
    wait_until(lambda: run.step > step + 3)
    quick.drop(run.id)


def test_an_orphan_that_nobody_touches_is_dropped(quick: Pool) -> None:
    run = training(quick)
    kept = Path(quick._directory.name) / f"{run.id}.safetensors"
    wait_until(kept.exists)
    quick.orphan(run.id)
    wait_until(lambda: quick.find(run.id) is None)
    wait_until(lambda: not kept.exists())
    quick.touch(run.id)
    quick.orphan(run.id)
    assert quick.find(run.id) is None


def test_touching_does_not_start_what_a_person_paused(quick: Pool) -> None:
    run = training(quick)
    run.control("pause")
    quick.orphan(run.id)
    quick.touch(run.id)
    assert state(run) == ("paused", None)
    quick.drop(run.id)


def test_a_run_that_is_not_touched_pauses_but_is_kept() -> None:
    pool = Pool(workers=1, away_after=1.0)
    try:
        run = pool.start("mini_gpt", small("mini_gpt", steps=20_000))
        run.control("train")
        wait_until(lambda: run.reason == "away")
        run.look(LookRequest(text="道")).result(LONGEST)
        assert state(run) == ("paused", "away")
        step = run.step
        pool.touch(run.id)
        wait_until(lambda: run.step > step)
        assert pool.find(run.id) is run
    finally:
        pool.shutdown()


def test_a_loaded_checkpoint_needs_nobody(quick: Pool, tmp_path: Path) -> None:
    run = training(quick)
    loaded = quick.load(run.export(tmp_path / "run.safetensors").result(LONGEST))
    quick.orphan(loaded.id)
    quick.orphan(run.id)
    wait_until(lambda: quick.find(run.id) is None)
    assert quick.find(loaded.id) is loaded


def test_the_times_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"WORKERS": "1", "GRACE": "7.5", "DROP": "11", "AWAY": "13"}
    for name, value in given.items():
        monkeypatch.setenv(f"ATTENTION_LIVE_{name}", value)
    pool = Pool()
    pool.shutdown()
    assert (len(pool.workers), pool.grace, pool.orphan_after, pool.away_after) == (1, 7.5, 11.0, 13.0)
