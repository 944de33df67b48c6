"""Beneath the maps: what became of each head while the run learned."""

from __future__ import annotations

import streamlit as st

from core.runs.run import Run
from core.ui.components.biography import biography
from core.ui.language import _
from core.ui.page import Page


def biography_panel(page: Page, run: Run | None) -> None:
    """The biographies of the heads of the layer that is looked at, over the whole width of the page."""
    with st.container(key="biographies", gap="xsmall"):
        st.subheader(_("Head biographies"), anchor="biographies")
        biography(run, layer=page.view.layer, head=page.view.head)
