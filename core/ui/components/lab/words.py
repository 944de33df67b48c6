"""The words of the component ``lab``, in the language on screen. Formulas are the same in every language."""

from __future__ import annotations

from typing import Any

from core.experiments import Experiment
from core.notices import SENTENCES
from core.settings import setting
from core.ui.language import _


def labels(experiment: Experiment, settings: Any) -> dict[str, Any]:
    """Everything that the browser writes. Places in braces are filled there."""
    sentence = setting(experiment.view, "prompt")
    return {
        "sentence": _(sentence.label),
        "help": _(sentence.help),
        "example": _("Example"),
        "save": _("Take away"),
        "take": {
            "png": _("Picture (PNG)"),
            "svg": _("Picture (SVG)"),
            "csv": _("Numbers (CSV)"),
            "title": _("{step} · {layer}, head {head}"),
        },
        "masked": _("masked"),
        "stamp": _("step {step} · loss {loss} · seed {seed}"),
        "stamp_without_loss": _("step {step} · seed {seed}"),
        "waiting": _("Waiting for the model …"),
        "troubles": _troubles(),
        "notices": {code: _(message) for code, message in SENTENCES.items()},
        "finder": _finder(),
        "steps": _steps(),
        **_maps(),
        "spelled": _spelled(),
        "changed": _changed(experiment.answers),
        "laws": _laws(),
        **_streams(settings),
    }


def _streams(settings: Any) -> dict[str, Any]:
    """The rows of tokens of an encoder–decoder, its three kinds of attention and what it writes."""
    cross = [
        _("Cross-attention: queries are of the target (Y), keys and values of the source (X)."),
        _(
            "Nothing of the source comes later than a written token, so there is no causal mask here; the switch acts"
            " in the decoder's own attention, which these queries come from."
        ),
    ]
    if getattr(settings, "positions", "none") in ("rope", "alibi"):
        cross.append(_("This model's positions act inside self-attention, so none are added here."))
    from_the_right = getattr(settings, "exercise", "") == "add" and settings.answer == "reversed"
    return {
        "layer": _("layer {layer}"),
        "layer_kinds": {
            "source-source": _("encoder {layer}"),
            "target-target": _("decoder {layer}"),
            "target-source": _("cross {layer}"),
        },
        "streams": {"source": _("Source: what is read"), "target": _("Target: what is written")},
        "kinds": {
            "source-source": _(
                "Encoder: queries, keys and values are of the source (X). An encoder reads in both directions, so the"
                " causal mask's switch does nothing here."
            ),
            "target-target": _(
                "Decoder: queries, keys and values are of the target (Y), what the model itself has written so far;"
                " from each token it goes on to the next."
            ),
            "target-source": " ".join(cross),
        },
        "answered": {
            "hit": _("Written from the right: {answer} ✓") if from_the_right else _("Written: {answer} ✓"),
            "missed": (
                _("Written from the right: {answer} · correct: {right}")
                if from_the_right
                else _("Written: {answer} · right: {right}")
            ),
        },
    }


def _troubles() -> dict[str, str]:
    return {
        "unreachable": _("The server cannot be reached. The maps show the last answer; it is asked again."),
        "busy": _("The model is busy. The maps show the last answer; it is asked again."),
        "worker_gone": _("The process that holds this model has died. The run is being taken up again."),
        "no_run": _("This run is no longer there. Choose another model; your sentence is kept."),
        "no_run_yet": _("There is no run to look at."),
        "bad_request": _("The server did not understand the question: {message}"),
    }


def _finder() -> dict[str, str]:
    return {
        "ask": _("Which head sends"),
        "to": _("to"),
        "query": _("Query: the token that looks"),
        "key": _("Key: the token that is looked at"),
        "overview": _("Weight of {query} to {key} in every head: rows are layers, columns heads"),
        "best": _("The heads that send most of {query} to {key}"),
        "head": _("{layer} · head {head}"),
        "choose": _("Show {layer}, head {head}: it gives {weight}"),
        "even": _("spread evenly: {share}"),
        "masked": _("masked: no head may look there"),
        "other": _("joins other tokens"),
    }


def _steps() -> dict[str, str]:
    return {
        "query": _("Queries"),
        "key": _("Keys"),
        "value": _("Values"),
        "scores": _("Scores"),
        "scaled": _("Scaled"),
        "masked": _("Masked"),
        "weights": _("Softmax"),
        "weighted": _("Weighted values"),
        "mixed": _("Output"),
        "share": _("Head's share"),
    }


def _maps() -> dict[str, Any]:
    return {
        "formula": _("The formula of attention, as {layer}, head {head} computes it"),
        "not_scaled": _("not scaled"),
        "no_mask": _("no mask"),
        "each_row": _("in each row"),
        "of_query": _("of the query {query}"),
        "number": _("{token}, number {place}: {value}"),
        "numbers": _("{count} numbers"),
        "fact": _("{step}: {rows} × {columns} numbers from {low} to {high}. {cell}"),
        "keys_help": _("Arrow keys choose another cell"),
        "of_heads": _("{layer}, head {head}: {weight}"),
    }


def _spelled() -> dict[str, str]:
    return {
        "title": _("{query} ({query_position}) → {key} ({key_position}), in numbers"),
        "terms": _("The dot product, term by term: query number × key number"),
        "sum": _("Score: the sum of the {count} products"),
        "scaled": _("Scaled: times 1/√{width} = {scale}"),
        "not_scaled": _("Not scaled: times 1"),
        "open": _("Mask: {query} may look at {key}"),
        "closed": _("Mask: {key} comes after {query}, so −∞ takes the place of the score"),
        "softmax": _("Softmax: e to this score, divided by the sum of e to every score of the row"),
        "shifted": _("(all scores lowered by the row's largest, {largest}: the weights stay the same)"),
        "value": _("So the output of {query} has {weight} of the value of {key}"),
    }


def _changed(answers: bool) -> dict[str, str]:
    return {
        "what": _("Changed: {what}. The model was not trained like this, and every layer computes with the change."),
        "causal_mask_on": _("with a causal mask"),
        "causal_mask_off": _("without the decoder's causal mask") if answers else _("without the causal mask"),
        "scaled_on": _("scaled by 1/√d_k"),
        "scaled_off": _("scores not scaled"),
        "positions_on": _("with positions"),
        "positions_off": _("without positions"),
    }


def _laws() -> dict[str, str]:
    return {
        "row_sums": _("every row sums to 1 (largest error {error})"),
        "future": _("the future has weight {error}"),
        "weights": _("softmax of the masked scores gives the weights that the pass used (largest difference {error})"),
        "output": _("weights × V is the head's output (largest difference {error})"),
        "sum": _("the products add up to the score (difference {error})"),
    }
