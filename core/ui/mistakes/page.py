"""The page of common mistakes: what is done wrong, a prediction for each measure, and the pair trained side by side."""

from __future__ import annotations

import streamlit as st

from core.experiments import find
from core.experiments.mistakes import MEASURES, OUTCOMES
from core.settings import setting
from core.ui import address, forms, frame, language, session
from core.ui.align import align
from core.ui.language import _
from core.ui.mistakes.bench import PAGE, Bench, enter, write
from core.ui.mistakes.found import draw
from core.ui.runs.results import value_words
from core.ui.study import study


def mistakes_page(title: str, prose: str) -> None:
    """Draw the page; ``title`` and ``prose`` are marked strings."""
    here = enter()
    frame.bar(_(title))
    frame.notices(here.notices)
    with st.container(key="about", gap=None):
        st.caption(_(prose))
    with st.container(gap="small"):
        _choose(here)
        _about(here)
        _predict(here)
        _train(here)
    address.write(PAGE, write(here) | language.parameters())


def _choose(here: Bench) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="mistake_choice"):
        with st.container(width=320):
            forms.control(
                setting(here.view, "mistake"), here.view.mistake, lambda _name, value: _turn(here, str(value))
            )
        if len(here.mistake.variants) > 1:
            one = setting(here.view, "variant")
            labels = {code: _(variant.label) for code, variant in here.mistake.variants.items()}
            forms.pick(
                "variant", _(one.label), _(one.help), here.code, labels, lambda _name, value: here.change(variant=value)
            )
        one = setting(here.view, "seeds")
        assert one.minimum is not None and one.maximum is not None
        counts = {count: str(count) for count in range(int(one.minimum), int(one.maximum) + 1)}
        forms.pick(
            "seeds", _(one.label), _(one.help), here.view.seeds, counts, lambda _name, value: here.change(seeds=value)
        )


def _turn(here: Bench, mistake: str) -> None:
    """Another mistake, with its own first variant."""
    here.change(mistake=mistake, variant="")


def _about(here: Bench) -> None:
    """What is done wrong, and in which settings the twins differ."""
    st.markdown(_(here.mistake.about))
    experiment, right, wrong = find(here.variant.experiment), here.variant.settings(False, 0), here.variant.differing()
    said = [
        f"{_(one.label)}: {value_words(one, values[0])} → **{value_words(one, values[1])}**"
        for one, values in ((setting(right, name), both) for name, both in wrong.items())
    ]
    same = _(
        "{model}, {steps} steps, from the same first weights on the same batches.",
        model=experiment.title,
        steps=right.steps,
    )
    if not here.variant.trained_apart:
        same = _("{model}, {steps} steps: one run a seed.", model=experiment.title, steps=right.steps)
    st.caption(" · ".join([same, *said]))


def _predict(here: Bench) -> None:
    """One question a measure. What has been measured settles them."""
    done = here.key in session.runs().studies
    labels = {code: _(words) for code, words in OUTCOMES.items()}
    for measure in here.variant.measures:
        key = f"predict_{here.view.mistake}_{here.code}_{measure}"
        marked = here.predicted.get(measure)
        align(key, marked)
        st.radio(
            _("What does the mistake do to the {measure}?", measure=_(MEASURES[measure].label)),
            list(labels),
            index=None if marked is None else list(labels).index(marked),
            key=key,
            format_func=labels.__getitem__,
            horizontal=True,
            disabled=done,
            on_change=_predicted,
            args=(here, measure, key),
        )


def _predicted(here: Bench, measure: str, key: str) -> None:
    if st.session_state[key] in OUTCOMES:
        here.predicted[measure] = st.session_state[key]


def _train(here: Bench) -> None:
    if any(measure not in here.predicted for measure in here.variant.measures):
        st.caption(_("Predict first; then the pair can be trained."))
        return
    variant, mistake, predicted = here.variant, here.mistake, dict(here.predicted)
    options = {"mistake": here.view.mistake, "variant": here.code, "seeds": here.view.seeds}
    study(
        "twins",
        options,
        here.key,
        lambda found, complete: draw(mistake, variant, predicted, found, complete=complete),
        label=_("Train both"),
        help=_("Both are trained now, on this server; nothing that is shown was measured before."),
    )
    known = session.runs().studies.get(here.key)
    if known is not None and not known.running:
        st.button(_("Predict again"), key="predict_again", type="tertiary", on_click=_again, args=(here,))


def _again(here: Bench) -> None:
    if (known := session.runs().studies.pop(here.key, None)) is not None:
        session.pool().drop(known.id)
    here.predicted.clear()
