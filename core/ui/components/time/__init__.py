"""The scrubber: any sentence through any earlier step of the run, by hand or played, without asking Python.

It sets the moment that the page looks at, which the curve, the maps and the biographies of the heads follow in the
browser.
"""

from __future__ import annotations

from typing import Any

from core.experiments import Experiment
from core.figures.curve import margins
from core.runs.run import Run
from core.ui.components import load_component
from core.ui.components.time.words import labels
from core.ui.language import language


def scrubber(run: Run | None, *, experiment: Experiment, key: str = "time") -> Any:
    """Draw the scrubber of a run, its track beneath the axis of steps of the run's :func:`curve`."""
    data = {
        "run": None if run is None else {"id": run.id, "step": run.step, "steps": int(run.settings.steps)},
        "margins": margins(next(iter(experiment.metrics), "")),
        "language": language(),
        "labels": labels(),
    }
    return load_component("time")(key=key, data=data)
