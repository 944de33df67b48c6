"""Beneath the maps: experiments to try, with a prediction before and a measurement after, and the running source.

What a learner has predicted and what their runs have shown is kept under a name that is no widget's, for all pages of
the tab. A run is remembered when it ends; it may be gone from the pool when it is compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from core.i18n import ROOT
from core.runs.run import Run
from core.settings import N_
from core.ui import actions, session
from core.ui.align import align
from core.ui.exercise_card import card
from core.ui.language import _
from core.ui.lessons import exercises, record
from core.ui.lessons.exercise import Evidence, Exercise, Finding
from core.ui.lessons.probes import Probes
from core.ui.lessons.record import Record
from core.ui.page import Page
from core.ui.source import source_panel

STATE = "_guide"
STYLE = ROOT / "assets" / "css" / "guide.css"
ANCHOR = "experiments"
PARTS = {"exercises": N_("Experiments"), "source": N_("Running source")}
PATIENCE, AGAIN = 0.4, 0.5  # seconds to wait for an answer before drawing without it; until looking again


@dataclass
class Guide:
    """What one tab has predicted, run and found out."""

    records: list[Record] = field(default_factory=list)  # oldest first
    probes: Probes = field(default_factory=Probes)
    leanings: dict[str, str] = field(default_factory=dict)  # exercise -> the choice that is marked
    predictions: dict[str, str] = field(default_factory=dict)  # exercise -> the choice that was committed to
    found: dict[str, Finding] = field(default_factory=dict)  # exercise -> what was measured last
    open: dict[str, str] = field(default_factory=dict)  # experiment -> the exercise that is on screen
    part: str = "exercises"


def state() -> Guide:
    """The guide of this tab."""
    found: Guide = st.session_state.setdefault(STATE, Guide())
    return found


def pointer() -> str:
    """A link down to the experiments, as Markdown."""
    words = _("Experiments to try")
    return f"[{words} ↓](#{ANCHOR})"


def guide(page: Page, run: Run | None) -> None:
    """Draw the experiments of a page, or its source."""
    own = state()
    remember(own)
    st.html(STYLE)
    with st.container(key="guide", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            st.subheader(_("Try it"), anchor=ANCHOR, width="content")
            _pick("guide_part", own.part, {name: _(label) for name, label in PARTS.items()}, own)
        if own.part == "source":
            source_panel(page.experiment)
        else:
            _exercises(page, run, own)


def remember(own: Guide) -> None:
    """Keep a record of every run of this tab that has ended, and ask it what later comparisons will need."""
    for run in session.runs().by_page.values():
        if run.status != "finished":
            continue
        if not any((one.run, one.step) == (run.id, run.step) for one in own.records):
            own.records = [one for one in own.records if one.run != run.id] + [record.of(run)]
        for exercise in exercises(run.experiment):
            for request in exercise.keeps:
                own.probes.ask(run, request)


def _exercises(page: Page, run: Run | None, own: Guide) -> None:
    known = {one.name: one for one in exercises(page.experiment.name)}
    if not known:
        return
    chosen = own.open.setdefault(page.experiment.name, next(iter(known)))
    exercise = known[chosen]
    finding = _finding(page, run, exercise, own)  # before its tick is drawn
    labels = {name: f"{_tick(own, name)}{_(one.title)}" for name, one in known.items()}
    _pick("guide_exercise", chosen, labels, own, page.experiment.name)
    card(page, actions.current(page), exercise, own, finding)
    if own.probes.waiting():
        _look_again(own)


def _tick(own: Guide, name: str) -> str:
    return ":material/check_circle: " if name in own.found and name in own.predictions else ""


def _finding(page: Page, run: Run | None, exercise: Exercise, own: Guide) -> Finding:
    """What the learner's runs show by now. Nothing is measured before there is a prediction."""
    now = None if run is None else record.of(run)
    if run is not None and now is not None and now.trained and exercise.name in own.predictions:
        for request in exercise.asks:
            own.probes.ask(run, request)
        own.probes.waiting(PATIENCE)
    records = [one for one in own.records if one.experiment == page.experiment.name]
    finding = exercise.find(Evidence(records=records, now=now, probes=own.probes))
    if finding.done and exercise.name in own.predictions:
        own.found[exercise.name] = finding
    return finding


@st.fragment(run_every=AGAIN)
def _look_again(own: Guide) -> None:
    """Draw the page anew as soon as every answer is there."""
    if not own.probes.waiting():
        st.rerun()


def _pick(key: str, value: str, labels: dict[str, str], own: Guide, experiment: str | None = None) -> None:
    align(key, value)
    st.segmented_control(
        _("Experiments"),
        list(labels),
        default=value,
        key=key,
        format_func=labels.__getitem__,
        required=True,
        on_change=_picked,
        args=(key, own, experiment),
        label_visibility="collapsed",
    )


def _picked(key: str, own: Guide, experiment: str | None) -> None:
    value = st.session_state[key]
    if value is None:
        return
    if experiment is None:
        own.part = value
    else:
        own.open[experiment] = value
