"""When the address bar is read, and how it is written.

The address is written after every run, so that it always is the link to what is on screen. Reading it after every run
would undo what a person is doing: a run's address is what the browser showed when the run was *asked for*. Move two
sliders quickly and the second run carries an address from before the first was written; taking it at its word would
move the first slider back. So the rule is:

* A page reads its address when it is entered, and when a person has gone back or forward in the browser.
* On a page that stays, any other address is either one of its own, perhaps an old one still under way, and is
  ignored; or one it has never had, which can only come from a link, and is read.
* An address without parameters, on a page that was here before, says nothing: the page keeps what it had. Going back
  to such an address brings back what it stood for (:mod:`core.ui.page` remembers that).

Widgets are not bound to parameters (``bind=``), because bound ones cannot be written from here, are shared by all
pages, and cannot say what was wrong with a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

STATE = "_address"
REMEMBERED = 200  # addresses a page; older ones cannot be under way any more

Parameters = dict[str, str]


@dataclass
class History:
    """The addresses a session has had."""

    page: str | None = None
    entered: bool = False  # this run is the first on its page
    last: Parameters = field(default_factory=dict)
    had: dict[str, list[Parameters]] = field(default_factory=dict)  # page -> its addresses, oldest first


def history() -> History:
    """The session's own."""
    found: History = st.session_state.setdefault(STATE, History())
    return found


def travelled() -> bool:
    """Whether this run was asked for by the browser's back or forward button."""
    context = get_script_run_ctx(suppress_warning=True)
    return bool(context and context.is_history_navigation)


def read(page: str) -> Parameters | None:
    """The address's parameters when they are to be believed, None when the page stays as it is."""
    past, now = history(), st.query_params.to_dict()
    past.entered = past.page != page
    leaked = past.entered and past.page is not None and now == past.last  # written by the page before, too late
    had = past.had.setdefault(page, [])
    past.page = page
    if leaked or not (past.entered or travelled() or now not in had):
        return None
    if now not in had:
        had.append(now)
    return now


def write(page: str, parameters: Mapping[str, str]) -> None:
    """Make this the address.

    On entering a page it is sent even when it seems to stand there already: the page before may have written its own
    after the browser had moved on.
    """
    past, wanted = history(), dict(parameters)
    if past.entered or st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    had = past.had.setdefault(page, [])
    if wanted not in had:
        had.append(wanted)
    del had[:-REMEMBERED]
    past.last = wanted
