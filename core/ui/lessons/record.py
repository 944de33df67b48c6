"""What is remembered of a run: how it was set, how far it came, and what was measured at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from core.experiments import find
from core.runs.history import History
from core.runs.run import Run
from core.runs.status import Status
from core.settings import Value, describe

LAST = 20  # steps whose training losses are averaged: a single batch says little


@dataclass(frozen=True, kw_only=True)
class Record:
    """A run at one moment."""

    run: str
    experiment: str
    settings: Any
    status: Status
    step: int
    loss: float | None = None  # the mean training loss of the last steps
    evaluation: Mapping[str, float]  # the newest one
    baselines: Mapping[str, float]
    altered: frozenset[str] = frozenset()  # settings that changed while it was training

    @property
    def complete(self) -> bool:
        """Whether it was trained to its end with the settings it began with, and measured there."""
        measured = find(self.experiment).metrics.keys() <= self.evaluation.keys() and self.loss is not None
        return self.status == "finished" and not self.altered and measured and bool(self.baselines)

    @property
    def trained(self) -> bool:
        """Whether it has learned something and holds still to be looked at."""
        return self.step > 0 and self.status in ("finished", "stopped", "paused")


def of(run: Run) -> Record:
    """The record of a run as it stands now."""
    history: History = run.history
    losses = history.loss[-LAST:]
    return Record(
        run=run.id,
        experiment=run.experiment,
        settings=run.settings,
        status=run.status,
        step=run.step,
        loss=fmean(losses) if losses else None,
        evaluation=dict(history.evaluations[-1]) if history.evaluations else {},
        baselines=dict(history.about.get("baselines", {})),
        altered=frozenset(mark["setting"] for mark in history.marks) - {"steps"},
    )


def compared(records: Sequence[Record], varied: Iterable[str], arms: Sequence[Callable[[Any], bool]]) -> list[Record]:
    """The runs to compare, in the order of the arms; fewer when some are still to be trained.

    An arm says of settings whether they belong to it. Only complete runs count that agree in every setting but the
    ``varied`` ones; of several such sets the fullest is taken, and of equally full ones the newest.
    """
    best: dict[int, Record] = {}
    complete = [one for one in records if one.complete]
    for base in reversed(complete):
        found: dict[int, Record] = {}
        for one in complete:
            if alike(base.settings, one.settings, varied):
                found.update({place: one for place, arm in enumerate(arms) if arm(one.settings)})
        if len(found) > len(best):
            best = found
    return [best[place] for place in sorted(best)]


def alike(one: Any, other: Any, varied: Iterable[str]) -> bool:
    """Whether two groups of settings agree in all but the varied ones. A text of one's own counts where it is used."""
    return comparable(one, varied) == comparable(other, varied)


def comparable(settings: Any, varied: Iterable[str]) -> dict[str, Value]:
    """The settings that runs to be compared have in common."""
    left_out = set(varied)
    if getattr(settings, "corpus", "") != "own":
        left_out |= {one.name for one in describe(settings) if one.kind == "text"}
    return {one.name: getattr(settings, one.name) for one in describe(settings) if one.name not in left_out}
