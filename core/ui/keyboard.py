"""The keys of a page in one list: everything that the mouse does can be done without it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.settings import N_
from core.ui.language import _

MAPS = [
    (N_("Heads and layers"), "← → ↑ ↓", N_("the head beside it, the layer above or below")),
    (N_("Heads and layers"), "Home End", N_("the first head, the last head")),
    (N_("Tokens"), "← →", N_("the token beside it")),
    (N_("Tokens"), "Enter", N_("read the token: what it attends to, or what attends to it")),
    (N_("Tokens"), "Esc", N_("let go of the token")),
]
TIME = [
    (N_("Anywhere"), N_("space bar"), N_("play and pause the run's past")),
    (N_("Time"), "← →", N_("the snapshot before, the one after")),
    (N_("Time"), "Home End", N_("the first snapshot, the newest")),
]
PAGE = [(N_("Anywhere"), "Alt+P", N_("presenter view, and back"))]
DIGITS = [
    (N_("Tokens"), "0–9", N_("put another digit in its place")),
    (N_("Tokens"), "↑ ↓", N_("one more, one less")),
]
BLANKS = [
    (N_("Tokens"), "_", N_("make it a blank, or give its character back")),
    (N_("Tokens"), "?", N_("ask what the model would put there")),
]
GUESS = [(N_("Guess first"), "← →, Enter", N_("choose a key, and reveal the weights"))]
OWN = {"tiny_transformer": DIGITS, "mini_bert": BLANKS}  # what tokens can do on one page only
LAB = [(N_("Matrices"), "← → ↑ ↓", N_("the cell beside it is spelled out"))]


def keys_of(experiment: str) -> list[tuple[str, str, str]]:
    """Where a key works, the key and what it does, on the page of an experiment; still to be translated."""
    return [*PAGE, *TIME, *MAPS, *OWN.get(experiment, []), *GUESS]


def keyboard(keys: Sequence[tuple[str, str, str]]) -> None:
    """The list, behind a button of the bar."""
    popover = st.popover(_("Shortcuts"), icon=":material/keyboard:", key="keys", on_change="rerun")
    if popover.open:
        with popover, st.container(key="shortcuts"):
            names = (_("Where"), _("Press"), _("What it does"))
            head = f"| {' | '.join(names)} |\n|---|---|---|\n"
            st.markdown(head + "\n".join(f"| {_(where)} | **{_(key)}** | {_(what)} |" for where, key, what in keys))
