"""What an exercise is made of, and what it finds when it looks at the learner's runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.settings import Value
from core.ui.lessons import record
from core.ui.lessons.probes import Probes, Request
from core.ui.lessons.record import Record
from core.ui.words import Sentence

Cell = str | Sentence


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What an exercise may look at: the runs of this tab that are over, oldest first, and the one on screen."""

    records: Sequence[Record]
    now: Record | None
    probes: Probes


@dataclass(frozen=True)
class Todo:
    """One thing that has to be done, and whether it has been."""

    task: Sentence
    done: bool


@dataclass(frozen=True)
class Table:
    """Measured numbers: marked strings or sentences as headings, then rows of cells."""

    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What was found: what is still to do, what was measured, which choice it bears out, and why."""

    todo: tuple[Todo, ...]
    setup: Mapping[str, Value] = field(default_factory=dict)  # settings of the next run to train
    table: Table | None = None
    answer: str | None = None  # the code of the choice that the measurement bears out; None: not measured yet
    why: Sentence | None = None
    hint: Sentence | None = None  # what else could be measured

    @property
    def done(self) -> bool:
        """Whether everything has been measured."""
        return self.answer is not None


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A question about what a model will do. The learner predicts, runs it, and reads what came out."""

    name: str
    title: str
    question: str
    choices: Mapping[str, str]  # code -> words
    find: Callable[[Evidence], Finding]
    asks: tuple[Request, ...] = ()  # what a trained model on screen is asked once the prediction is made
    keeps: tuple[Request, ...] = ()  # what every run is asked when it ends, so that it can be compared later
    by_hand: Mapping[str, Sequence[Value]] = field(default_factory=dict)  # view settings to try on the page


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One of the runs that an exercise compares: the settings it has, and what is said to the learner."""

    settings: Mapping[str, Value]
    task: Sentence

    def has(self, settings: Any) -> bool:
        """Whether these settings are of this arm."""
        return all(same(getattr(settings, name), value) for name, value in self.settings.items())


def comparison(evidence: Evidence, arms: Sequence[Arm]) -> tuple[list[Record], Finding]:
    """The runs found so far, in the order of the arms, and what is still to do before they can be compared."""
    found = record.compared(evidence.records, *_varied(arms))
    missing = [arm for arm in arms if not any(arm.has(one.settings) for one in found)]
    setup: dict[str, Value] = {}
    if missing:
        if found:  # everything else as in the run that it will be compared with
            setup |= record.comparable(found[-1].settings, ())
        setup |= missing[0].settings
    return found, Finding(todo=tuple(Todo(arm.task, arm not in missing) for arm in arms), setup=setup)


def _varied(arms: Sequence[Arm]) -> tuple[set[str], list[Callable[[Any], bool]]]:
    return {name for arm in arms for name in arm.settings}, [arm.has for arm in arms]


def same(one: Any, other: Any) -> bool:
    """Whether two values of a setting are the same: sliders add their steps up to 0.30000000000000004."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) < 1e-9
    return bool(one == other)


def percent(share: float) -> str:
    """A share as it is read out."""
    return f"{points(share)}%"


def points(share: float) -> str:
    """A difference of shares in percentage points."""
    return f"{100 * share:.0f}" if share in (0.0, 1.0) else f"{100 * share:.1f}"


def nats(loss: float | None) -> str:
    """A loss as it is read out."""
    return "–" if loss is None else f"{loss:.3f}" if abs(loss) < 0.1 else f"{loss:.2f}"
