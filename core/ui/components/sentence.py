"""A sentence that is typed in the browser and kept in Python: who has the newer one is told by a number."""

from __future__ import annotations

import streamlit as st

BOX = "_box_"  # session state: the sentence that the browser shows, and how often Python has replaced it


def revision(key: str, prompt: str) -> int:
    """How often Python has put another sentence into the box of a component.

    The browser replaces what stands in its box only when this number grows: what it has told Python itself comes back
    late, and one may have typed on.
    """
    text, count = st.session_state.get(BOX + key, (None, 0))
    if text != prompt:
        count += 1
        st.session_state[BOX + key] = (prompt, count)
    return int(count)


def said(key: str) -> None:
    """The browser has told its sentence: it need not be told it back."""
    text = st.session_state[key].get("text")
    if isinstance(text, str):
        count = st.session_state.get(BOX + key, (None, 0))[1]
        st.session_state[BOX + key] = (text, count)
