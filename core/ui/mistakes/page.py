"""The page of common mistakes: what is done wrong, a prediction for each measure, and the pair trained side by side."""

from __future__ import annotations

import streamlit as st

from core.experiments import find
from core.experiments.mistakes import MEASURES, OUTCOMES
from core.settings import setting
from core.ui import forms, frame
from core.ui.forecast import forecast
from core.ui.language import _
from core.ui.mistakes.bench import Bench, enter
from core.ui.mistakes.found import draw
from core.ui.runs.results import value_words
from core.ui.study import study


def mistakes_page(title: str, prose: str) -> None:
    """Draw the page; ``title`` and ``prose`` are marked strings."""
    here = enter()
    frame.bar(_(title))
    frame.notices(here.chosen.notices)
    with st.container(gap="small"):
        st.caption(_(prose))
        _choose(here)
        _about(here)
        predicted = _predict(here)
        if predicted.keys() == set(here.variant.measures):
            _train(here, predicted)
    here.chosen.leave()


def _choose(here: Bench) -> None:
    view = here.view
    with st.container(horizontal=True, gap="medium", key="mistake_choice"):
        with st.container(width=320):
            one = setting(view, "mistake")
            forms.control(one, view.mistake, lambda _name, value: here.turn(str(value)))
        if len(here.mistake.variants) > 1:
            one = setting(view, "variant")
            labels = {code: _(variant.label) for code, variant in here.mistake.variants.items()}
            forms.pick(
                "variant", _(one.label), _(one.help), here.code, labels, lambda _name, value: here.try_on(str(value))
            )
        one = setting(view, "seeds")
        assert one.minimum is not None and one.maximum is not None
        counts = {count: str(count) for count in range(int(one.minimum), int(one.maximum) + 1)}
        forms.pick("seeds", _(one.label), _(one.help), view.seeds, counts, here.chosen.change)


def _about(here: Bench) -> None:
    """What is done wrong, and in which settings the twins differ."""
    st.markdown(_(here.mistake.about))
    experiment, right = find(here.variant.experiment), here.variant.settings(False, 0)
    words = {"model": _(experiment.title), "steps": right.steps}
    how = _("{model}, {steps} steps: one run a seed.", **words)
    if here.variant.trained_apart:
        how = _("{model}, {steps} steps, from the same first weights on the same batches.", **words)
    said = [
        f"{_(one.label)}: {value_words(one, values[0])} → **{value_words(one, values[1])}**"
        for one, values in ((setting(right, name), both) for name, both in here.variant.differing().items())
    ]
    st.caption(" · ".join([how, *said]))


def _predict(here: Bench) -> dict[str, str]:
    """One question a measure, one after the other; what has been answered so far stands in one line."""
    labels = {code: _(words) for code, words in OUTCOMES.items()}
    line = st.empty()
    given: dict[str, str] = {}
    for measure in here.variant.measures:
        name = _(MEASURES[measure].label)
        question = _("What does the mistake do to the {measure}?", measure=name)
        hint = _("{measure}: {about}.", measure=name, about=_(MEASURES[measure].about))
        about = (here.view.mistake, here.code)
        answer = forecast(f"predict_{measure}", about, question, labels, hint=hint, told=False)
        if answer is None:
            break
        given[measure] = answer
    if given:
        said = " · ".join(f"{_(MEASURES[measure].label)} **{labels[answer]}**" for measure, answer in given.items())
        line.markdown(_("Your prediction: {said}", said=said))
    return given


def _train(here: Bench, predicted: dict[str, str]) -> None:
    variant, mistake = here.variant, here.mistake
    study(
        "twins",
        {"mistake": here.view.mistake, "variant": here.code, "seeds": here.view.seeds},
        here.key,
        lambda found, complete: draw(mistake, variant, predicted, found, complete=complete),
        label=_("Train both") if variant.trained_apart else _("Train and ask twice"),
        help=_("Trained now, on this server; nothing that is shown was measured before."),
    )
