"""The sweep on the page of runs: what is swept, how far its runs are, and what they have come to."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from core.experiments import find
from core.figures.curve import is_loss
from core.figures.sweep import SweepWords
from core.figures.sweep import sweep as sweep_figure
from core.figures.theme import Palette
from core.settings import N_, Setting, SettingError, Value, setting
from core.ui.components.overlay.words import measure_words
from core.ui.components.plot import plot
from core.ui.language import _
from core.ui.runs import sweep
from core.ui.runs.results import number_words, value_words
from core.ui.runs.shelf import Shelf, chosen, name_of
from core.ui.runs.sweep import Sweep, Texts
from core.ui.session import KeptRun
from core.ui.words import literal, problem, sentence

LOOK_AGAIN = 1.0  # seconds, while something is still to come
HEIGHT = 280  # pixels
PANEL = "sweep_panel"


def sweep_button(here: Shelf, rows: Sequence[KeptRun]) -> None:
    """The button that opens the choice of what to sweep."""
    popover = st.popover(_("Sweep"), icon=":material/stacked_line_chart:", key=PANEL, on_change="rerun")
    if popover.open:
        with popover:
            _choice(here, rows)


def _choice(here: Shelf, rows: Sequence[KeptRun]) -> None:
    known = sweep.sources(rows)
    marked = chosen(here)
    first = marked[0].run.id if len(marked) == 1 and marked[0].run.id in known else "=mini_bert"
    st.caption(_("One setting takes several values; everything else stays as it is. Every value becomes a run."))
    source = st.selectbox(
        _("Beginning with"),
        list(known),
        list(known).index(first),
        format_func=lambda code: _source_words(known[code][0], known[code][2]),
        key=f"sweep_source_{first}",
    )
    experiment, settings, kept = known[source]
    named = sweep.swept(find(experiment), settings, trained=kept is not None and kept.run.step > 0)
    name = st.selectbox(
        _("Setting"), list(named), format_func=lambda one: _(named[one].label), key=f"sweep_setting_{experiment}"
    )
    one = named[name]
    values = _values(one, sweep.offered(one, settings), f"sweep_values_{experiment}_{name}")
    try:
        wanted = sweep.read(one, values) if isinstance(values, str) else sweep.sized(values)
        if name != sweep.TEMPERATURE:
            sweep.plan(settings, one, wanted)
    except SettingError as error:
        st.error(problem(error).say(_))
        st.button(_("Start"), key="sweep_start", disabled=True)
        return
    if name == sweep.TEMPERATURE:
        label = _("Write {count} texts", count=len(wanted))
    else:
        label = _("Train {count} runs of {steps} steps", count=len(wanted), steps=settings.steps)
    st.button(
        label,
        key="sweep_start",
        type="primary",
        icon=":material/play_arrow:",
        on_click=_start,
        args=(here, experiment, settings, kept, one, wanted),
    )


def _source_words(experiment: str, kept: KeptRun | None) -> str:
    return name_of(kept) if kept is not None else _("{model} as in the document", model=_(find(experiment).title))


def _values(one: Setting, values: Sequence[Value], key: str) -> str | list[Value]:
    if one.kind in ("choice", "switch"):
        return st.multiselect(_("Values"), values, values, format_func=lambda value: value_words(one, value), key=key)
    return st.text_input(
        _("Values"), ", ".join(f"{value:g}" for value in values), key=key, help=_("Numbers with commas between them")
    )


def _start(
    here: Shelf, experiment: str, settings: object, kept: KeptRun | None, one: Setting, wanted: Sequence[Value]
) -> None:
    try:
        if one.name == sweep.TEMPERATURE and kept is not None:
            sweep.write(here, kept, [float(value) for value in wanted])
        else:
            sweep.start(here, experiment, settings, one, wanted)
        st.session_state[PANEL] = False  # what comes of it is drawn beneath
    except SettingError as error:
        here.trouble = sentence(N_("{problem}. Nothing was started."), problem=problem(error))


def results(here: Shelf) -> None:
    """What the last sweep and the last texts have come to, while they come and afterwards."""
    if here.sweep is not None:
        _in_place(here, here.sweep)
    if here.texts is not None:
        _written(here, here.texts)


def _in_place(here: Shelf, now: Sweep) -> None:
    training = now.running

    @st.fragment(run_every=LOOK_AGAIN if training else None)
    def body() -> None:
        if now.running != training:
            st.rerun()
        _draw(here, now)

    with st.container(key="sweep", gap="small"):
        body()


def _draw(here: Shelf, now: Sweep) -> None:
    experiment = find(now.experiment)
    one = setting(experiment.settings, now.setting)
    title = _("{setting}, swept ({model})", setting=_(one.label), model=_(experiment.title))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{title}**", width="content")
        if now.running:
            words = _("{done} of {count} runs done", done=now.done, count=len(now.runs))
            st.progress(now.fraction, words, width=260)
            st.button(_("Cancel"), key="sweep_cancel", icon=":material/close:", on_click=sweep.cancel, args=(here,))
        else:
            st.button(
                _("Delete its runs"),
                key="sweep_remove",
                icon=":material/delete:",
                type="tertiary",
                on_click=sweep.remove,
                args=(here,),
            )
    if points := now.points(here.measure):
        _chart(here, now, one, points)
    elif not now.running:
        st.caption(_("This measure was not taken in these runs: choose another one above."))


def _chart(here: Shelf, now: Sweep, one: Setting, points: Sequence[tuple[Value, float]]) -> None:
    guess = now.baseline(here.measure)
    words = SweepWords(
        setting=_(one.label),
        measure=measure_words(here.measure, now.experiment),
        baseline="" if guess is None else _guess_words(*guess),
    )
    names = [value_words(one, value) for value, _measured in points]
    measured = [measured for _value, measured in points]

    def figure(palette: Palette) -> go.Figure:
        return sweep_figure(
            names,
            None if one.kind in ("choice", "switch") else [float(value) for value, _measured in points],
            measured,
            palette=palette,
            words=words,
            share=not is_loss(here.measure),
            baseline=None if guess is None else guess[1],
        )

    found = _(", ").join(f"{name}: {number_words(value)}" for name, value in zip(names, measured, strict=True))
    said = _("{measure} by {setting}. {found}", measure=words.measure, setting=words.setting, found=found)
    plot(figure, "sweep_chart", height=HEIGHT, alt=said)


def _guess_words(name: str, value: float) -> str:
    said = {
        "majority_accuracy": N_("always the most frequent answer: {value}"),
        "bigram_loss": N_("bigram {value}"),
        "unigram_loss": N_("unigram {value}"),
    }
    return _(said[name], value=number_words(value))


def _written(here: Shelf, texts: Texts) -> None:
    waiting = texts.waiting

    @st.fragment(run_every=LOOK_AGAIN if waiting else None)
    def body() -> None:
        if texts.waiting != waiting:
            st.rerun()
        title = _(
            "What {name} writes after “{prompt}”", name=literal(name_of(texts.kept)), prompt=literal(texts.prompt)
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{title}**", width="content")
            st.button(
                _("Close"), key="texts_close", icon=":material/close:", type="tertiary", on_click=_close, args=(here,)
            )
        for place, temperature, answer in zip(
            st.columns(len(texts.temperatures)), texts.temperatures, texts.answers, strict=True
        ):
            with place:
                number = f"{temperature:g}"
                st.caption(_("Temperature {value}", value=number))
                if not answer.done():
                    st.caption(_("being written …"))
                elif answer.exception() is not None:
                    st.caption(_("This text could not be written."))
                else:
                    st.text(answer.result()["samples"][0]["text"])

    with st.container(key="texts", gap="small"):
        body()


def _close(here: Shelf) -> None:
    here.texts = None
