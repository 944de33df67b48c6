"""What is known of a run's course: the reports that arrive in small groups, and the history they add up to."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from core.runs.status import Status


@dataclass(frozen=True, kw_only=True)
class Report:
    """What happened to a run since its last report. ``loss[i]`` is the loss of step ``start + i + 1``."""

    run: str
    start: int
    loss: list[float]
    learning_rate: list[float]
    evaluations: list[dict[str, float]]  # each with its "step"
    marks: list[dict[str, Any]]  # {"step", "setting", "value"}: the first step that had the new value
    step: int
    steps: int
    status: Status
    reason: str | None
    tokens: int
    steps_per_second: float | None
    seconds: float
    seconds_left: float | None
    about: dict[str, Any] | None = None  # what never changes of a run (see :class:`History`): in its first report only
    snapshots: list[int] | None = None  # the steps that can be looked back at; only when they are others than before

    def to_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return dataclasses.asdict(self)


@dataclass(kw_only=True)
class History:
    """The course of a run from its first step on.

    A run that was resumed reports from an earlier step again: what had come after it is cut off, and ``cuts`` counts
    that, so that a reader knows that its place is no longer good.

    ``about`` is what never changes: ``baselines``, ``parameters`` (how many the model has), ``tokens_per_step``.
    """

    loss: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    evaluations: list[dict[str, float]] = field(default_factory=list)
    marks: list[dict[str, Any]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    snapshots: list[int] = field(default_factory=list)
    cuts: int = 0

    def absorb(self, report: Report) -> None:
        """Append a report, which may begin before the end."""
        if report.start < len(self.loss):
            self.cuts += 1
            del self.loss[report.start :], self.learning_rate[report.start :]
            self.evaluations = [one for one in self.evaluations if one["step"] <= report.start]
            self.marks = [one for one in self.marks if one["step"] <= report.start]
        self.loss += report.loss
        self.learning_rate += report.learning_rate
        self.evaluations += report.evaluations
        self.marks += report.marks
        self.about = self.about if report.about is None else report.about
        self.snapshots = self.snapshots if report.snapshots is None else report.snapshots

    def since(self, step: int) -> dict[str, Any]:
        """What came after a step, as the stream tells it."""
        start = min(step, len(self.loss))
        return {
            "from": start,
            "loss": self.loss[start:],
            "learning_rate": self.learning_rate[start:],
            "evaluations": [one for one in self.evaluations if one["step"] > start],
            "marks": [one for one in self.marks if one["step"] > start],
        }
