"""The curves of several runs in one chart, live: one measure, a line a run, each with a name, a colour and a dash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

from core.experiments import find
from core.figures.curve import is_loss
from core.figures.overlay import OverlayWords, line_style
from core.figures.overlay import overlay as overlay_figure
from core.figures.theme import PALETTES
from core.runs.run import Run
from core.ui.components import load_component
from core.ui.components.figures import for_both_themes
from core.ui.components.overlay.words import labels, measure_words, overlay_words
from core.ui.language import _, language

TRAINING_LOSS = "training_loss"  # of every step
HELD_OUT_LOSS = "held_out_loss"  # where something is held out


class Kept(Protocol):
    """A run that the session keeps (:class:`core.ui.session.KeptRun` is one)."""

    @property
    def run(self) -> Run:
        """The run."""


def overlay(
    runs: Sequence[Kept | Run],
    names: Sequence[str],
    metric: str,
    key: str,
    *,
    height: int = 300,
    on_ended: Callable[[], None] = lambda: None,
) -> Any:
    """Draw one measure of several runs over each other, in place, while they train and afterwards.

    ``runs`` may be ready, training, over, archived or even dropped, as long as somebody holds them: the server
    remembers their course. ``names`` are plain words, one a run; they stand in the legend with the run's step and
    newest value, and a click on one hides its line. Lines keep to their places: the run at place 0 is always of the
    first colour and dash (:func:`core.figures.overlay.line_style`). ``metric`` is ``"training_loss"`` (each step faint,
    the moving average strong), ``"held_out_loss"``, or a measure of the runs' experiment (``"prefix_loss"``,
    ``"masked_accuracy"`` …); runs that have no such measure have no line. ``height`` is the chart's, in pixels.

    All overlays of a browser tab share one connection, so a page may have many. Whoever starts the runs keeps them
    alive with ``session.runs().keep(run, name)`` (the heartbeat touches what is kept); ``on_ended`` is called before
    the one script run that follows when the last of the runs shown here has stopped training.

    Returns the component's state: ``ended`` is then the list of their statuses, in the order of ``runs``, else None.
    """
    known = [one if isinstance(one, Run) else one.run for one in runs]
    measure = measure_words(metric, known[0].experiment if known else "")
    data = {
        "runs": [_known(run, name) for run, name in zip(known, names, strict=True)],
        "metric": metric,
        "height": height,
        "language": language(),
        "labels": labels(measure),
        "figures": _figures(overlay_words(measure), not is_loss(metric)),
        "styles": _styles(len(known)),
    }
    return load_component("overlay")(key=key, data=data, on_ended_change=on_ended)


def _known(run: Run, name: str) -> dict[str, Any]:
    title = _(find(run.experiment).title)
    return {"id": run.id, "name": name, "experiment": title, "status": run.status, "steps": int(run.settings.steps)}


@cache
def _figures(words: OverlayWords, share: bool) -> dict[str, dict[str, Any]]:
    return for_both_themes(overlay=lambda palette: overlay_figure(palette=palette, words=words, share=share))


@cache
def _styles(count: int) -> dict[str, list[dict[str, str]]]:
    return {name: [line_style(place, palette) for place in range(count)] for name, palette in PALETTES.items()}
