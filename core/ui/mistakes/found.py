"""What the twins have shown so far: their curves, a table beside the predictions, the cause, and their maps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.experiments import find
from core.experiments.mistakes import MEASURES, OUTCOMES, Mistake, Variant, final, outcomes, quality, together
from core.figures.attention import zoom
from core.figures.curve import is_loss
from core.figures.theme import Palette
from core.figures.twins import Course, TwinWords, twins
from core.settings import SettingError
from core.ui import links, navigation
from core.ui.components.look.words import map_words
from core.ui.components.plot import plot
from core.ui.language import _
from core.ui.runs.results import number_words

CURVES, MAPS = 250, 330  # pixels high
WIDE = 10  # times the smallest loss: from there on a logarithmic axis tells more, and has labels
REFERENCES = ("unigram_loss", "bigram_loss", "majority_accuracy")  # drawn with the measures that they belong to
PLAINEST = ("unigram_loss", "majority_accuracy")
KIND = {"training_loss": "loss", "prefix_loss": "loss", "masked_accuracy": "accuracy", "accuracy": "accuracy"}


def draw(
    mistake: Mistake, variant: Variant, predicted: Mapping[str, str], found: Mapping[str, Any], *, complete: bool
) -> None:
    """Draw what a study of :mod:`core.studies.twins` has found; the verdict when it is ``complete``."""
    pairs: list[dict[str, Any]] = found["seeds"]
    drawn = [measure for measure in variant.measures if _drawn(pairs, measure)]
    if "training_loss" not in drawn:
        drawn.append("training_loss")
    for place, measure in zip(st.columns(len(drawn), gap="medium"), drawn, strict=True):
        with place:
            _curves(variant, pairs, found["baselines"], measure)
    _errors(pairs)
    if complete:
        measured = outcomes(variant, pairs)
        told = {measure: together(outcomes) for measure, outcomes in measured.items()}
        with st.container(horizontal=True, gap="medium", key="twins_outcome"):
            st.markdown(_table(variant, pairs, predicted, told), width="content")
            with st.container(key="twins_verdict", gap="xsmall"):
                exposed = _exposed(told, learned=_learned(variant, pairs, found["baselines"]))
                st.markdown(f"**{exposed}** {_(mistake.cause(variant, told))}")
                st.caption("  \n".join(_meanings(variant)))
        _maps(pairs)
        _twins(variant)


def _drawn(pairs: Sequence[Mapping[str, Any]], measure: str) -> bool:
    """Whether there is anything of a measure to draw."""
    return any(_course(pair[twin], measure)[0] for pair in pairs for twin in ("correct", "broken"))


def _course(twin: Mapping[str, Any], measure: str) -> tuple[list[int], list[float]]:
    """Steps and values of a measure."""
    if measure == "training_loss":
        values = list(enumerate(twin["losses"], start=1))
    else:
        values = [(one["step"], one[measure]) for one in twin["evaluations"] if measure in one]
    known = [(step, value) for step, value in values if value is not None and math.isfinite(value)]
    return [step for step, _value in known], [value for _step, value in known]


def _curves(variant: Variant, pairs: Sequence[Mapping[str, Any]], baselines: Mapping[str, float], measure: str) -> None:
    about = MEASURES[measure]
    words = TwinWords(
        step=_("step"),
        measure=_(about.label),
        correct=_("right"),
        broken=_("wrong"),
        seed=_("seed {seed}", seed="{seed}"),
    )
    courses = [
        Course(seed=pair["seed"], broken=twin == "broken", steps=steps, values=values)
        for pair in pairs
        for twin in ("correct", "broken")
        if (read := _course(pair[twin], measure))[0]
        for steps, values in [read]
    ]
    drawn = [value for course in courses for value in course.values]
    logarithmic = is_loss(measure) and max(drawn) > WIDE * min(drawn)
    lines = _references(baselines, measure)

    def figure(palette: Palette) -> go.Figure:
        return twins(courses, lines, logarithmic=logarithmic, share=about.share, palette=palette, words=words)

    plot(figure, f"twins_{measure}", height=CURVES, alt=_alt(pairs, measure))


def _references(baselines: Mapping[str, float], measure: str) -> list[tuple[float, str]]:
    kind = KIND.get(measure)
    said = {
        "unigram_loss": _("unigram {value}", value=number_words(baselines.get("unigram_loss"))),
        "bigram_loss": _("bigram {value}", value=number_words(baselines.get("bigram_loss"))),
        "majority_accuracy": _("majority {value}", value=number_words(baselines.get("majority_accuracy"))),
    }
    return [(baselines[name], said[name]) for name in REFERENCES if name in baselines and kind and name.endswith(kind)]


def _alt(pairs: Sequence[Mapping[str, Any]], measure: str) -> str:
    said = [
        _(
            "seed {seed}: right {right}, wrong {wrong}",
            seed=pair["seed"],
            right=number_words(final(pair["correct"], measure)),
            wrong=number_words(final(pair["broken"], measure)),
        )
        for pair in pairs
    ]
    return f"{_(MEASURES[measure].label)}. {'; '.join(said)}"


def _errors(pairs: Sequence[Mapping[str, Any]]) -> None:
    """What stopped a twin; said once for all seeds that say the same."""
    told = {pair["broken"]["error"] for pair in pairs} - {None}
    for error in sorted(told):
        code = f"`{error}`"
        st.warning(_("The wrong twin stops with this error: {error}", error=code), icon=":material/error:")
    for pair in pairs:
        if (step := pair["broken"]["ended"]) is not None:
            st.warning(
                _(
                    "Seed {seed}: the loss of step {step} is no finite number; the run ends.",
                    seed=pair["seed"],
                    step=step,
                ),
                icon=":material/error:",
            )


def _table(
    variant: Variant,
    pairs: Sequence[Mapping[str, Any]],
    predicted: Mapping[str, str],
    measured: Mapping[str, str],
) -> str:
    """Right → wrong for every seed, and beside it what was predicted."""
    seeds = [_("seed {seed}", seed=pair["seed"]) for pair in pairs]
    lines = [[_("right → wrong"), *seeds, _("Measured"), _("You said"), ""], ["---"] * (len(pairs) + 4)]
    for measure in variant.measures:
        outcome = measured[measure]
        values = (
            f"{number_words(final(pair['correct'], measure))} → {number_words(final(pair['broken'], measure))}"
            for pair in pairs
        )
        said = predicted.get(measure)
        mark = "" if said is None else ":material/check:" if said == outcome else ":material/close:"
        words = "–" if said is None else _(OUTCOMES[said])
        lines.append([_(MEASURES[measure].label), *values, f"**{_(OUTCOMES[outcome])}**", words, mark])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _exposed(measured: Mapping[str, str], *, learned: bool) -> str:
    """Which measures show the harm that the mistake does, and which make it look like a gain."""
    first, *_others = measured
    found = {measure: quality(measure, outcome) for measure, outcome in measured.items()}
    name, flattering = _(MEASURES[first].label), _named(found, "better")
    if found[first] == "worse":
        said = _("Exposed by: {measures}.", measures=_named(found, "worse"))
        gain = _("It looks like a gain by: {measures}.", measures=flattering)
        return f"{said} {gain}" if flattering else said
    if found[first] == "same" and flattering:
        return _("Better: {better}. But the {measure} shows that nothing was gained.", better=flattering, measure=name)
    if found[first] == "same" and not learned:
        return _("Neither has learned: by the {measure}, a guess without a model is as good.", measure=name)
    return {
        "same": _("In this setting the mistake does not hurt, as far as the {measure} shows.", measure=name),
        "better": _("In this setting the {measure} is better with the mistake.", measure=name),
        "mixed": _("It depends on the seed."),
        "fails": _("It stops by itself."),
    }[found[first]]


def _learned(variant: Variant, pairs: Sequence[Mapping[str, Any]], baselines: Mapping[str, float]) -> bool:
    """Whether any twin is better than the plainest guess, by the first measure."""
    first = variant.measures[0]
    guess = next((baselines[one] for one in PLAINEST if one in baselines and one.endswith(KIND.get(first, "-"))), None)
    ends = [final(pair[twin], first) for pair in pairs for twin in ("correct", "broken")]
    sign = 1 if MEASURES[first].better == "higher" else -1
    return guess is None or any(end is not None and sign * end > sign * guess for end in ends)


def _named(found: Mapping[str, str], wanted: str) -> str:
    return _(", ").join(_(MEASURES[measure].label) for measure, one in found.items() if one == wanted)


def _meanings(variant: Variant) -> list[str]:
    return [
        _("{measure}: {about}.", measure=_(MEASURES[one].label), about=_(MEASURES[one].about))
        for one in variant.measures
    ]


def _maps(pairs: Sequence[Mapping[str, Any]]) -> None:
    """The head in which the first pair differs most."""
    maps = pairs[0].get("maps")
    if not maps:
        return
    head = f"L{maps['layer']}H{maps['head']}"
    st.markdown(
        _("Attention after training, seed {seed}: {head}, the head in which the two differ most.", seed=0, head=head)
    )
    for place, twin in zip(st.columns(2, gap="medium"), ("correct", "broken"), strict=True):
        said = _("right") if twin == "correct" else _("wrong")
        weights = np.array(maps[twin], dtype=np.float32)
        allowed = np.array(maps["open"][twin], dtype=np.bool_)
        tokens = maps["tokens"]

        def figure(palette: Palette, weights: Any = weights, allowed: Any = allowed, tokens: Any = tokens) -> go.Figure:
            return zoom(weights, allowed, queries=tokens, keys=tokens, palette=palette, words=map_words())

        with place:
            st.caption(f"{said} · {head}")
            largest = f"{weights.max():.3f}"
            said = _("{twin}: the largest weight of {head} is {weight}", twin=said, head=head, weight=largest)
            plot(figure, f"twins_map_{twin}", height=MAPS, alt=said)


def _twins(variant: Variant) -> None:
    """Each twin's settings as a link to its training page."""
    if variant.models is not None:
        return
    experiment = find(variant.experiment)
    entry = next(one for one in navigation.TRAIN if one.url == variant.experiment.replace("_", "-"))
    with st.container(horizontal=True, gap="small"):
        for broken, words in (
            (False, _("Open the right one on its page")),
            (True, _("Open the wrong one on its page")),
        ):
            if broken and not variant.trained_apart:
                continue
            choice = links.standard(experiment, variant.recipe)
            try:
                parameters = links.write(
                    experiment, links.Choice(variant.recipe, variant.settings(broken, 0), choice.view)
                )
            except SettingError:
                continue
            st.page_link(
                entry.page(), label=words, icon=":material/open_in_new:", query_params=parameters, width="content"
            )
