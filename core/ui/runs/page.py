"""The page of runs: the table, what can be done with the marked ones, their curves, and two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.ui import address, forms, frame, language, links, navigation
from core.ui.align import align
from core.ui.components.overlay import overlay
from core.ui.language import _
from core.ui.runs.compare import compare
from core.ui.runs.files import bring_back, refuse, take_away
from core.ui.runs.results import differences, measures
from core.ui.runs.shelf import LONGEST_NAME, Shelf, chosen, delete, listed, name_of, rename, shelf, undo
from core.ui.runs.sweep import settle
from core.ui.runs.sweep_panel import results, sweep_button
from core.ui.runs.table import table
from core.ui.session import KeptRun

PAGE = "runs"
MOST_DRAWN = 8  # without a choice


def runs_page(title: str, prose: str) -> None:
    """Draw the page; ``title`` and ``prose`` are marked strings."""
    here = enter()
    frame.bar(_(title))
    frame.notices(here.notices)
    refuse(here)
    settle(here)
    rows = listed()
    here.chosen = [run for run in here.chosen if run in {one.run.id for one in rows}]
    with st.container(key="about", gap=None):
        st.caption(_(prose))
    if rows:
        shown = _shown(here, rows)
        with st.container(gap="small"):
            table(here)
            _tools(here, rows, shown)
            overlay(shown, _legend(shown), here.measure, "overlay", height=260)
        if len(rows) > MOST_DRAWN and not here.chosen:
            st.caption(_("The newest {count} are drawn; mark others in the table.", count=MOST_DRAWN))
        results(here)
        if len(marked := chosen(here)) == 2:
            compare(here, marked[::-1])
    else:
        _nothing_yet(here)
    address.write(PAGE, language.parameters())


def enter() -> Shelf:
    """The page's state, its address read when it has to be."""
    here = shelf()
    parameters = address.read(PAGE)
    if parameters is not None:
        strange = links.own(parameters)
        here.notices = [links.unknown(strange)] if strange else []
        here.notices += language.notices()
    return here


def _nothing_yet(here: Shelf) -> None:
    st.info(_("No run has learned anything in this tab yet. Train a model on its page; what it becomes stands here."))
    with st.container(horizontal=True, gap="small"):
        for entry in navigation.TRAIN:
            st.page_link(entry.page(), width="content")
        bring_back(here)
        sweep_button(here, [])
    _news(here)


def _tools(here: Shelf, rows: Sequence[KeptRun], shown: Sequence[KeptRun]) -> None:
    """What is drawn, and what can be done with the marked runs."""
    marked = chosen(here)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="run_tools"):
        _measure(here, shown)
        if len(marked) == 1:
            _name(here, marked[0])
        st.button(
            _("Delete"),
            key="delete_runs",
            icon=":material/delete:",
            disabled=not marked,
            on_click=delete,
            args=(here,),
        )
        sweep_button(here, rows)
        take_away(here, marked)
        bring_back(here)
        _news(here)
    if not marked and not here.deleted:
        st.caption(_("Mark rows to draw, rename, export or delete them; mark two of one experiment to compare them."))


def _measure(here: Shelf, shown: Sequence[KeptRun]) -> None:
    known = measures([one.run for one in shown])
    if here.measure not in known:
        here.measure = "training_loss"

    def choose(_name: str, measure: object) -> None:
        here.measure = str(measure)

    forms.pick("measure", _("Measure"), None, here.measure, known, choose)


def _name(here: Shelf, kept: KeptRun) -> None:
    name = name_of(kept)
    align("run_name", name)
    st.text_input(
        _("Name"),
        name,
        key="run_name",
        max_chars=LONGEST_NAME,
        width=240,
        on_change=lambda: rename(here, kept, str(st.session_state["run_name"])),
    )


def _news(here: Shelf) -> None:
    """What the last button did, with the way back."""
    if here.deleted:
        st.button(_("Undo"), key="undo_delete", icon=":material/undo:", on_click=undo, args=(here,))
    if here.told is not None:
        st.caption(here.told.say(_), width="content")
    if here.trouble is not None:
        st.error(here.trouble.say(_))


def _shown(here: Shelf, rows: Sequence[KeptRun]) -> list[KeptRun]:
    """The runs that are drawn: the marked ones, else the newest. Oldest first, so a new one takes nobody's colour."""
    return (chosen(here) or list(rows[:MOST_DRAWN]))[::-1]


def _legend(shown: Sequence[KeptRun]) -> list[str]:
    """What the lines are called: a run's name, and what is special about it among them."""
    runs = [one.run for one in shown]
    special = [differences(run, runs) for run in runs]
    return [f"{name_of(one)} · {said}" if said else name_of(one) for one, said in zip(shown, special, strict=True)]
