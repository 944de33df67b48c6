"""The words of the component ``overlay``, in the language on screen."""

from __future__ import annotations

from typing import Any

from core.experiments import catalogue
from core.figures.overlay import OverlayWords
from core.ui.components.curve.words import status_words
from core.ui.components.plotly_words import plotly_words
from core.ui.language import _


def measure_words(metric: str, experiment: str) -> str:
    """What a measure is called: by the experiment, if it has it, or by any that does."""
    if metric == "training_loss":
        return _("training loss")
    if metric == "held_out_loss":
        return _("held-out loss")
    first = catalogue().get(experiment)
    known = [first, *catalogue().values()] if first else list(catalogue().values())
    return next((_(one.metrics[metric]) for one in known if metric in one.metrics), metric)


def overlay_words(measure: str) -> OverlayWords:
    """The words inside the chart."""
    return OverlayWords(step=_("step"), measure=measure)


def labels(measure: str) -> dict[str, Any]:
    """Everything that the browser writes around the chart. Places in braces are filled there."""
    return {
        "measure": measure,
        "steps_axis": _("step"),
        "tokens_axis": _("tokens read"),
        "by_tokens": _("tokens on x"),
        "by_tokens_help": _(
            "Count what the model has read instead of steps: runs with other batch sizes compare fairly."
        ),
        "logarithmic": _("log loss"),
        "logarithmic_help": _("A logarithmic axis: small losses come apart."),
        "step_of": _("{step} of {steps}"),
        "hide": _("Show or hide this line"),
        "empty": _("Nothing has been measured yet."),
        "fact": _("{measure} of {count} runs: {runs}"),
        "fact_run": _("{name} {value} at step {step}"),
        "comma": _(", "),
        "save": _("Take away"),
        "take": {"png": _("Picture (PNG)"), "svg": _("Picture (SVG)"), "csv": _("Histories (CSV)")},
        "status": status_words(),
        "plotly": plotly_words(),
    }
