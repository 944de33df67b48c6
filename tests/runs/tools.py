"""What several tests of the runs need: small models, a run followed to its end, and waiting for another process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

from core.experiments import catalogue, find
from core.runs.history import History, Report
from core.runs.run import Run
from core.runs.trainer import Trainer
from core.settings import Value, changed, describe, values

NAMES = list(catalogue())
LONGEST = 120.0  # seconds; only a test that fails waits so long

SMALL: dict[str, Value] = {
    "layers": 2,
    "heads": 2,
    "width": 10,
    "feed_forward": 13,
    "block": 7,
    "length": 7,
    "sequences": 101,
    "batch_size": 3,
    "dropout": 0.3,
    "learning_rate": 3e-3,
    "steps": 11,
}


def small(name: str, **changes: Value) -> Any:
    """Settings of a model that takes its steps in no time; what it does not have is left out."""
    group = find(name).settings()
    known = {setting.name for setting in describe(group)}
    return changed(group, {key: value for key, value in (SMALL | changes).items() if key in known})


def start(trainer: Trainer, run: str, name: str, **changes: Value) -> None:
    """Start a small run."""
    trainer.start(run, name, values(small(name, **changes)))


def gather(histories: dict[str, History], reports: list[Report]) -> None:
    """Add reports to the histories of their runs."""
    for report in reports:
        histories.setdefault(report.run, History()).absorb(report)


def finish(trainer: Trainer) -> dict[str, History]:
    """Advance until nothing moves any more; the histories of all runs since the last report."""
    histories: dict[str, History] = {}
    while trainer.busy:
        gather(histories, trainer.advance())
    return histories


def curve(name: str, **changes: Value) -> History:
    """The history of a small run that is alone in its Trainer and never disturbed."""
    trainer = Trainer()
    start(trainer, "alone", name, **changes)
    trainer.control("alone", "train")
    return finish(trainer)["alone"]


def state(run: Run) -> tuple[str, str | None]:
    """Status and reason, read anew each time."""
    return run.status, run.reason


def wait_until(happened: Callable[[], bool]) -> None:
    """Wait for something that another process or thread does."""
    end = time.monotonic() + LONGEST
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def kill_worker(run: Run) -> None:
    """Kill the process that holds a run, as the system does when memory is short."""
    wait_until(lambda: run.worker.pid is not None)
    assert run.worker.pid is not None
    os.kill(run.worker.pid, signal.SIGKILL)
