"""What runs have come to, and in which settings they differ: numbers and words, nothing drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.experiments import find
from core.figures.numbers import LARGE, power
from core.runs.run import Run
from core.settings import Setting, Value, describe
from core.ui.language import _

UNCOMPARED = ("steps",)  # how far a run is has columns of its own


def training_loss(run: Run) -> float | None:
    """The loss of the newest step."""
    return run.history.loss[-1] if run.history.loss else run.loss


def newest(run: Run, measure: str) -> float | None:
    """The newest value of what is measured now and then; None where it never was."""
    return next((one[measure] for one in reversed(run.history.evaluations) if measure in one), None)


def metric_of(experiment: str) -> str:
    """The first measure of an experiment beyond the losses; "" when it has none."""
    return next(iter(find(experiment).metrics), "")


def compared(run: Run) -> list[Setting]:
    """The settings by which runs are told apart."""
    return [one for one in describe(run.settings) if one.linked and one.name not in UNCOMPARED]


def differing(runs: Sequence[Run]) -> list[Setting]:
    """The settings in which runs of one experiment are not all alike."""
    return [one for one in compared(runs[0]) if len({getattr(run.settings, one.name) for run in runs}) > 1]


def differences(run: Run, runs: Sequence[Run]) -> str:
    """What is special about a run among all of its experiment, in words; "" when nothing is."""
    alike = [one for one in runs if one.experiment == run.experiment]
    said = (f"{_(one.label)} {value_words(one, getattr(run.settings, one.name))}" for one in differing(alike))
    return _(", ").join(said)


def value_words(one: Setting, value: Value) -> str:
    """The value of a setting, as a person reads it."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if one.choices:
        return _(one.choices[str(value)])
    return f"{value:g}" if isinstance(value, float) else str(value)


def number_words(value: float | None) -> str:
    """A loss or a share in three digits that count; a dash where there is none."""
    if value is None:
        return "–"
    if abs(value) < 1e-4:
        return "< 0.0001"
    return f"{value:#.3g}" if abs(value) < 100 else f"{value:.0f}" if abs(value) < LARGE else power(value)


def time_words(seconds: float) -> str:
    """How long a run has trained; a dash where that is not known."""
    if seconds <= 0:
        return "–"
    if seconds < 60:
        return _("{seconds} s", seconds=round(seconds, 1))
    return _("{minutes} min {seconds} s", minutes=int(seconds // 60), seconds=round(seconds % 60))


def measures(runs: Sequence[Run]) -> dict[str, str]:
    """What can be drawn of runs: measure -> its name."""
    names: dict[str, Any] = {"training_loss": _("training loss")}
    if any(newest(run, "held_out_loss") is not None or getattr(run.settings, "held_out", 1) for run in runs):
        names["held_out_loss"] = _("held-out loss")
    for run in runs:
        names |= {name: _(label) for name, label in find(run.experiment).metrics.items()}
    return names
