"""The frame of every page: one bar with the title, the page's buttons and the language; beneath it what was wrong."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.i18n import ROOT
from core.ui.language import _, language_control
from core.ui.words import Sentence

STYLE = ROOT / "assets" / "css" / "app.css"


def bar(title: str) -> DeltaGenerator:
    """Draw the bar; what it returns is the place for the page's own buttons."""
    st.html(STYLE)
    with st.container(key="bar", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.title(title, anchor=False, width="content")
        place = st.container(key="buttons", horizontal=True, width="content", gap="xsmall")
        with st.container(width="content"):
            language_control()
    return place


def notices(sentences: Sequence[Sentence]) -> None:
    """Say what was wrong with the link; it stays until the page is entered anew."""
    if sentences:
        st.warning("  \n".join(sentence.say(_) for sentence in sentences), icon=":material/link_off:")
