"""The pool: worker processes, the runs that learn in them, and how long a run may live unseen."""

from __future__ import annotations

import atexit
import json
import logging
import math
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from safetensors import SafetensorError, safe_open

from core.experiments import find, pretrained
from core.runs.findings import Findings
from core.runs.history import Report
from core.runs.process import WorkerProcess
from core.runs.run import Run
from core.runs.study import Studies, Study
from core.settings import N_, SettingError, changed

CHECKPOINTS = Path(__file__).resolve().parents[2] / "assets" / "checkpoints"
MOST_RUNS = 200
LONGEST_NAME = 80  # characters of a file's name
MOST_ARCHIVED = 400  # each is a file (MiniGPT: 0.5 MB) and its course
MOST_LOSSES = 3  # workers that may die under a run that does not get on
FORGOTTEN_AFTER = 3600.0  # seconds after which a run that was never orphaned, but not touched either, is dropped
SHORT_LIFE = 10.0  # seconds; a worker that lives no longer is replaced more and more slowly
LONGEST_DELAY = 30.0
LAST_WORDS = 10.0  # seconds that a replaced run still answers what was asked of it


@dataclass(frozen=True, kw_only=True)
class About:
    """What a checkpoint says of itself."""

    experiment: str
    settings: Any
    step: int
    loss: float | None


class Pool:
    """All runs of this server.

    A page *touches* its run every few seconds. A run that is not touched for ``away_after`` seconds pauses. When its
    session ends the page *orphans* it: after ``grace`` seconds it pauses, after ``orphan_after`` it is dropped, unless
    it is touched again. What is not given comes from the environment (ATTENTION_LIVE_WORKERS, _AWAY, _GRACE, _DROP).

    Beside them stand the *shipped* runs, one for each experiment, made from the checkpoints that come with the app.
    Everybody looks at the same ones; nobody trains, touches or drops them.
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        away_after: float | None = None,
        grace: float | None = None,
        orphan_after: float | None = None,
        most_runs: int = MOST_RUNS,
        checkpoints: Path = CHECKPOINTS,
    ) -> None:
        self.away_after = _given(away_after, "ATTENTION_LIVE_AWAY", 120.0)
        self.grace = _given(grace, "ATTENTION_LIVE_GRACE", 10.0)
        self.orphan_after = _given(orphan_after, "ATTENTION_LIVE_DROP", 180.0)
        self.most_runs = most_runs
        self.checkpoints = checkpoints
        self.runs: dict[str, Run] = {}
        self._shipped: dict[str, Run | None] = {}
        self._dropped: WeakValueDictionary[str, Run] = WeakValueDictionary()  # whoever holds one can draw its curve
        self.studies = Studies()
        self._lock = threading.RLock()
        self._directory = tempfile.TemporaryDirectory(prefix="attention-live-", ignore_cleanup_errors=True)
        self._closing = threading.Event()
        self._short_lives = 0
        count = round(_given(workers, "ATTENTION_LIVE_WORKERS", _cores()))
        self.workers = [self._employ() for _ in range(max(1, count))]
        self._housekeeper = threading.Thread(target=self._keep_house, name="housekeeper", daemon=True)
        self._housekeeper.start()

    def start(self, experiment: str, settings: Any) -> Run:
        """A new run at step 0, which can be looked at as soon as its worker has made it.

        Raises :class:`SettingError` when the settings do not fit together or there are too many runs.
        """
        find(experiment)
        settings.check()
        return self._admit(lambda worker: Run(experiment, settings, worker))

    def load(self, path: Path, *, leased: bool = False) -> Run:
        """A checkpoint as a run that can be looked at. Raises :class:`SettingError`.

        Nobody has to touch it, unless it is ``leased``: then it lives as long as the session that holds it.
        """
        return self._admit(_unpacked(path, leased=leased))

    def bring(self, content: bytes, name: str) -> Run:
        """A checkpoint that somebody brings, as a run of theirs (leased). Raises :class:`SettingError`.

        What only its weights can tell, whether they fit the settings, its worker finds out: the run fails then, and its
        ``problem`` says why. ``name`` is the file's.
        """
        folder = Path(tempfile.mkdtemp(dir=self._home))
        path = folder / (Path(name).name[-LONGEST_NAME:] or "checkpoint.safetensors")
        path.write_bytes(content)
        try:
            return self.load(path, leased=True)
        except SettingError:
            _remove(path)
            raise

    def shipped(self, experiment: str) -> Run | None:
        """The model that ships with the app, trained; the same run for everybody. None when there is none to show.

        It is loaded at the first call, and once more should its workers have died too often.
        """
        with self._lock:
            run = self._shipped.get(experiment)
            if experiment not in self._shipped or (run is not None and run.reason == "worker_lost"):
                if run is not None:
                    self._forget(run.id)
                run = self._shipped[experiment] = self._unpack(experiment)
            return None if run is None or run.problem is not None else run

    def pretrained(self, name: str) -> Run | None:
        """A model of the owner's folder (:mod:`core.experiments.pretrained`); the same run for everybody.

        None when there is none of that name. Raises :class:`SettingError` when it is no BERT; should its worker not be
        able to read it, the run fails and its ``problem`` says why. It is loaded at the first call, into one worker,
        whose memory then holds its weights: four bytes a parameter (MiniLM: 91 MB).
        """
        folder = pretrained.models().get(name)
        if folder is None:
            return None
        with self._lock:
            run = self._shipped.get(f"{pretrained.NAME}/{name}")
            if run is None or run.reason == "worker_lost":
                if run is not None:
                    self._forget(run.id)
                run = self._shipped[f"{pretrained.NAME}/{name}"] = self._admit(_opened(folder), limited=False)
            return run

    def study(self, name: str, options: Mapping[str, Any], run: Run | None = None) -> Study:
        """Begin a study (:mod:`core.studies`) with options that JSON can hold, of a run's model where one is given.

        It works in slices between the turns of the runs of its worker; the handle tells how far it is and what it has
        found. A session touches, orphans and drops it by its id as its runs. Raises :class:`SettingError` when too many
        are at work; what the study refuses comes as the handle's ``problem``.
        """
        with self._lock:
            worker = self._least_loaded() if run is None else run.worker
            return self.studies.start(Study(name, options, worker, None if run is None else run.id))

    def _unpack(self, experiment: str) -> Run | None:
        path = self.checkpoints / f"{experiment}.safetensors"
        if not path.exists():
            return None
        try:
            return self._admit(_unpacked(path), limited=False)
        except SettingError:
            logging.getLogger(__name__).exception("The shipped checkpoint %s cannot be used", path)
            return None

    def find(self, run: str) -> Run | None:
        """The run of that id; None when there is none (any more)."""
        return self.runs.get(run)

    def recall(self, run: str) -> Run | None:
        """The run of that id, even when it has been dropped, as long as somebody holds it: its course is known."""
        return self.runs.get(run) or self._dropped.get(run)

    def touch(self, run: str) -> None:
        """Somebody is looking at the run or the study."""
        self.studies.touch(run)
        if run in self.runs:
            self.runs[run].touch()

    def orphan(self, run: str) -> None:
        """The session that owned the run or the study has ended, or its connection has broken."""
        self.studies.orphan(run)
        if run in self.runs:
            self.runs[run].orphaned = time.monotonic()

    def drop(self, run: str) -> None:
        """End the run or the study and free its memory. What ships with the app stays."""
        with self._lock:
            self.studies.drop(run)
            if not any(one is not None and one.id == run for one in self._shipped.values()):
                self._forget(run)

    def _forget(self, run: str) -> None:
        with self._lock:
            dropped = self.runs.pop(run, None)
        if dropped is not None:
            self._dropped[run] = dropped
            dropped.drop()
            self._archive_of(run).unlink(missing_ok=True)
            if dropped.checkpoint is not None and dropped.checkpoint.parent.parent == self._home:  # it was brought
                _remove(dropped.checkpoint)

    def retire(self, run: str) -> None:
        """End a run that its page has replaced. Questions on their way are still answered, then it is dropped."""
        if run in self.runs:
            self.runs[run].control("stop")
            self.runs[run].retired = time.monotonic()

    def archive(self, run: str) -> None:
        """End a run and keep its newest weights in a file: it can be looked at and exported, not trained any further.

        What it cost its worker is freed. Of very many archived runs the oldest are dropped.
        """
        with self._lock:
            found = self.runs.get(run)
            if found is None or found.checkpoint is not None:
                return
            found.archive(self._archive_of(run))
            archived = [one.id for one in self.runs.values() if one.archived]
        for oldest in archived[: max(0, len(archived) + 1 - MOST_ARCHIVED)]:
            self.drop(oldest)

    @property
    def _home(self) -> Path:
        return Path(self._directory.name).resolve()

    def _archive_of(self, run: str) -> Path:
        return self._home / f"{run}.archive.safetensors"

    def end_streams(self) -> None:
        """Let every stream end, the runs go on."""
        for run in list(self.runs.values()):
            run.broadcast.close()

    def shutdown(self) -> None:
        """End every worker and every stream."""
        self._closing.set()
        with self._lock:
            workers, runs = self.workers, list(self.runs.values())
            self.runs = {}
            self.studies.end()
        for run in runs:
            run.drop()
        for worker in workers:
            worker.end()
        self._housekeeper.join()
        self._directory.cleanup()

    def _admit(self, make: Callable[[WorkerProcess], Run], *, limited: bool = True) -> Run:
        with self._lock:
            shipped = sum(run is not None for run in self._shipped.values())
            count = len(self.runs) - shipped - sum(run.archived for run in self.runs.values())
            if limited and count >= self.most_runs:
                raise SettingError(
                    N_("this server already holds {count} runs; try again when some have ended"), count=count
                )
            run = make(self._least_loaded())
            self.runs[run.id] = run
            run.begin(run.worker)
        return run

    def _least_loaded(self) -> WorkerProcess:
        def load(worker: WorkerProcess) -> tuple[int, int]:
            mine = [run for run in self.runs.values() if run.worker is worker and not run.archived]
            busy = sum(run.status in ("ready", "running") for run in mine)
            return busy + self.studies.load(worker), len(mine)

        return min(self.workers, key=load)

    def _employ(self, delay: float = 0.0) -> WorkerProcess:
        return WorkerProcess(
            Path(self._directory.name),
            on_report=self._on_report,
            on_findings=self._on_findings,
            on_refusal=self._on_refusal,
            on_gone=self._on_gone,
            delay=delay,
        )

    def _on_report(self, worker: WorkerProcess, report: Report, orders: int) -> None:
        run = self.runs.get(report.run)
        if run is not None and run.worker is worker:
            run.absorb(report, orders)

    def _on_findings(self, worker: WorkerProcess, found: Findings) -> None:
        self.studies.absorb(worker, found)

    def _on_refusal(self, worker: WorkerProcess, run: str, problem: Exception) -> None:
        self.studies.refused(worker, run, problem)
        refused = self.runs.get(run)
        if refused is not None and refused.worker is worker:
            refused.fail("refused" if isinstance(problem, SettingError) else "error", problem)

    def _on_gone(self, worker: WorkerProcess) -> None:
        """Replace a dead worker and resume its runs, but for those that seem to be what kills it."""
        with self._lock:
            if self._closing.is_set():
                return
            lived = time.monotonic() - worker.started
            self._short_lives = self._short_lives + 1 if lived < SHORT_LIFE else 0
            delay = min(LONGEST_DELAY, 0.5 * 2**self._short_lives) if self._short_lives > 1 else 0.0
            replacement = self._employ(delay)
            self.workers[self.workers.index(worker)] = replacement
            for run in [run for run in self.runs.values() if run.worker is worker]:
                if run.lose() < MOST_LOSSES:
                    run.begin(replacement)
                else:
                    run.worker = replacement
                    run.fail("worker_lost")
            self.studies.lose(worker, replacement)

    def _keep_house(self) -> None:
        shortest = min(self.away_after, self.grace, self.orphan_after)
        while not self._closing.wait(max(0.02, min(1.0, shortest / 4))):
            self._tend(time.monotonic())

    def _tend(self, now: float) -> None:
        self.studies.tend(now, self.orphan_after)
        for run in list(self.runs.values()):
            if not run.leased:
                continue
            unseen = now - run.touched
            orphaned = -math.inf if run.orphaned is None else now - run.orphaned
            retired = run.retired is not None and now - run.retired >= LAST_WORDS
            if retired or orphaned >= self.orphan_after or unseen >= max(FORGOTTEN_AFTER, self.away_after):
                self.drop(run.id)
            elif orphaned >= self.grace or unseen >= self.away_after:
                run.away()


def _remove(brought: Path) -> None:
    """Remove a file that was brought, with its folder."""
    shutil.rmtree(brought.parent, ignore_errors=True)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _given(value: float | None, variable: str, default: float) -> float:
    return float(os.environ.get(variable, default)) if value is None else value


def _about(path: Path) -> About:
    """What a checkpoint says of itself, read without torch. Raises :class:`SettingError`."""
    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads((file.metadata() or {})["attention_live"])
        experiment = find(str(about["experiment"]))
        return About(
            experiment=experiment.name,
            settings=changed(experiment.settings(), about["settings"]),
            step=int(about["step"]),
            loss=None if about["loss"] is None else float(about["loss"]),
        )
    except FileNotFoundError:
        raise SettingError(N_("there is no file “{file}”"), file=path.name) from None
    except SettingError:
        raise
    except (SafetensorError, OSError, KeyError, ValueError, TypeError, AttributeError):
        raise SettingError(N_("“{file}” is not a checkpoint of this app"), file=path.name) from None


def _unpacked(path: Path, *, leased: bool = False) -> Callable[[WorkerProcess], Run]:
    """What makes a run of a checkpoint. Raises :class:`SettingError` when the file is none."""
    about = _about(path)

    def make(worker: WorkerProcess) -> Run:
        run = Run(about.experiment, about.settings, worker, checkpoint=path.resolve())
        run.step, run.loss, run.leased = about.step, about.loss, leased
        return run

    return make


def _opened(folder: Path) -> Callable[[WorkerProcess], Run]:
    """What makes a run of a folder that holds a pre-trained model. Raises :class:`SettingError` when it holds none."""
    settings = pretrained.read_settings(folder)
    return lambda worker: Run(pretrained.NAME, settings, worker, checkpoint=folder.resolve())


_pools: list[Pool] = []  # none or one
_pools_lock = threading.Lock()


def get_pool() -> Pool:
    """The pool of this process, made at the first call."""
    with _pools_lock:
        if not _pools:
            _pools.append(Pool())
        return _pools[0]


def close_pool() -> None:
    """End the pool of this process, if there is one."""
    with _pools_lock:
        pools = list(_pools)
        _pools.clear()
    for pool in pools:
        pool.shutdown()


atexit.register(close_pool)
