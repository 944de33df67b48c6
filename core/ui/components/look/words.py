"""The words of the component ``look``, in the language on screen."""

from __future__ import annotations

from typing import Any

from core.experiments import Experiment
from core.figures.attention import MapWords
from core.figures.bars import BarWords
from core.settings import setting
from core.ui.components.plotly_words import plotly_words
from core.ui.language import _


def map_words() -> MapWords:
    """The words inside the maps."""
    return MapWords(query=_("query"), key=_("key"), weight=_("weight"), masked=_("masked"), head=_("Head {head}"))


def bar_words() -> BarWords:
    """The words inside the bars."""
    return BarWords(probability=_("probability"))


def labels(experiment: Experiment) -> dict[str, Any]:
    """Everything that the browser writes around the figures. Places in braces are filled there."""
    sentence = setting(experiment.view, "prompt")
    return {
        "sentence": _(sentence.label),
        "help": _(sentence.help),
        "save": _("Save as an image"),
        "masked": _("masked"),
        "troubles": _troubles(),
        "notices": _notices(),
        "plotly": plotly_words(),
        **_shown(),
        **_maps(),
        **_predictions(),
        **_writing(),
        **_laws(),
    }


def _shown() -> dict[str, str]:
    return {
        "stamp": _("step {step} · loss {loss} · seed {seed}"),
        "stamp_without_loss": _("step {step} · seed {seed}"),
        "waiting": _("Waiting for the model …"),
    }


def _troubles() -> dict[str, str]:
    return {
        "unreachable": _("The server cannot be reached. The maps show the last answer; it is asked again."),
        "busy": _("The model is busy. The maps show the last answer; it is asked again."),
        "worker_gone": _("The process that holds this model has died. The run is being taken up again."),
        "no_run": _("This run is no longer there. Press Reset to begin it anew; your sentence is kept."),
        "no_run_yet": _("There is no run to look at."),
        "bad_request": _("The server did not understand the question: {message}"),
    }


def _notices() -> dict[str, str]:
    return {
        "unknown_characters": _("Not in the vocabulary, so left out: {characters}"),
        "cropped_start": _("The model reads {kept} tokens at once: the first {kept} of {given} are shown."),
        "cropped_end": _("The model reads {kept} tokens at once: the last {kept} of {given} are shown."),
        "text_cut": _("Of {given} characters the first {kept} were sent."),
        "empty": _("There is nothing to read, so the model starts from {start}."),
        "no_such_layer": _("There is no layer {asked}; layer {shown} is shown."),
    }


def _maps() -> dict[str, str]:
    return {
        "grid": _("All heads of layer {layer}: every row is a query, every column a key"),
        "grid_fact": _(
            "Attention of {heads} heads of layer {layer}. Largest weight: head {head}, query {query} to key {key},"
            " {weight}"
        ),
        "head_scaled": _("Head {head} · up to {maximum}"),
        "head_scaled_short": _("{head} · ≤ {maximum}"),
        "choose_head": _("Show head {head} large"),
        "zoom": _("Layer {layer}, head {head}"),
        "largest_cell": _("Largest weight: query {query} ({query_position}) to key {key} ({key_position}): {weight}"),
        "held_cell": _("Chosen: query {query} ({query_position}) to key {key} ({key_position}): {weight}"),
        "crop": _("tokens {first}–{last} of {given}"),
    }


def _predictions() -> dict[str, Any]:
    return {
        "predictions": {
            "class": _("Is there a 3?"),
            "blank": _("What fills the blank at position {position}"),
            "next": _("What comes after “{context}”"),
        },
        "classes": {"no": _("no"), "yes": _("yes")},
        "blank": _("position {position}"),
        "no_blank": _("There is no blank to fill: type _ where a character is missing."),
        "bars_fact": _("The likeliest is {first} with probability {probability}"),
    }


def _writing() -> dict[str, str]:
    return {
        "greedy": _("Written greedily (always the likeliest)"),
        "sampled": _("Drawn with temperature {temperature}"),
        "sampled_of": _("Drawn among the {top_k} likeliest with temperature {temperature}"),
        "recited": _("{recited} of {count} characters recited · step {step}"),
    }


def _laws() -> dict[str, str]:
    return {
        "row_sums": _("every row sums to 1 (largest error {error})"),
        "future": _("the future has weight {error}"),
        "output": _("weights × V is the head's output (largest difference {error})"),
        "untrained": _("untrained: uniform attention would be 1/T = {share}"),
    }
