"""Two runs side by side: the settings in which they differ, what they have come to, and one sentence read by both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.experiments import Experiment, find
from core.runs.run import Run
from core.settings import SettingError, setting
from core.ui import forms
from core.ui.attention_panel import map_of
from core.ui.components.look import look
from core.ui.language import _, language
from core.ui.runs.results import (
    compared,
    differing,
    metric_of,
    newest,
    number_words,
    time_words,
    training_loss,
    value_words,
)
from core.ui.runs.shelf import Shelf, name_of
from core.ui.session import KeptRun
from core.ui.words import literal

KEYS = ("look", "second_look")
DIFFERS = "≠"


def compare(here: Shelf, pair: Sequence[KeptRun]) -> None:
    """Draw two runs of one experiment; of different ones only what can be said."""
    first, second = (one.run for one in pair)
    st.subheader(_("{first} beside {second}", first=_plain(pair[0]), second=_plain(pair[1])), anchor=False)
    if first.experiment != second.experiment:
        st.info(
            _("These two learn different things, so no sentence can be read by both: choose two of one experiment.")
        )
        return
    table, results = st.columns([0.6, 0.4], gap="medium")
    with table:
        _settings(here, pair)
    with results:
        _results(pair)
    _looks(here, find(first.experiment), pair)


def _settings(here: Shelf, pair: Sequence[KeptRun]) -> None:
    first, second = (one.run for one in pair)
    marked = {one.name for one in differing([first, second])}
    known = compared(first)
    summary = _("{count} of {known} settings differ.", count=len(marked), known=len(known))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.markdown(f"**{summary}**", width="content")
        st.toggle(_("All settings"), here.everything, key="all_settings", on_change=_toggled, args=(here,))
    shown = [one for one in known if here.everything or one.name in marked]
    if not shown:
        st.caption(_("Both have the same settings: with one seed they take the same steps."))
        return
    rows = [
        {
            _("Setting"): f"{DIFFERS} {_(one.label)}" if one.name in marked else _(one.label),
            name_of(pair[0]): value_words(one, getattr(first.settings, one.name)),
            _second_name(pair): value_words(one, getattr(second.settings, one.name)),
        }
        for one in shown
    ]
    height = 35 * (min(8, len(rows)) + 1) + 3
    st.dataframe(
        pd.DataFrame(rows),
        key="compared_settings",
        hide_index=True,
        height=height,
        alt=_("The settings of both runs; {mark} marks those that differ", mark=DIFFERS),
    )


def _toggled(here: Shelf) -> None:
    here.everything = bool(st.session_state["all_settings"])


def _results(pair: Sequence[KeptRun]) -> None:
    runs = [one.run for one in pair]
    measure = metric_of(runs[0].experiment)
    label = _(find(runs[0].experiment).metrics[measure]) if measure else ""
    lines: list[tuple[str, Callable[[Run], str]]] = [
        (_("Steps"), lambda run: str(run.step)),
        (_("Loss"), lambda run: number_words(training_loss(run))),
        (_("Held-out loss"), lambda run: number_words(newest(run, "held_out_loss"))),
        (label, lambda run: number_words(newest(run, measure))),
        (_("Parameters"), lambda run: "–" if run.parameters is None else f"{run.parameters:,}"),
        (_("Time"), lambda run: time_words(run.seconds)),
    ]
    rows = [
        {_("Result"): said, name_of(pair[0]): of(runs[0]), _second_name(pair): of(runs[1])}
        for said, of in lines
        if said
    ]
    st.markdown(f"**{_('What they have come to')}**")
    st.dataframe(
        pd.DataFrame(rows),
        key="compared_results",
        hide_index=True,
        height=35 * (len(rows) + 1) + 3,
        alt=_("Results of both runs"),
    )


def _looks(here: Shelf, experiment: Experiment, pair: Sequence[KeptRun]) -> None:
    """The same sentence, layer and head in both; what is typed or clicked in one counts for the other."""
    view = here.view(experiment, pair[0].run.settings)
    layers, heads = (min(getattr(one.run.settings, name) for one in pair) for name in ("layers", "heads"))
    if view.layer >= layers or view.head >= heads:
        here.change_view(experiment, layer=min(view.layer, layers - 1), head=min(view.head, heads - 1))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="looking"):
        for name, count in (("layer", layers), ("head", heads)):
            labels = {number: str(number) for number in range(count)}
            one = setting(view, name)
            forms.pick(
                name, _(one.label), None, getattr(here.views[experiment.name], name), labels, _changer(here, experiment)
            )
        for name in ("scale", "temperature"):
            if hasattr(view, name):
                forms.control(
                    setting(view, name), getattr(here.views[experiment.name], name), _changer(here, experiment)
                )
    for key, place, kept in zip(KEYS, st.columns(2, gap="medium"), pair, strict=True):
        with place:
            st.markdown(f"**{_plain(kept)}**")
            _look(here, experiment, kept.run, key)


def _look(here: Shelf, experiment: Experiment, run: Run, key: str) -> None:
    view = here.views[experiment.name]
    look(
        run,
        experiment=experiment,
        prompt=view.prompt,
        layer=view.layer,
        head=view.head,
        lens=view,
        causal_mask=None,
        temperature=getattr(view, "temperature", 0.8),
        top_k=getattr(view, "top_k", 0),
        top_p=getattr(view, "top_p", 1.0),
        tokens=getattr(view, "tokens", 0),
        following=True,
        language=language(),
        key=key,
        on_change=lambda: came_back(here, experiment, key),
    )


def came_back(here: Shelf, experiment: Experiment, key: str) -> None:
    """The sentence that was typed in one of the two, and the small map that was clicked there."""
    state = st.session_state.get(key) or {}
    text, clicked = state.get("text"), map_of(state.get("map"))
    try:
        if isinstance(text, str):
            here.change_view(experiment, prompt=text)
        if clicked is not None:
            here.change_view(experiment, layer=clicked[0], head=clicked[1])
    except SettingError:
        return  # no page of ours tells of a map that there cannot be


def _changer(here: Shelf, experiment: Experiment) -> forms.Changed:
    return lambda name, value: here.change_view(experiment, **{name: value})


def _second_name(pair: Sequence[KeptRun]) -> str:
    """A column of its own, also for a run that is called like the first."""
    first, second = (name_of(one) for one in pair)
    return second if second != first else f"{second} (2)"


def _plain(kept: KeptRun) -> str:
    """A run's name as Markdown that shows it as it is."""
    return literal(name_of(kept))
