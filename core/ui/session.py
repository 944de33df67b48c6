"""Which runs belong to this browser tab, and how long they live.

A run lives on the server and never depends on a page. The tab keeps hold of its runs in three ways: a heartbeat every
few seconds tells the pool that somebody is looking; when the connection closes, the pool is told so at once; when it
comes back within Streamlit's ``disconnectedSessionTTL``, the heartbeat takes the runs up again. ``session_state``
holds handles only, never a model: closed sessions are cleared away late.
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


@dataclass
class Runs:
    """The runs of one tab: one for each page it has opened. Beside them its studies (:mod:`core.ui.study`)."""

    by_page: dict[str, Run] = field(default_factory=dict)
    studies: dict[str, Study] = field(default_factory=dict)  # by the keys that pages gave them
    refused: dict[str, Sentence] = field(default_factory=dict)  # why the last one under a key could not begin
    drawn: tuple[str, str] | None = None  # the run on screen and the status its buttons were drawn for

    @property
    def held(self) -> list[str]:
        """The ids of all of them."""
        return [run.id for run in self.by_page.values()] + [study.id for study in self.studies.values()]


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
