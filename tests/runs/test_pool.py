"""The pool, with real worker processes: runs outlive their worker, and no process outlives the pool."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.runs.pool import Pool
from core.runs.process import ROOT
from core.runs.requests import GenerateRequest, LookRequest, NoRun, WorkerGone
from core.runs.trainer import Trainer
from core.runs.wire import unpack_look
from core.settings import SettingError
from tests.runs.tools import LONGEST, NAMES, curve, finish, kill_worker, small, start, state, wait_until

LONG = 20_000  # steps: longer than any test


def alive(pid: int) -> bool:
    """Whether a process is there (and not only waiting to be buried)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def memory(pid: int | None) -> int:
    """Bytes of memory that a process occupies."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("name", NAMES)
def test_a_run_in_a_worker_takes_the_course_of_a_run_alone(pool: Pool, name: str) -> None:
    runs = [pool.start(name, small(name, seed=seed)) for seed in (2, 3, 5)]
    for run in runs:
        run.control("train")
    wait_until(lambda: all(run.status == "finished" for run in runs))
    for run, seed in zip(runs, (2, 3, 5), strict=True):
        assert run.history.since(0) == curve(name, seed=seed).since(0)
        assert run.step == len(run.history.loss) == run.settings.steps


def test_a_run_survives_its_worker_and_takes_the_same_course(pool: Pool) -> None:
    run = pool.start("mini_bert", small("mini_bert", steps=401))
    finished = pool.start("mini_bert", small("mini_bert"))
    while finished.worker is not run.worker:  # with two workers, the third run joins the first
        finished = pool.start("mini_bert", small("mini_bert"))
    finished.control("train")
    wait_until(lambda: finished.status == "finished")
    before = unpack_look(finished.look(LookRequest(text="温故_新")).result(LONGEST))
    run.control("train")
    wait_until(lambda: run.step >= 31)
    kill_worker(run)
    wait_until(lambda: run.status == "lost")
    assert run.reason == "worker_lost"
    wait_until(lambda: run.status == "running" and run.reason is None)
    wait_until(lambda: run.status == "finished")
    assert run.history.cuts <= 1
    assert run.history.since(0) == curve("mini_bert", steps=401).since(0)
    assert finished.status == "finished"
    after = unpack_look(finished.look(LookRequest(text="温故_新")).result(LONGEST))
    assert after.header == before.header
    assert np.array_equal(after.weights, before.weights)


def test_what_a_dying_worker_was_asked_fails_and_the_next_question_is_answered(pool: Pool) -> None:
    run = pool.start("mini_gpt", small("mini_gpt"))
    run.look(LookRequest(text="道")).result(LONGEST)
    assert run.worker.pid is not None
    os.kill(run.worker.pid, signal.SIGSTOP)
    asked = [run.look(LookRequest(text="道")) for _ in range(3)]
    gone = run.worker  # another may have taken over by the time that the last question has failed
    kill_worker(run)
    for question in asked:
        with pytest.raises(WorkerGone):
            question.result(LONGEST)
    wait_until(lambda: run.worker is not gone)
    assert unpack_look(run.look(LookRequest(text="道")).result(LONGEST)).header["step"] == 0


def test_a_paused_run_stays_paused_through_the_death_of_its_worker(pool: Pool) -> None:
    run = pool.start("mini_gpt", small("mini_gpt", steps=LONG))
    for _ in range(3):
        run.control("step")
    wait_until(lambda: run.step == 3)
    kept = Path(pool._directory.name) / f"{run.id}.safetensors"
    wait_until(kept.exists)
    kill_worker(run)
    wait_until(lambda: run.status == "lost")
    wait_until(lambda: run.status == "paused")
    assert unpack_look(run.look(LookRequest(text="道")).result(LONGEST)).header["step"] == run.step <= 3


def test_a_failed_run_stays_failed_for_the_same_reason(pool: Pool) -> None:
    run = pool.start("mini_gpt", small("mini_gpt", learning_rate=10.0, weight_decay=1.0, steps=101))
    run.control("train")
    wait_until(lambda: run.status == "failed")
    losses, worker = list(run.history.loss), run.worker
    wait_until((Path(pool._directory.name) / f"{run.id}.safetensors").exists)
    kill_worker(run)
    wait_until(lambda: run.worker is not worker)
    seen = unpack_look(run.look(LookRequest(text="道")).result(LONGEST))
    assert np.isfinite(seen.logits[0]).all()
    wait_until(lambda: not run._lost)
    assert state(run) == ("failed", "non_finite_loss")
    assert run.history.loss == losses[: len(run.history.loss)]


def test_a_run_under_which_every_worker_dies_is_given_up(pool: Pool) -> None:
    run = pool.start("mini_gpt", small("mini_gpt"))
    for _ in range(3):
        worker = run.worker
        kill_worker(run)
        wait_until(lambda worker=worker: run.worker is not worker)  # type: ignore[misc]
    wait_until(lambda: run.status == "failed")
    assert run.reason == "worker_lost"
    other = pool.start("mini_gpt", small("mini_gpt"))
    other.control("train")
    wait_until(lambda: other.status == "finished")


def test_actions_show_at_once_and_hold(pool: Pool) -> None:
    run = pool.start("mini_gpt", small("mini_gpt", steps=LONG))
    assert state(run) == ("ready", None)
    for action, status in (("train", "running"), ("pause", "paused"), ("train", "running"), ("stop", "stopped")):
        run.control(action)  # type: ignore[arg-type]
        for _ in range(7):
            assert run.status == status
            run.look(LookRequest(text="道")).result(LONGEST)
    run.control("train")
    assert state(run) == ("stopped", None)


def test_a_live_change_arrives_and_any_other_is_refused(pool: Pool) -> None:
    run = pool.start("mini_bert", small("mini_bert", steps=LONG))
    run.control("train")
    run.change(mask_rate=0.5, dropout=0.2)
    assert (run.settings.mask_rate, run.settings.dropout) == (0.5, 0.2)
    wait_until(lambda: len(run.history.marks) == 2)
    assert {mark["setting"]: mark["value"] for mark in run.history.marks} == {"mask_rate": 0.5, "dropout": 0.2}
    with pytest.raises(SettingError, match="new run"):
        run.change(layers=3)
    with pytest.raises(SettingError, match="between"):
        run.change(mask_rate=7.0)
    assert run.settings.mask_rate == 0.5


def test_more_steps_lead_a_finished_run_on(pool: Pool) -> None:
    run = pool.start("mini_gpt", small("mini_gpt", steps=5))
    run.control("train")
    wait_until(lambda: run.status == "finished")
    run.control("train")
    assert state(run) == ("finished", None)
    run.change(steps=11)
    run.control("train")
    assert state(run) == ("running", None)
    wait_until(lambda: run.status == "finished")
    assert run.history.loss == curve("mini_gpt", steps=11).loss


def test_an_exported_run_can_be_loaded_and_survives_a_worker(pool: Pool, tmp_path: Path) -> None:
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    finish(trainer)
    trainer.export("run", tmp_path / "one.safetensors")
    loaded = pool.load(tmp_path / "one.safetensors")
    assert (loaded.status, loaded.experiment, loaded.settings) == ("stopped", "mini_gpt", small("mini_gpt"))
    request = LookRequest(text="道可道")
    expected = unpack_look(trainer.look("run", request))
    for _ in range(2):
        seen = unpack_look(loaded.look(request).result(LONGEST))
        assert np.array_equal(seen.weights, expected.weights, equal_nan=True)
        assert seen.header["step"] == expected.header["step"]
        worker = loaded.worker
        kill_worker(loaded)
        wait_until(lambda worker=worker: loaded.worker is not worker)  # type: ignore[misc]
    copy = loaded.export(tmp_path / "two.safetensors").result(LONGEST)
    assert copy.read_bytes() == (tmp_path / "one.safetensors").read_bytes()


def ship(folder: Path, name: str) -> Path:
    """Put a small checkpoint where one would ship."""
    trainer = Trainer()
    start(trainer, "run", name)
    trainer.control("run", "train")
    finish(trainer)
    path = folder / f"{name}.safetensors"
    trainer.export("run", path)
    return path


@pytest.fixture
def shipping(pool: Pool, tmp_path: Path) -> Iterator[Pool]:
    """The pool, with what ships taken from an empty folder."""
    before, pool.checkpoints = pool.checkpoints, tmp_path
    yield pool
    for run in pool._shipped.values():
        if run is not None:
            pool._forget(run.id)
    pool.checkpoints, pool._shipped = before, {}


def test_what_ships_is_one_run_for_everybody_and_is_never_dropped(shipping: Pool, tmp_path: Path) -> None:
    ship(tmp_path, "mini_gpt")
    run = shipping.shipped("mini_gpt")
    assert run is not None
    assert (run.status, run.step, run.settings) == ("stopped", 11, small("mini_gpt"))
    assert run.loss is not None
    shipping.drop(run.id)
    shipping.orphan(run.id)
    shipping._tend(1e12)
    assert shipping.shipped("mini_gpt") is shipping.find(run.id) is run
    header = unpack_look(run.look(LookRequest(text="道可道")).result(LONGEST)).header
    assert (header["step"], header["loss"]) == (11, run.loss)
    assert run.settings.steps == 11


def test_what_ships_does_not_count_as_somebodys_run(shipping: Pool, tmp_path: Path) -> None:
    ship(tmp_path, "mini_gpt")
    ship(tmp_path, "mini_bert")
    shipping.most_runs, before = 1, shipping.most_runs
    try:
        assert shipping.shipped("mini_gpt") is not None
        run = shipping.start("mini_gpt", small("mini_gpt"))
        assert shipping.shipped("mini_bert") is not None
        with pytest.raises(SettingError, match="1 runs"):
            shipping.start("mini_gpt", small("mini_gpt"))
        shipping.drop(run.id)
    finally:
        shipping.most_runs = before


def test_what_ships_survives_every_death_of_its_worker(shipping: Pool, tmp_path: Path) -> None:
    ship(tmp_path, "mini_gpt")
    seen = []
    for _ in range(4):  # more deaths than a run of somebody's would be forgiven
        run = shipping.shipped("mini_gpt")
        assert run is not None
        seen.append(unpack_look(run.look(LookRequest(text="道可道")).result(LONGEST)))
        worker = run.worker
        kill_worker(run)
        wait_until(lambda run=run, worker=worker: run.worker is not worker)  # type: ignore[misc]
    for look in seen[1:]:
        np.testing.assert_array_equal(look.weights, seen[0].weights)


def test_without_a_usable_checkpoint_nothing_ships(shipping: Pool, tmp_path: Path) -> None:
    assert shipping.shipped("mini_gpt") is None
    (tmp_path / "mini_bert.safetensors").write_bytes(b"junk")
    assert shipping.shipped("mini_bert") is None
    whole = ship(tmp_path, "tiny_transformer").read_bytes()
    (tmp_path / "tiny_transformer.safetensors").write_bytes(whole[:-8])
    assert shipping.shipped("tiny_transformer") is None
    assert shipping.runs == {}


def test_what_is_no_checkpoint_is_refused_in_words(pool: Pool, tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(b"\x80\x04pickle")
    for name in ("junk", "nothing"):
        with pytest.raises(SettingError, match=name):
            pool.load(tmp_path / name)
    assert pool.runs == {}


def test_a_model_that_cannot_be_built_says_why(pool: Pool) -> None:
    with pytest.raises(SettingError, match="evenly"):
        pool.start("mini_gpt", small("mini_gpt", heads=3))
    run = pool.start("mini_bert", small("mini_bert", block=101))  # only the worker knows the length of the text
    wait_until(lambda: run.status == "failed")
    assert run.reason == "refused"
    assert "at least 101" in str(run.problem)
    with pytest.raises(NoRun):
        run.look(LookRequest(text="学")).result(LONGEST)
    with pytest.raises(SettingError, match="does not write"):
        pool.start("mini_bert", small("mini_bert")).generate(GenerateRequest()).result(LONGEST)


def test_a_dropped_run_is_gone_and_so_is_its_file(pool: Pool) -> None:
    run = pool.start("mini_gpt", small("mini_gpt"))
    kept = Path(pool._directory.name) / f"{run.id}.safetensors"
    run.control("train")
    wait_until(lambda: run.status == "finished" and kept.exists())
    pool.drop(run.id)
    assert pool.find(run.id) is None
    with pytest.raises(NoRun):
        run.look(LookRequest(text="道")).result(LONGEST)
    assert not kept.exists()


def test_a_dropped_run_gives_its_memory_back_to_the_system() -> None:
    pool = Pool(workers=1)
    try:
        pool.start("mini_gpt", small("mini_gpt")).look(LookRequest(text="道")).result(LONGEST)
        before = memory(pool.workers[0].pid)
        wide = small("mini_gpt", width=256, feed_forward=1024, layers=6, steps=2)
        runs = [pool.start("mini_gpt", wide) for _ in range(2)]
        for run in runs:
            run.control("train")
        wait_until(lambda: all(run.status == "finished" for run in runs))
        full = memory(pool.workers[0].pid)
        for run in runs:
            pool.drop(run.id)
            with pytest.raises(NoRun):
                run.look(LookRequest()).result(LONGEST)
        assert full - before > 100 << 20
        assert memory(pool.workers[0].pid) - before < (full - before) / 4
    finally:
        pool.shutdown()


def test_runs_are_spread_over_the_workers(pool: Pool) -> None:
    runs = [pool.start("mini_gpt", small("mini_gpt", steps=LONG)) for _ in range(6)]
    for run in runs:
        run.control("train")
    loads = [sum(run.worker is worker for run in runs) for worker in pool.workers]
    assert loads == [3, 3]


def test_there_is_a_limit_of_runs(pool: Pool) -> None:
    pool.most_runs, before = 3, pool.most_runs
    try:
        runs = [pool.start("mini_gpt", small("mini_gpt")) for _ in range(3)]
        with pytest.raises(SettingError, match="3 runs"):
            pool.start("mini_gpt", small("mini_gpt"))
        pool.drop(runs[0].id)
        pool.start("mini_gpt", small("mini_gpt"))
    finally:
        pool.most_runs = before


def test_a_process_has_one_pool_until_it_is_closed() -> None:
    script = """
from core.runs.pool import close_pool, get_pool
first = get_pool()
print(get_pool() is first)
close_pool()
close_pool()
print(get_pool() is first)
"""
    printed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert printed.stdout.split() == ["True", "False"]
    assert printed.stderr == ""


def test_the_servers_side_never_imports_torch() -> None:
    script = "import sys, core.runs.pool, core.runs.routes; print('torch' in sys.modules, 'streamlit' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert printed.stdout.split() == ["False", "False"]


def test_shutdown_leaves_nothing_behind() -> None:
    pool = Pool(workers=2)
    run = pool.start("mini_gpt", small("mini_gpt"))
    run.look(LookRequest(text="道")).result(LONGEST)
    pids = [worker.pid for worker in pool.workers]
    pool.shutdown()
    assert not any(alive(pid) for pid in pids if pid)
    assert not Path(pool._directory.name).exists()
    with pytest.raises(WorkerGone):
        run.look(LookRequest(text="道")).result(LONGEST)


def test_workers_end_with_a_server_that_was_killed() -> None:
    script = """
import time
from core.experiments import find
from core.runs.pool import Pool
from core.runs.requests import LookRequest
pool = Pool(workers=1)
run = pool.start("mini_gpt", find("mini_gpt").defaults())
run.look(LookRequest(text="道")).result()
run.control("train")
print(pool.workers[0].pid, pool._directory.name, flush=True)
time.sleep(1000)
"""
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid, directory = server.stdout.readline().split()
        server.kill()
    wait_until(lambda: not alive(int(pid)))
    wait_until(lambda: not Path(directory).exists())


def test_a_replaced_run_still_answers_and_then_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.pool.LAST_WORDS", 1.0)
    pool = Pool(workers=1, grace=0.2)
    try:
        run = pool.start("mini_gpt", small("mini_gpt", steps=LONG))
        run.control("train")
        pool.retire(run.id)
        assert run.status == "stopped"
        assert unpack_look(run.look(LookRequest(text="道")).result(LONGEST)).header["tokens"] == ["道"]
        wait_until(lambda: pool.find(run.id) is None)
    finally:
        pool.shutdown()
