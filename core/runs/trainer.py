"""The Trainer: holds many runs in one thread and lets them learn in turns.

A plain class that knows nothing of processes, pages or pipes: the command line, the tests and every worker process hold
one. Nothing happens between two calls of :meth:`Trainer.advance`, so whoever holds it decides when to listen.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import save_file

from core.experiments import find
from core.experiments.pretrained import PRETRAINED
from core.inference import checkpoint, pretrained
from core.inference.checkpoint import Checkpoint, Course
from core.inference.generation import generate
from core.inference.losses import Losses
from core.runs.findings import Findings
from core.runs.history import Report
from core.runs.labs import lab_frame
from core.runs.learner import Learner, about
from core.runs.looks import look_frame, maps_frame, past_frame
from core.runs.requests import GenerateRequest, LabRequest, LookRequest, NoRun, PastRequest
from core.runs.status import Action, Status
from core.runs.studying import Studying
from core.runs.wire import finite
from core.settings import N_, SettingError, Value, changed, values
from core.training.build import build

SNAPSHOT_BYTES = 24 << 20  # of a run: about fifty snapshots of MiniGPT
ALL_SNAPSHOT_BYTES = 128 << 20  # of all runs together; when there are many, each keeps fewer
MOST_OPEN = 4  # files of archived runs whose models are held, so that the next look at them need not read again
REPORT_EVERY = 0.1  # seconds between two reports of a run
FINDINGS_EVERY = 0.2  # and of a study
SLICE = 0.03  # seconds that a run may keep its turn


class Trainer:
    """Runs by their names. Only what is called moves; nothing here starts a thread."""

    def __init__(self, *, snapshot_bytes: int = SNAPSHOT_BYTES, report_every: float = REPORT_EVERY) -> None:
        self._snapshot_bytes = snapshot_bytes
        self._report_every = report_every
        self._learners: dict[str, Learner] = {}
        self._loaded: dict[str, Checkpoint] = {}
        self._files: dict[str, Path] = {}  # of archived runs, which are read when they are looked at
        self._open: dict[str, Checkpoint] = {}  # the last few of them
        self._losses: dict[str, Losses] = {}  # of runs that were looked at
        self._studies: dict[str, Studying] = {}
        self._turns: deque[str] = deque()  # of runs that learn and of studies
        self._reports: list[Report] = []  # of checkpoints: they have one only

    @property
    def busy(self) -> bool:
        """Whether :meth:`advance` would do anything."""
        turns: list[Learner | Studying] = [*self._learners.values(), *self._studies.values()]
        return bool(self._reports) or any(one.active or one.urgent for one in turns)

    def start(
        self,
        run: str,
        experiment: str,
        settings: Mapping[str, Value],
        *,
        resume: Path | None = None,
        status: Status = "ready",
    ) -> None:
        """Build a run, or build it and go on from the file that :meth:`keep` wrote, in the state it had.

        Raises :class:`SettingError` when the settings do not fit together.
        """
        wanted = changed(find(experiment).settings(), settings)
        if resume is None:
            learner = Learner(run, build(find(experiment), wanted), snapshot_bytes=self._snapshot_bytes)
        else:
            learner = self._resumed(run, resume)
        learner.wanted = wanted
        learner.go_on(status)
        self.drop(run)
        self._learners[run] = learner
        self._turns.append(run)
        self._share_memory()

    def control(self, run: str, action: Action) -> None:
        """Train, pause, take one step, or stop for good. What means nothing in the run's state does nothing."""
        self._learner(run).control(action)

    def change(self, run: str, changes: Mapping[str, Value]) -> None:
        """Change live settings from the next step on. Raises :class:`SettingError`, where a setting is not live too."""
        self._learner(run).change(changes)

    def look(self, run: str, request: LookRequest) -> bytes:
        """What the run's model makes of a text, as a frame (see :mod:`core.runs.wire`)."""
        losses = self._losses.setdefault(run, Losses())
        return look_frame(run, self._status(run), self._view(run, request.step), request, losses)

    def lab(self, run: str, request: LabRequest) -> bytes:
        """Attention's formula in one head of the run's model, as a frame (see :mod:`core.runs.labs`)."""
        return lab_frame(run, self._status(run), self._view(run, request.step), request)

    def maps(self, run: str, request: LookRequest) -> bytes:
        """Every map of a look with its exact weights, as a frame (see :mod:`core.runs.wire`)."""
        return maps_frame(run, self._view(run, request.step), request)

    def past(self, run: str, request: PastRequest) -> bytes:
        """What the run's model made of a text at several steps, as a frame (see :mod:`core.runs.wire`)."""
        return past_frame(run, partial(self._view, run), request)

    def generate(self, run: str, request: GenerateRequest) -> dict[str, Any]:
        """Let the run's model write. Raises :class:`SettingError` when it is none that writes."""
        seen = self._view(run, request.step)
        if not seen.experiment.generates:
            raise SettingError(N_("{name} does not write texts"), name=seen.experiment.title)
        return {"step": seen.step} | generate(seen.model, seen.task, seen.settings, request)

    def export(self, run: str, path: Path, course: Mapping[str, Any] | None = None) -> None:
        """Write the newest weights as a checkpoint, with the ``course`` that led to them where it reaches so far.

        ``course`` has the fields of :class:`core.inference.checkpoint.Course`; what came after the weights is left out.
        """
        seen = self._view(run, None)
        weights = seen.model.state_dict()
        led = None if course is None else _until(seen.step, Course(**course))
        checkpoint.save(path, seen.experiment, seen.settings, weights, seen.step, finite(seen.loss), led)

    def archive(self, run: str, path: Path, course: Mapping[str, Any] | None = None) -> None:
        """End a run: its newest weights go into a file, and nothing else of it is held."""
        self.export(run, path, course)
        self.shelve(run, path)

    def shelve(self, run: str, path: Path) -> None:
        """Take up a run that was archived, without reading its file before somebody looks at it."""
        self.drop(run)
        self._files[run] = path

    def load(self, run: str, path: Path) -> None:
        """Make a checkpoint, or a folder that holds a pre-trained model, a run that can be looked at.

        Raises :class:`SettingError` when it is neither.
        """
        loaded = pretrained.load(path) if path.is_dir() else checkpoint.load(path)
        self.drop(run)
        self._loaded[run] = loaded
        self._reports.append(_of_checkpoint(run, loaded))

    def study(self, study: str, name: str, options: Mapping[str, Any], run: str | None = None) -> None:
        """Begin a study (:mod:`core.studies`), of a run's newest model where one is named.

        It takes its turns as runs do. Raises :class:`SettingError` when there is no study of that name.
        """
        seen = None if run is None else self._view(run, None)
        if seen is not None:  # looks go on meanwhile, and move the model that they are shown
            seen = dataclasses.replace(seen, model=copy.deepcopy(seen.model))
        begun = Studying(study, name, options, seen)
        self.drop(study)
        self._studies[study] = begun
        self._turns.append(study)

    def findings(self) -> list[Findings]:
        """What studies have to report; one that has ended is forgotten with its last report."""
        now = time.monotonic()
        due = [one for one in self._studies.values() if one.due(now, FINDINGS_EVERY)]
        told = [one.report(now) for one in due]
        for one in due:
            if not one.active:
                self.drop(one.study)
        return told

    def keep(self, run: str, path: Path) -> None:
        """Write all that the run's next step depends on, for :meth:`start` to resume from."""
        learner = self._learner(run)
        about = {
            "experiment": learner.training.experiment.name,
            "settings": values(learner.training.settings),
            "loss": learner.loss,
            "seconds": learner.pace.seconds,
        }
        unfinished = path.with_suffix(".unfinished")
        save_file(learner.training.state(), unfinished, metadata={"resume": json.dumps(about)})
        unfinished.replace(path)

    def drop(self, run: str) -> None:
        """Forget a run or a study and free its memory; there need not be one."""
        if (study := self._studies.pop(run, None)) is not None:
            study.close()
        self._learners.pop(run, None)
        self._loaded.pop(run, None)
        self._files.pop(run, None)
        self._open.pop(run, None)
        self._losses.pop(run, None)
        if run in self._turns:
            self._turns.remove(run)
            self._share_memory()

    def advance(self, seconds: float = SLICE, *, interrupted: Callable[[], bool] = lambda: False) -> list[Report]:
        """Let the run whose turn it is take steps for so many seconds, at least one; return the reports that are due.

        A study (see :meth:`findings`) goes on in its turn as a run does.

        ``interrupted`` is asked between steps; a run that is interrupted ends its turn early.
        """
        learner = self._next()
        if learner is not None:
            end = time.monotonic() + seconds
            while learner.active:
                learner.step()
                if time.monotonic() >= end or interrupted():
                    break
        now = time.monotonic()
        due = [one.report(now) for one in self._learners.values() if one.due(now, self._report_every)]
        reports, self._reports = self._reports + due, []
        return reports

    def _share_memory(self) -> None:
        share = ALL_SNAPSHOT_BYTES // max(1, len(self._learners))
        for learner in self._learners.values():
            learner.snapshots.limit(min(self._snapshot_bytes, share))

    def _next(self) -> Learner | Studying | None:
        for _ in range(len(self._turns)):
            self._turns.rotate(-1)
            name = self._turns[-1]
            learner = self._learners.get(name) or self._studies[name]
            if learner.active:
                return learner
        return None

    def _learner(self, run: str) -> Learner:
        if run not in self._learners:
            raise NoRun(run)
        return self._learners[run]

    def _status(self, run: str) -> Status:
        return "stopped" if run in self._loaded or run in self._files else self._learner(run).status

    def _view(self, run: str, step: int | None) -> Checkpoint:
        if run in self._files:
            return self._read(run)
        return self._loaded[run] if run in self._loaded else self._learner(run).view(step)

    def _read(self, run: str) -> Checkpoint:
        """An archived run's checkpoint. The one that was looked at longest ago gives way to it."""
        known = self._open.pop(run, None)
        self._open[run] = checkpoint.load(self._files[run]) if known is None else known
        while len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]
        return self._open[run]

    def _resumed(self, run: str, path: Path) -> Learner:
        with safe_open(path, framework="pt") as file:
            about = json.loads(file.metadata()["resume"])
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no dictionary)
        experiment = find(about["experiment"])
        training = build(experiment, changed(experiment.settings(), about["settings"]))
        learner = Learner(run, training, snapshot_bytes=self._snapshot_bytes)
        training.restore(state)
        learner.loss = about["loss"]
        learner.pace.seconds = about["seconds"]
        return learner


def _until(step: int, course: Course) -> Course | None:
    """The course up to a step; None when it does not reach so far."""
    known = len(course.loss)
    if known < step or len(course.learning_rate) != known:
        return None
    return Course(
        loss=course.loss[:step],
        learning_rate=course.learning_rate[:step],
        evaluations=[one for one in course.evaluations if one["step"] <= step],
        tokens=course.tokens * step // max(1, known),
    )


def _of_checkpoint(run: str, loaded: Checkpoint) -> Report:
    course = loaded.course
    return Report(
        run=run,
        start=0,
        loss=course.loss,
        learning_rate=course.learning_rate,
        evaluations=course.evaluations,
        marks=[],
        step=loaded.step,
        steps=loaded.settings.steps,
        status="stopped",
        reason=None,
        tokens=course.tokens,
        steps_per_second=None,
        seconds=0.0,
        seconds_left=None,
        about=_about(loaded),
        snapshots=[loaded.step],
    )


def _about(loaded: Checkpoint) -> dict[str, Any]:
    if loaded.experiment is PRETRAINED:  # nothing is known of its training but the result
        return {"baselines": {}, "parameters": loaded.settings.parameters, "tokens_per_step": None}
    return about(loaded.task, loaded.model, loaded.settings)
