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
        training=_("each step"),
        smoothed=_("training loss"),
        held_out=_("held-out loss"),
        metric=_(next(iter(experiment.metrics.values()), "")),
        previous=_("previous run"),
        share=_(next(iter(experiment.metrics.values()), "")),
    )


def labels(experiment: Experiment) -> dict[str, Any]:
    """Everything that the browser writes around the chart. Places in braces are filled there."""
    words = curve_words(experiment)
    digits = not hasattr(experiment.settings, "corpus")
    return {
        "training": words.smoothed,
        "held_out": words.held_out,
        "metric": words.metric,
        "step": words.step,
        "steps_axis": words.step,
        "tokens_axis": _("digits read") if digits else _("characters read"),
        "by_tokens": _("digits on x") if digits else _("characters on x"),
        "by_tokens_help": _(
            "Count what the model has read instead of steps: runs with other batch sizes compare fairly."
        ),
        "logarithmic": _("log loss"),
        "logarithmic_help": _("A logarithmic axis: small losses come apart."),
        "smoothed": _("training loss (moving average, {steps} steps)"),
        "smoothed_help": _("Exponential moving average over about {steps} steps."),
        "previous": words.previous,
        "previous_of": _("previous run: {differences}"),
        "parameters": _("{count} parameters"),
        "nothing_held_out": _("nothing is held out"),
        "nothing_held_out_help": _("Nothing is held out: {metric} is measured on the text that is trained on."),
        "baselines": _baselines(),
        "progress": _("Progress of the training"),
        "steps": _("step {step} of {steps}"),
        "pace": _("{pace} steps/s"),
        "left": _("{time} left"),
        "seconds": _("{seconds} s"),
        "minutes": _("{minutes} min {seconds} s"),
        "save": _("Take away"),
        "take": {
            "png": _("Picture (PNG)"),
            "svg": _("Picture (SVG)"),
            "csv": _("History (CSV)"),
            "model": _(experiment.title),
            "loss": _("loss {loss}"),
            "seed": _("seed {seed}"),
        },
        "comma": _(", "),
        "on": _("on"),
        "off": _("off"),
        "not_a_number": _("not a number"),
        "no_steps": _("No step has been trained yet"),
        "empty": _("Press Train, and the loss is drawn here, step by step."),
        "from_file": _("These weights were trained before and come from a file: their curve was not kept."),
        "no_run": _("There is no run to draw yet."),
        "chart_fact": _("Training loss over {steps} steps: from {first} to {last}"),
        "status": status_words(),
        "reasons": _reasons(),
        "settings": {one.name: _(one.label) for one in describe(experiment.settings)},
        "choices": {
            one.name: {code: _(said) for code, said in one.choices.items()}
            for one in describe(experiment.settings)
            if one.choices
        },
        "plotly": plotly_words(),
    }


def _baselines() -> dict[str, str]:
    """What guesses without a model reach: at their lines, and beside the measure that they belong to."""
    return {
        "uniform_loss": _("every character alike: ln V = {value}"),
        "unigram_loss": _("unigram {value}"),
        "bigram_loss": _("bigram {value}"),
        "always_0": _("always answering no: {value}"),
        "always_1": _("always answering yes: {value}"),
        "always": _("always the most frequent character: {value}"),
    }


def status_words() -> dict[str, str]:
    """What a run's status is called."""
    return {
        "ready": _("ready"),
        "running": _("training"),
        "paused": _("paused"),
        "finished": _("finished"),
        "stopped": _("stopped"),
        "failed": _("failed"),
        "lost": _("being resumed"),
        "gone": _("gone"),
        "from_file": _("trained before"),
        "": _("no run"),
    }


def _reasons() -> dict[str, str]:
    return {
        "non_finite_loss": _(
            "At step {next} the loss was no longer a number, so the run ended there. The weights had grown too large"
            " or too far apart to compute with. A lower learning rate and Reset help."
        ),
        "error": _("Training stopped because of an error at step {next}. Reset begins anew."),
        "refused": _("These settings could not be trained with."),
        "away": _("Paused because nobody was looking."),
        "worker_lost": _("The process that trained this run has died; the run goes on from its last saved state."),
        "gone": _("This run is no longer there. Press Reset to begin it anew."),
        "silent": _("The server does not answer; what it does meanwhile will be drawn when it does."),
    }
