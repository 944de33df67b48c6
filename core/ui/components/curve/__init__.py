"""A run's curves, live: the browser follows the run's stream by itself and tells Python when the run has ended."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from core.experiments import Experiment
from core.figures.curve import CurveWords, mark_line, mark_words, reference_line, reference_words
from core.figures.curve import curve as curve_figure
from core.figures.theme import PALETTES
from core.runs.run import Run
from core.settings import describe
from core.ui.components import load_component
from core.ui.components.curve.words import curve_words, labels
from core.ui.components.figures import for_both_themes
from core.ui.language import language


def curve(
    run: Run | None,
    *,
    experiment: Experiment,
    key: str = "loss_chart",
    present: bool = False,
    on_ended: Callable[[], None] = lambda: None,
) -> Any:
    """Draw the progress and the curves of a run; ``present``: large enough for a lecture hall.

    Returns the component's state: ``ended`` is the run's new status in the one script run that follows the end of its
    training (finished, failed, stopped, paused, lost, gone), and None otherwise.
    """
    metric = next(iter(experiment.metrics), "")
    data = {
        "run": None if run is None else _known(run),
        "experiment": experiment.name,
        "metric": metric,
        "present": present,
        "language": language(),
        "labels": labels(experiment),
        "figures": _figures(metric, curve_words(experiment)),
        "lines": _lines(),
    }
    return load_component("curve")(key=key, data=data, on_ended_change=on_ended)


def _known(run: Run) -> dict[str, Any]:
    settings = run.settings
    return {
        "id": run.id,
        "status": run.status,
        "step": run.step,
        "steps": int(settings.steps),
        "held_out": bool(getattr(settings, "held_out", True)),  # what has no such setting draws fresh data
        "settings": {one.name: getattr(settings, one.name) for one in describe(settings) if one.linked},
    }


@cache
def _figures(metric: str, words: CurveWords) -> dict[str, dict[str, Any]]:
    return for_both_themes(curve=lambda palette: curve_figure(metric_name=metric, palette=palette, words=words))


@cache
def _lines() -> dict[str, dict[str, Any]]:
    """What the browser draws as often as there is a reason: theme → what → template."""
    return {
        name: {
            "mark": mark_line(0, palette),
            "mark_words": mark_words(0, "", palette),
            "loss": reference_line(0, palette),
            "loss_words": reference_words(0, "", palette),
            "share": reference_line(0, palette, right=True),
            "share_words": reference_words(0, "", palette, right=True),
        }
        for name, palette in PALETTES.items()
    }
