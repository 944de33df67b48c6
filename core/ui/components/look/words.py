"""The words of the component ``look``, in the language on screen."""

from __future__ import annotations

from typing import Any

from core.experiments import Experiment
from core.figures.attention import MapWords
from core.figures.bars import BarWords
from core.notices import SENTENCES
from core.settings import N_, setting
from core.ui.components.plotly_words import plotly_words
from core.ui.language import _


def map_words() -> MapWords:
    """The words inside the maps."""
    return MapWords(
        query=_("query"),
        key=_("key"),
        weight=_("weight"),
        masked=_("masked"),
        difference=_("weight − uniform"),
    )


def bar_words() -> BarWords:
    """The words inside the bars."""
    return BarWords(probability=_("probability"))


CHIPS = {  # what one does with the tokens of a task
    "core.data.digits:Digits": "digits",
    "core.data.texts:MaskedCharacters": "blanks",
}


def chips(experiment: Experiment) -> str:
    """What the tokens of a model are: digits to change, characters to hide, or plain ones to pick out."""
    return CHIPS.get(experiment.task, "plain")


def labels(experiment: Experiment, question: str = "") -> dict[str, Any]:
    """Everything that the browser writes around the figures. Places in braces are filled there."""
    sentence = setting(experiment.view, "prompt")
    return {
        "sentence": _(sentence.label),
        "help": _(sentence.help),
        "save": _("Take away"),
        "take": _taking(experiment),
        "guess": _guessing(),
        "ablation": _ablation(),
        "masked": _("masked"),
        "troubles": _troubles(),
        "notices": {code: _(message) for code, message in SENTENCES.items()},
        "plotly": plotly_words(),
        **_shown(),
        **_maps(),
        "chips": _chips(),
        "reading": _reading(),
        "answered": _answered(),
        "shares": _shares(),
        **_masks(),
        **_predictions(question),
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


def _maps() -> dict[str, Any]:
    return {
        "grid": _("All heads of layer {layer}: every row is a query, every column a key"),
        "grid_of_streams": _("All heads: rows are queries, columns keys"),
        "grid_fact": _(
            "Attention of {heads} heads of layer {layer}. Largest weight: head {head}, query {query} to key {key},"
            " {weight}"
        ),
        "layer": _("Layer {layer}"),
        "layer_kinds": {
            "source-source": _("Encoder, layer {layer}"),
            "target-target": _("Decoder, layer {layer}"),
            "target-source": _("Decoder → encoder, layer {layer}"),
        },
        "head": _("Head {head}"),
        "left_out": _("left out"),
        "choose_map": _("Show layer {layer}, head {head} large"),
        "head_scaled": _("Head {head} · up to {maximum}"),
        "head_scaled_short": _("{head} · ≤ {maximum}"),
        "choose_head": _("Show head {head} large"),
        "zoom": _("Layer {layer}, head {head}"),
        "large": {
            "head": {"alone": _("Layer {layer}, head {head}"), "with": _("Layer {layer}, head {head} · {mask}")},
            "mean": {
                "alone": _("Layer {layer}, mean of {heads} heads"),
                "with": _("Layer {layer}, mean of {heads} heads · {mask}"),
            },
            "rollout": {
                "alone": _("Rollout up to layer {layer}"),
                "with": _("Rollout up to layer {layer} · {mask}"),
            },
        },
        "largest_cell": _("Largest weight: query {query} ({query_position}) to key {key} ({key_position}): {weight}"),
        "held_cell": _("Chosen: query {query} ({query_position}) to key {key} ({key_position}): {weight}"),
        "crop": _("tokens {first}–{last} of {given}"),
    }


def _answered() -> dict[str, str]:
    """What an encoder–decoder writes."""
    return {
        "group": _("Answer, token by token"),
        "hit": _("Written: {answer} ✓"),
        "missed": _("Written: {answer} · right: {right}"),
        "right": _("Token {place}: {token}, probability {share}"),
        "wrong": _("Token {place}: {token}, probability {share}. Right would be {correct}"),
    }


def _chips() -> dict[str, Any]:
    """The tokens as buttons; ``digits``, ``blanks`` and ``plain`` name one that can be edited or picked out."""
    return {
        "row": _("What the model read, token by token"),
        "digits": _("Digit {token} at position {position}: keys 0–9 and the up and down arrows change it"),
        "blanks": _("{token} at position {position}"),
        "plain": _("{token} at position {position}: shows its row"),
        "special": _("{token}: the model's own token, not part of your text"),
        "blank": _("Blank at position {position}"),
        "hidden": _("Blank at position {position}, where {character} stood"),
        "hints": {
            "digits": _("Click a digit to change it"),
            "blanks": _("A click"),
            "plain": _("Click a character to see its row"),
        },
        "modes": {"hide": _("hides"), "ask": _("asks")},
        "editor": _("Put another digit in this place"),
    }


def _reading() -> dict[str, str]:
    return {
        "direction": _("Which side of the token's attention is read"),
        "outgoing_button": _("looks at"),
        "incoming_button": _("is looked at by"),
        "outgoing": _("What {token} ({position}) looks at, in every head of layer {layer}"),
        "incoming": _("Who looks at {token} ({position}), in every head of layer {layer}"),
    }


def _shares() -> dict[str, str]:
    return {
        "caption": _("Share of attention on the digits {digits}, mean of {sequences} held-out sequences"),
        "help": _("The line marks {uniform}, what attention spread evenly over all tokens would give."),
        "uniform": _("line: spread evenly, {uniform}"),
        "and": _(" and "),
        "layer": _("Layer {layer}"),
        "head": _("Head"),
    }


def _taking(experiment: Experiment) -> dict[str, Any]:
    """What can be taken away, and what a picture or an animation says of itself."""
    words = map_words()
    return {
        "png": _("Picture (PNG)"),
        "svg": _("Picture (SVG)"),
        "csv": _("Data (CSV)"),
        "npz": _("Data (NumPy, NPZ)"),
        "film": _("Animation of the training (HTML)"),
        "no_past": _("There is nothing to play yet: train this model, and its steps can be taken along."),
        "covered": _("The maps are covered: reveal them all first."),
        "collecting": _("Collecting the steps: {have} of {all}"),
        "failed": _("That did not work. Try again in a moment."),
        "model": _(experiment.title),
        "title": "{model} · “{text}”",
        "all_heads": _("every head; chosen: layer {layer}, head {head}"),
        "scale": _("scale {scale}"),
        "scales": {code: _(said) for code, said in (setting(experiment.view, "scale").choices or {}).items()},
        "without_first": _("without the first key"),
        "some_frames": _("{kept} of {all} steps, so that the file stays small"),
        "some_heads": _("{kept} of {all} heads, so that the file stays small"),
        "player": {
            "play": _("Play"),
            "pause": _("Pause"),
            "step": _("step"),
            "at_step": _("step {step} of {last}"),
            "at_loss": _("step {step} of {last} · loss {loss}"),
            "help": _(
                "Space plays and pauses; the left and right arrows go through the steps, up and down through the heads."
            ),
            "point": _("Point at a cell to read its weight."),
            "cell": _("query {query} ({query_position}) to key {key} ({key_position}): {weight}"),
            "query": words.query,
            "key": words.key,
            "weight": words.weight,
            "difference": words.difference,
        },
    }


def _guessing() -> dict[str, str]:
    return {
        "first": _("Guess first"),
        "help": _("The maps are covered: say where a head looks before you see it"),
        "covered": _("Covered until you have guessed"),
        "question": _(
            "Layer {layer}, head {head}: where does the query {query} ({position}) look most? Click a token, or use the"
            " arrow keys and Enter."
        ),
        "right": _(
            "Right: at step {step} the query looks most at {favourite} ({favourite_position}), with weight {largest}."
        ),
        "wrong": _(
            "At step {step} your guess {guess} ({guess_position}) has weight {weight}, rank {rank} of {keys}. The query"
            " looks most at {favourite} ({favourite_position}), with {largest}."
        ),
        "score": _("Score {mean} of 1 over {rounds} rounds"),
        "score_help": _("A guess scores its weight divided by the largest of its row; this is the mean."),
        "impossible": _("There is nothing to guess: no query here has three keys to choose from. Write more."),
        "next": _("Next guess"),
        "all": _("Show all"),
    }


def _ablation() -> dict[str, Any]:
    return {
        "ablate": _("Ablate"),
        "help": _("Silence heads or hide keys, and see what the model does without them"),
        "ticks": _("Heads that take part"),
        "tick": _("Keep layer {layer}, head {head}"),
        "untick": _("Silence layer {layer}, head {head}: its output is set to 0"),
        "invite": _("Untick a head to silence it; pick a token to hide its key."),
        "earlier": _("Earlier steps are kept with all heads and all keys. Go to the newest step to see them ablated."),
        "loss": {
            "whole corpus": _("Loss over the whole training data: {loss} → {loss_without} {taken}"),
            "part of the corpus": _(
                "Loss over an evenly spread part of the training data: {loss} → {loss_without} {taken}"
            ),
        },
        "no_loss": _("Shown {taken}. This model came without training data, so no loss can be measured."),
        "without": _("without {heads}"),
        "head": _("layer {layer} head {head}"),
        "and": _(", "),
        "many": _("{count} of {all} heads"),
        "all": _("any head"),
        "keys": _("with the key at position {positions} hidden"),
        "weight": _(
            "Its largest weight here is {weight}. The weight says where it looks, the loss what the model owes to it."
        ),
        "weights": _(
            "Their largest weights here: {weights}. The weights say where heads look, the loss what the model owes to"
            " them."
        ),
        "weight_of": _("layer {layer} head {head} {weight}"),
        "unhidden": _("The text below is written with every key in sight."),
        "reset": _("Tick all"),
        "hide": _("Hide key {key} ({position})"),
        "unhide": _("Show key {key} ({position}) again"),
        "silent": _("silenced"),
        "outline": _("Outlines: the whole model."),
        "whole": _("whole model"),
        "bars_fact": _(
            "The likeliest is {first} with probability {probability}; with the whole model it is {whole} with"
            " {unablated}"
        ),
    }


def _masks() -> dict[str, str]:
    return {
        "both_masks": _("Both masks"),
        "both_masks_help": _("The same weights and the same sentence, with and without the causal mask"),
        "with_mask": _("with causal mask"),
        "without_mask": _("without"),
        "next_with": _("Next character, {mask}"),
        "at_step": _(" · step {step}"),
    }


QUESTIONS = {
    "contains_3": N_("Is there a 3?"),
    "two_3s": N_("Are there at least two 3s?"),
    "3_before_7": N_("Is there a 3 before the first 7?"),
}


def _predictions(question: str) -> dict[str, Any]:
    return {
        "predictions": {
            "class": _(QUESTIONS.get(question, QUESTIONS["contains_3"])),
            "blank": _("What fills the blank at position {position}"),
            "next": _("What comes after “{context}”"),
            "visible": _("What the model says of position {position}, which shows {token}"),
            "untrained": _("Position {position} shows {token}: an untrained position, never asked for in training"),
        },
        "classes": {"no": _("no"), "yes": _("yes")},
        "blanks": _("All blanks with their likeliest characters"),
        "blank": _("position {position}"),
        "visible": _("position {position} {token}"),
        "untrained_position": _("untrained"),
        "no_blank": _("There is no blank to fill: type _ or click a character."),
        "bars_fact": _("The likeliest is {first} with probability {probability}"),
        "row": _("{query} ({position}) attends most to {keys}"),
        "column": _("{key} ({position}) is attended to most by {queries}"),
    }


def _writing() -> dict[str, Any]:
    return {
        "written": _("Written at step {step}"),
        "written_without": _("Written at step {step} {taken}"),
        "write_again": _("Write again"),
        "write_again_help": _("Draw new samples, as the sliders stand now"),
        "sliders_moved": _("The sliders have moved since. This sample stays until you write again."),
        "greedy": _("Greedy: always the likeliest character"),
        "drawn": {
            "plain": _("Drawn, temperature {temperature}"),
            "top_k": _("Drawn, temperature {temperature}, top-k {top_k}"),
            "top_p": _("Drawn, temperature {temperature}, top-p {top_p}"),
            "both": _("Drawn, temperature {temperature}, top-k {top_k}, top-p {top_p}"),
        },
        "counts": _("{recited} of {count} characters recited · {copied} more copied"),
        "legend_recited": _("recited: goes on as the corpus does"),
        "legend_copied": _("copied: five or more characters that stand elsewhere in the corpus"),
    }


def _laws() -> dict[str, str]:
    return {
        "row_sums": _("every row sums to 1 (largest error {error})"),
        "future": _("the future has weight {error}"),
        "output": _("weights × V is the head's output (largest difference {error})"),
        "untrained": _("untrained: uniform attention would be 1/T = {share}"),
    }
