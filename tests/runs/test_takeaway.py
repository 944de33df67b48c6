"""What is taken away of a run: its history, its weights, and a script that really trains it again."""

from __future__ import annotations

import ast
import csv
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from core.runs.pool import Pool
from core.runs.process import ROOT
from core.runs.requests import LookRequest
from core.runs.run import Run
from core.runs.takeaway import history_csv, script
from core.runs.wire import unpack_look
from core.settings import SettingError
from tests.runs.tools import LONGEST, NAMES, small, wait_until


def trained(pool: Pool, name: str, steps: int = 31) -> Run:
    """A run whose learning rate was changed while it trained, and whose end was then put further off."""
    run = pool.start(name, small(name, steps=11, seed=7))
    for _ in range(5):
        run.control("step")
    wait_until(lambda: run.step == 5)
    run.change(learning_rate=0.01)
    run.control("train")
    wait_until(lambda: run.status == "finished")
    run.change(steps=steps)
    run.control("train")
    wait_until(lambda: run.status == "finished" and run.step == steps)
    return run


@pytest.mark.parametrize("name", NAMES)
def test_the_script_trains_the_same_run_again(pool: Pool, tmp_path: Path, name: str) -> None:
    run = trained(pool, name)
    weights = run.export(tmp_path / "seen.safetensors").result(LONGEST)
    (tmp_path / "again.py").write_text(script(run, 'my """best""" \\ one'), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "again.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    _, loss, _, seen = ran.stdout.splitlines()[-1].split()
    assert float(loss) == pytest.approx(run.history.loss[-1], rel=1e-6)
    assert float(seen) == run.history.loss[-1]
    again, before = load_file(tmp_path / f"{name}.safetensors"), load_file(weights)
    assert again.keys() == before.keys()
    for one in before:
        np.testing.assert_allclose(again[one], before[one], atol=1e-6)


def test_the_script_of_what_came_from_a_file_says_so(pool: Pool, tmp_path: Path) -> None:
    run = trained(pool, "mini_gpt")
    brought = pool.bring(run.export(tmp_path / "one.safetensors").result(LONGEST).read_bytes(), "one.safetensors")
    wait_until(lambda: bool(brought.history.about))
    assert "not known" in (ast.get_docstring(ast.parse(script(brought, "one"))) or "")
    assert "not known" not in script(run, "one")


def test_the_history_is_a_row_a_step(pool: Pool) -> None:
    run = trained(pool, "mini_bert")
    rows = list(csv.DictReader(io.StringIO(history_csv(run.history).decode("utf-8-sig"))))
    assert [float(row["training_loss"]) for row in rows] == run.history.loss
    assert [int(row["step"]) for row in rows] == list(range(1, run.step + 1))
    changed = {row["step"]: row["changed"] for row in rows if row["changed"]}
    assert changed == {"6": "learning_rate=0.01", "12": "steps=31"}
    measured = {int(row["step"]): float(row["masked_accuracy"]) for row in rows if row["masked_accuracy"]}
    assert measured == {one["step"]: one["masked_accuracy"] for one in run.history.evaluations}


def test_a_checkpoint_that_is_brought_is_looked_at_and_goes_with_its_run(pool: Pool, tmp_path: Path) -> None:
    run = trained(pool, "mini_gpt")
    content = run.export(tmp_path / "one.safetensors").result(LONGEST).read_bytes()
    brought = pool.bring(content, "../../../etc/some name.safetensors")
    assert brought.checkpoint is not None
    assert brought.checkpoint.is_relative_to(Path(pool._directory.name).resolve())
    seen = [unpack_look(one.look(LookRequest(text="道可道")).result(LONGEST)).weights for one in (run, brought)]
    np.testing.assert_array_equal(seen[0], seen[1])
    wait_until(lambda: bool(brought.history.about))
    assert brought.step == run.step
    np.testing.assert_allclose(brought.history.loss, run.history.loss)
    path = brought.checkpoint
    pool.drop(brought.id)
    assert not path.parent.exists()


@pytest.mark.parametrize("content", [b"", b"junk", b"\x80\x04pickle", b"\xff" * 64])
def test_what_is_no_checkpoint_is_refused_by_its_name(pool: Pool, content: bytes) -> None:
    with pytest.raises(SettingError, match=r"“mine\.safetensors” is not a checkpoint"):
        pool.bring(content, "mine.safetensors")
    assert not list(Path(pool._directory.name).glob("*/mine.safetensors"))


def test_weights_that_do_not_fit_their_settings_are_told_by_the_worker(pool: Pool, tmp_path: Path) -> None:
    path = trained(pool, "mini_gpt").export(tmp_path / "one.safetensors").result(LONGEST)
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    weights = load_file(path)
    weights.pop(next(iter(weights)))
    save_file(weights, path, metadata=metadata)
    brought = pool.bring(path.read_bytes(), "mine.safetensors")
    wait_until(lambda: brought.status == "failed")
    assert "do not fit together" in str(brought.problem)
