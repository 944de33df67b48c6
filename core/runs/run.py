"""A run as the server knows it: a page's handle on what learns in some worker."""

from __future__ import annotations

import secrets
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from core.runs.broadcast import Broadcast
from core.runs.history import History, Report
from core.runs.process import Message, WorkerProcess
from core.runs.requests import GenerateRequest, LabRequest, LookRequest, PastRequest, changed_live
from core.runs.status import OVER, Action, Status, after
from core.settings import Value, values

LATELY = 300.0  # seconds: three deaths lie within it, though each replacement had to wait as long as it ever does


class Run:
    """One run. Its methods never wait: what they ask for happens in the worker at the next step.

    ``settings`` are current (live changes included), ``began_with`` those of its first step. An action shows in
    ``status`` at once, as the worker is going to carry it out; a report that left the worker before it heard of the
    action does not undo that.
    """

    def __init__(
        self, experiment: str, settings: Any, worker: WorkerProcess, *, checkpoint: Path | None = None
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.experiment = experiment
        self.settings = settings
        self.began_with = settings
        self.checkpoint = checkpoint
        self.leased = checkpoint is None  # whether it lives only as long as a session holds it
        self.history = History()
        self.step = 0
        self.loss: float | None = None  # what a checkpoint tells of its last step; a run that learns has its history
        self.problem: Exception | None = None  # why there could be no such run
        self.worker = worker
        self.touched = time.monotonic()
        self.orphaned: float | None = None
        self.retired: float | None = None
        self._status: Status = "ready" if checkpoint is None else "stopped"
        self._reason: str | None = None
        self._lost = False
        self._archived = False
        self._losses: list[float] = []  # when workers died, since the last step of progress
        self._away = False
        self._orders = 0
        self._lock = threading.RLock()
        self._progress: dict[str, Any] = {"tokens": 0, "steps_per_second": None, "seconds": 0.0, "seconds_left": None}
        self.broadcast = Broadcast(self.history, self._state, self._lock)

    # What a page does

    @property
    def status(self) -> Status:
        """ready, running, paused, finished, stopped, failed, or lost (its worker died and it is being resumed)."""
        return "lost" if self._lost and self._status not in OVER else self._status

    @property
    def reason(self) -> str | None:
        """Why it is in this state, as a code: non_finite_loss, away, worker_lost, refused or error."""
        if self.status == "lost":
            return "worker_lost"
        return "away" if self._away else self._reason

    @property
    def archived(self) -> bool:
        """Whether only its newest weights and its course are kept: it can be looked at, but not trained any further."""
        return self._archived

    @property
    def seconds(self) -> float:
        """How long it has trained so far; 0 for what was trained somewhere else."""
        return float(self._progress["seconds"])

    @property
    def over(self) -> bool:
        """Whether there is nothing more to tell for now. A checkpoint tells its past once its worker has read it."""
        unread = self.checkpoint is not None and self._status == "stopped" and not self.history.about
        return self.broadcast.closed or (self._status in OVER and not unread)

    @property
    def steps_left(self) -> int:
        """How many steps the settings leave it."""
        return max(0, int(self.settings.steps) - self.step)

    @property
    def baselines(self) -> dict[str, float]:
        """What guesses without a model reach; empty until the worker has made the run."""
        return dict(self.history.about.get("baselines", {}))

    @property
    def parameters(self) -> int | None:
        """How many parameters the model has; None until the worker has made the run."""
        return self.history.about.get("parameters")

    @property
    def snapshots(self) -> list[int]:
        """The steps that can be looked back at."""
        return list(self.history.snapshots)

    def control(self, action: Action) -> None:
        """Train, pause, take one step, or stop for good. What means nothing in this state does nothing."""
        with self._lock:
            self._away = False
            self._order(action)

    def change(self, **changes: Value) -> None:
        """Change live settings from the next step on. Raises :class:`core.settings.SettingError`."""
        with self._lock:
            self.settings = changed_live(self.settings, changes)
            self._tell("change", changes=changes)

    def look(self, request: LookRequest) -> Future[bytes]:
        """What the model makes of a text, as a frame (:func:`core.runs.wire.unpack_look` reads it)."""
        return self.worker.ask(self._message("look", look=request.to_json()), lambda _, payload: payload)

    def lab(self, request: LabRequest) -> Future[bytes]:
        """Attention's formula in one head, as a frame (:mod:`core.runs.labs` describes it)."""
        return self.worker.ask(self._message("lab", lab=request.to_json()), lambda _, payload: payload)

    def maps(self, request: LookRequest) -> Future[bytes]:
        """Every map of a look with its exact weights, as a frame (:func:`core.runs.wire.unpack_maps` reads it)."""
        return self.worker.ask(self._message("maps", look=request.to_json()), lambda _, payload: payload)

    def past(self, request: PastRequest) -> Future[bytes]:
        """What the model made of a text at several steps, as a frame (:func:`core.runs.wire.unpack_past` reads it)."""
        return self.worker.ask(self._message("past", past=request.to_json()), lambda _, payload: payload)

    def generate(self, request: GenerateRequest) -> Future[dict[str, Any]]:
        """What the model writes after a prompt."""
        return self.worker.ask(self._message("generate", generate=request.to_json()), lambda answer, _: dict(answer))

    def export(self, path: Path) -> Future[Path]:
        """Write the newest weights as a checkpoint, with the curve that led to them as far as it is known here."""
        message = self._message("export", path=str(path.resolve()), course=self._course())
        return self.worker.ask(message, lambda *_: path)

    # What the pool does

    def begin(self, worker: WorkerProcess) -> None:
        """Have the run made in a worker: for the first time, or resumed in the state it had."""
        with self._lock:
            self.worker = worker
            if self.checkpoint is not None:
                self._tell("shelve" if self._archived else "load", path=str(self.checkpoint))
                return
            self._tell(
                "start",
                experiment=self.experiment,
                settings=values(self.settings),
                status=self._status,
                resume=self._lost,
                orders=self._orders,
            )

    def archive(self, path: Path) -> Future[Path]:
        """End it, and have its worker hold nothing of it but a file with its newest weights and its course."""
        with self._lock:
            self.control("stop")
            future = self.worker.ask(self._message("archive", path=str(path), course=self._course()), lambda *_: path)
        future.add_done_callback(self._shelved)
        return future

    def _shelved(self, future: Future[Path]) -> None:
        if future.cancelled() or future.exception() is not None:
            return  # it stays as it was
        with self._lock:
            self.checkpoint, self._archived = future.result(), True
            self.history.snapshots = [self.step]
            self.broadcast.tell(snapshots=True)

    def away(self) -> None:
        """Pause, because nobody is looking."""
        with self._lock:
            if self._status == "running":
                self._order("pause")
                self._away = True
                self.broadcast.tell()

    def touch(self) -> None:
        """Somebody is looking: go on if the run had paused for want of that."""
        with self._lock:
            self.touched, self.orphaned = time.monotonic(), None
            if self._away:
                self._away = False
                self._order("train")

    def lose(self) -> int:
        """The worker died. Returns how many have died lately while the run did not get on."""
        with self._lock:
            now = time.monotonic()
            self._lost = True
            self._losses = [time for time in self._losses if now - time < LATELY] + [now]
            self.broadcast.tell()
            return len(self._losses)

    def fail(self, reason: str, problem: Exception | None = None) -> None:
        """End the run for a reason outside of it."""
        with self._lock:
            self._status, self._reason, self.problem = "failed", reason, problem
            self._lost = self._away = False
            self.broadcast.tell()

    def drop(self) -> None:
        """Let go of the worker's memory; streams end."""
        with self._lock:
            self._tell("drop")
            self.broadcast.close()

    def absorb(self, report: Report, orders: int) -> None:
        """Take in a report of the worker and pass it on to whoever watches."""
        with self._lock:
            self._lost = False
            if self._archived:  # its course is known, and nothing can be new
                return
            if report.step > self.step:
                self._losses = []
            self.history.absorb(report)
            self.step = report.step
            if orders >= self._orders:
                self._status = report.status
                if report.reason is not None or report.status != "failed":  # a failed run is resumed without a reason
                    self._reason = report.reason
                self._away = self._away and report.status == "paused"
            self._progress = {name: getattr(report, name) for name in self._progress}
            self.broadcast.tell(report.start, snapshots=report.snapshots is not None)

    def _order(self, action: Action) -> None:
        self._orders += 1
        self._status = after(self._status, action, steps_left=self.steps_left > 0)
        self._tell("control", action=action, orders=self._orders)

    def _course(self) -> dict[str, Any]:
        """What :class:`core.inference.checkpoint.Course` holds, as far as the worker has told."""
        with self._lock:
            history = self.history
            return {
                "loss": list(history.loss),
                "learning_rate": list(history.learning_rate),
                "evaluations": [one for one in history.evaluations if one["step"] > 0],
                "tokens": self._progress["tokens"],
            }

    def _tell(self, operation: str, **details: Any) -> None:
        self.worker.send(self._message(operation, **details))

    def _message(self, operation: str, **details: Any) -> Message:
        return {"operation": operation, "run": self.id} | details

    def _state(self) -> dict[str, Any]:
        state = {"step": self.step, "steps": self.settings.steps, "status": self.status, "reason": self.reason}
        return state | self._progress | {"from_file": self.checkpoint is not None}
