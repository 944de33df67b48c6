"""Which runs belong to this browser tab, and how long they live.

A run lives on the server and never depends on a page. The tab keeps hold of its runs in three ways: a heartbeat every
few seconds tells the pool that somebody is looking; when the connection closes, the pool is told so at once; when it
comes back within Streamlit's ``disconnectedSessionTTL``, the heartbeat takes the runs up again. ``session_state``
holds handles only, never a model: closed sessions are cleared away late.

Each page trains one run. What it trained before stays with the tab, to be compared with, in a form that costs its
worker nothing; and a page may keep as many more runs as it compares.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from core.runs.pool import Pool, get_pool
from core.runs.run import Run
from core.runs.study import Study
from core.ui.words import Sentence

STATE = "_runs"
HEARTBEAT = 5  # seconds
MOST_KEPT = 32  # runs of one tab


@dataclass(eq=False)
class KeptRun:
    """A run that the tab keeps, under a name."""

    run: Run
    number: int  # counted among the tab's runs of the same experiment, from 1
    name: str = ""  # a person's own words; without any it is called by its number
    listed: bool = True  # whether it stands in the table of all runs


@dataclass
class Runs:
    """The runs of one tab: one for each page it has opened, and those that are kept.

    Beside them its studies (:mod:`core.ui.study`).
    """

    by_page: dict[str, Run] = field(default_factory=dict)
    studies: dict[str, Study] = field(default_factory=dict)  # by the keys that pages gave them
    refused: dict[str, Sentence] = field(default_factory=dict)  # why the last one under a key could not begin
    drawn: tuple[str, str] | None = None  # the run on screen and the status its buttons were drawn for
    kept: list[KeptRun] = field(default_factory=list)  # oldest first
    spared: list[Run] = field(default_factory=list)  # deleted, but still to be had back
    counted: dict[str, int] = field(default_factory=dict)  # experiment -> how many runs have been numbered

    def keep(self, run: Run, name: str = "", *, listed: bool = True) -> KeptRun:
        """Keep a run, whatever its state, until it is let go or the session ends: it trains on, and can be looked at.

        Keeping a run again only renames it, where there is a name. ``listed``: whether the page of all runs shows it.
        A tab keeps at most :data:`MOST_KEPT`; of more, the oldest that no page shows and that does not train is let go.
        """
        known = self.of(run)
        if known is not None:
            known.name = name or known.name
            return known
        number = self.counted.get(run.experiment, 0) + listed
        self.counted[run.experiment] = number
        kept = KeptRun(run, number, name, listed)
        self.kept.append(kept)
        shown = {one.id for one in self.by_page.values()} | {run.id}
        idle = [one for one in self.kept if one.run.id not in shown and one.run.status != "running"]
        for oldest in idle[: max(0, len(self.kept) - MOST_KEPT)]:
            self.let_go(oldest)
        return kept

    def replaced(self, run: Run) -> None:
        """A page has another run now. One that has learned something stays, archived; any other is let go."""
        if run.step > 0:
            self.keep(run)
            pool().archive(run.id)
        else:
            self.kept = [one for one in self.kept if one.run is not run]
            pool().retire(run.id)

    def let_go(self, kept: KeptRun) -> None:
        """End a kept run and free what it costs. One that is a page's own stays with its page."""
        self.kept = [one for one in self.kept if one is not kept]
        if all(one is not kept.run for one in self.by_page.values()):
            pool().drop(kept.run.id)

    def of(self, run: Run) -> KeptRun | None:
        """How a run is kept."""
        return next((one for one in self.kept if one.run is run), None)

    def listed(self) -> list[KeptRun]:
        """Every run of the tab that has learned something, or is about to, oldest first."""
        for run in self.by_page.values():
            if run.step > 0 or run.status == "running":
                self.keep(run)
        return [one for one in self.kept if one.listed]

    @property
    def held(self) -> list[str]:
        """The ids of all of them, each once."""
        runs = [*self.by_page.values(), *(one.run for one in self.kept), *self.spared]
        return list(dict.fromkeys([run.id for run in runs] + [study.id for study in self.studies.values()]))


def pool() -> Pool:
    """The server's pool of runs. Tests put another one here."""
    return get_pool()


def runs() -> Runs:
    """The runs of this tab."""
    found: Runs = st.session_state.setdefault(STATE, Runs())
    return found


def _let_go(own: Runs) -> None:
    """The connection has closed; whether for good, only time tells. Not called by the script: no Streamlit here."""
    for one in own.held:
        pool().orphan(one)


@st.cache_resource(scope="session", on_release=_let_go, show_spinner=False)
def _hold(_own: Runs) -> Runs:
    return _own


@st.fragment(run_every=HEARTBEAT)
def heartbeat() -> None:
    """Keep this tab's runs alive, and draw the page anew when its run has changed state behind its back.

    A timer is what makes Streamlit run anything at all after a reconnection. Call it last in a run.
    """
    own = runs()
    _hold(own)
    for one in own.held:
        pool().touch(one)
    shown = own.drawn and next((run for run in own.by_page.values() if run.id == own.drawn[0]), None)
    if own.drawn and shown and shown.status != own.drawn[1]:
        st.rerun()
