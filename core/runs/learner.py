"""One run inside the Trainer: it takes its steps, remembers its past, and shows itself without being disturbed."""

from __future__ import annotations

import copy
import math
import sys
import time
import traceback
from collections.abc import Mapping
from typing import Any

import torch

from core.data.task import Task
from core.inference.checkpoint import Checkpoint
from core.runs.history import Report
from core.runs.pace import Pace
from core.runs.requests import changed_live
from core.runs.snapshots import Snapshot, Snapshots
from core.runs.status import Action, Status, after
from core.settings import Value, difference
from core.training.build import NonFiniteLoss, Training
from core.training.loop import train

SNAPSHOTS_EVERY = 1.0  # seconds between two lists of snapshots: they are longer than the rest of a report


def about(task: Task, model: torch.nn.Module, settings: Any) -> dict[str, Any]:
    """What never changes of a run: what guesses reach, the size of its model, how many tokens it reads in a step."""
    data = task.training_data()
    length = data.inputs.shape[1] + (0 if data.source is None else data.source.shape[1])
    return {
        "baselines": task.baselines(),
        "parameters": sum(one.numel() for one in model.parameters()),
        "tokens_per_step": settings.batch_size * settings.gradient_accumulation * length,
    }


class Learner:
    """A run's training, its state, and what has happened since its last report.

    ``wanted`` are the settings as they were last changed, ``training.settings`` those of the last step: where they
    differ at the next step, the change takes effect there and is marked.
    """

    def __init__(self, run: str, training: Training, *, snapshot_bytes: int) -> None:
        self.run = run
        self.training = training
        self.wanted = training.settings
        self.status: Status = "ready"
        self.reason: str | None = None
        self.loss: float | None = None
        self.pace = Pace()
        self.snapshots = Snapshots(snapshot_bytes)
        self._parameters = list(training.model.parameters())  # the optimizer moves them in place
        self._steps_owed = 0
        self._viewer: torch.nn.Module | None = None
        self._viewed = -1  # the step whose weights the viewer holds
        self._about: dict[str, Any] | None = about(training.task, training.model, self.wanted)  # until it is told
        self._told_snapshots: list[int] = []
        self._told_snapshots_at = -math.inf
        self._clear(time.monotonic())
        self.urgent = True  # what happened cannot wait for the next regular report
        self._snapshot()

    @property
    def active(self) -> bool:
        """Whether it has a step to take."""
        return self.status == "running" or self._steps_owed > 0

    @property
    def steps_left(self) -> int:
        """How many steps its settings leave it."""
        return max(0, int(self.wanted.steps) - self.training.number)

    def go_on(self, status: Status) -> None:
        """Take up the state that the run had before it was resumed, as far as its steps allow."""
        self.status = "running" if status == "finished" and self.steps_left else status
        self._started = self.training.number
        if self._started:
            self._snapshot()

    def control(self, action: Action) -> None:
        """Change the state; an action that means nothing in this state changes nothing."""
        before = self.status
        self.status = after(before, action, steps_left=self.steps_left > 0)
        if action == "step" and self.status == "paused" and before != "running":
            self._steps_owed += 1
        elif action != "step":
            self._steps_owed = 0
        self.urgent = True
        if self.status == "running" and not self.steps_left:
            self._finish()
        if not self.active:
            self.pace.rest()

    def change(self, changes: Mapping[str, Value]) -> None:
        """Change live settings from the next step on. Raises :class:`core.settings.SettingError`."""
        self.wanted = changed_live(self.wanted, changes)
        self.urgent = True

    def step(self) -> None:
        """Take one step. Whatever goes wrong ends this run alone."""
        self.pace.begin(time.monotonic())
        try:
            self._step()
        except NonFiniteLoss:
            self._fail("non_finite_loss")
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self._fail("error")

    def _step(self) -> None:
        self._apply()
        step = next(train(self.training), None)
        if step is not None:
            self.pace.step(time.monotonic())
            self.loss = step.loss
            self._losses.append(step.loss)
            self._learning_rates.append(step.learning_rate)
            metrics = {name: value for name, value in step.metrics.items() if math.isfinite(value)}
            if metrics:
                self._evaluations.append({"step": step.number} | metrics)
            self._snapshot()
        if self._steps_owed:
            self._steps_owed -= 1
            self.urgent = True
            if not self._steps_owed:
                self.pace.rest()
        if not self.steps_left:
            self._finish()

    def view(self, step: int | None) -> Checkpoint:
        """The model as it was after ``step`` (or the newest snapshot before it), in evaluation mode.

        The model in training is never handed out: one copy is made at the first look and refreshed at later ones.
        """
        if self._viewer is None:
            self._viewer = copy.deepcopy(self.training.model).eval().requires_grad_(False)
        seen = self._past(step) or self._present()
        if seen.step != self._viewed:
            seen.put(list(self._viewer.parameters()))
            self._viewed = seen.step
        return Checkpoint(
            experiment=self.training.experiment,
            settings=seen.settings,
            step=seen.step,
            loss=seen.loss,
            task=self.training.task,
            model=self._viewer,
        )

    def report(self, now: float) -> Report:
        """Everything since the last report."""
        report = Report(
            run=self.run,
            start=self._started,
            loss=self._losses,
            learning_rate=self._learning_rates,
            evaluations=self._evaluations,
            marks=self._marks,
            step=self.training.number,
            steps=self.wanted.steps,
            status=self.status,
            reason=self.reason,
            tokens=self.training.tokens,
            steps_per_second=self.pace.per_second,
            seconds=self.pace.seconds,
            seconds_left=self.pace.left(self.steps_left),
            about=self._about,
            snapshots=self._other_snapshots(now),
        )
        self._about = None
        self._clear(now)
        return report

    def due(self, now: float, every: float) -> bool:
        """Whether something should be reported."""
        return self.urgent or (bool(self._losses) and now - self._reported >= every)

    def _other_snapshots(self, now: float) -> list[int] | None:
        """The steps that have snapshots, if they are others than told; while it runs not more than once a second."""
        if self.active and now - self._told_snapshots_at < SNAPSHOTS_EVERY:
            return None
        kept = [one.step for one in self.snapshots.kept]
        if kept == self._told_snapshots:
            return None
        self._told_snapshots, self._told_snapshots_at = kept, now
        return kept

    def _clear(self, now: float) -> None:
        self._losses: list[float] = []
        self._learning_rates: list[float] = []
        self._evaluations: list[dict[str, float]] = []
        self._marks: list[dict[str, Any]] = []
        self._started = self.training.number
        self._reported = now
        self.urgent = False

    def _apply(self) -> None:
        """Let changed settings take effect, each with a mark at the step that comes."""
        for name, (_, value) in difference(self.training.settings, self.wanted).items():
            self._marks.append({"step": self.training.number + 1, "setting": name, "value": value})
        self.training.settings = self.wanted

    def _past(self, step: int | None) -> Snapshot | None:
        """The snapshot to look at; None for the present."""
        if step is not None and step < self.training.number:
            return self.snapshots.at(step)
        if self.status == "failed" and not self._present().sound:
            return next((one for one in reversed(self.snapshots.kept) if one.sound), None)
        return None

    def _present(self) -> Snapshot:
        return Snapshot.take(self.training.number, self.loss, self.training.settings, self._parameters)

    def _snapshot(self) -> None:
        if self.snapshots.wants(self.training.number):
            self.snapshots.add(self._present())

    def _finish(self) -> None:
        self.status = "finished"
        self._end()

    def _fail(self, reason: str) -> None:
        self.status, self.reason = "failed", reason
        self._end()

    def _end(self) -> None:
        self._steps_owed = 0
        self.urgent = True
        self.pace.rest()
