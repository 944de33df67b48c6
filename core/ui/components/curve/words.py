"""The words of the component ``curve``, in the language on screen."""

from __future__ import annotations

from typing import Any

from core.experiments import Experiment
from core.figures.curve import CurveWords
from core.settings import describe
from core.ui.components.plotly_words import plotly_words
from core.ui.language import _


def curve_words(experiment: Experiment) -> CurveWords:
    """The words inside the chart."""
    return CurveWords(
        step=_("step"),
        loss=_("loss (nats)"),
        training=_("training loss"),
        held_out=_("held-out loss"),
        metric=_(next(iter(experiment.metrics.values()), "")),
        share=_(next(iter(experiment.metrics.values()), "")),
    )


def labels(experiment: Experiment) -> dict[str, Any]:
    """Everything that the browser writes around the chart. Places in braces are filled there."""
    words = curve_words(experiment)
    return {
        "training": words.training,
        "held_out": words.held_out,
        "metric": words.metric,
        "progress": _("Progress of the training"),
        "steps": _("step {step} of {steps}"),
        "pace": _("{pace} steps/s"),
        "left": _("{time} left"),
        "seconds": _("{seconds} s"),
        "minutes": _("{minutes} min {seconds} s"),
        "save": _("Save as an image"),
        "on": _("on"),
        "off": _("off"),
        "no_steps": _("No step has been trained yet"),
        "chart_fact": _("Training loss over {steps} steps: from {first} to {last}"),
        "status": _status(),
        "reasons": _reasons(),
        "settings": {one.name: _(one.label) for one in describe(experiment.settings) if one.live},
        "plotly": plotly_words(),
    }


def _status() -> dict[str, str]:
    return {
        "ready": _("ready"),
        "running": _("training"),
        "paused": _("paused"),
        "finished": _("finished"),
        "stopped": _("stopped"),
        "failed": _("failed"),
        "lost": _("being resumed"),
        "gone": _("gone"),
    }


def _reasons() -> dict[str, str]:
    return {
        "non_finite_loss": _(
            "The loss was no longer a number, so the run ended; the curve stops before it."
            " A lower learning rate and Reset help."
        ),
        "away": _("Paused because nobody was looking."),
        "worker_lost": _("The process that trained this run has died; the run goes on from its last saved state."),
        "gone": _("This run is no longer there. Press Reset to begin it anew."),
    }
