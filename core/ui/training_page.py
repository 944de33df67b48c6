"""A page on which one experiment trains and is looked at: its bar, its two panels, and the guide beneath them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.ui import actions, frame, page, presenter
from core.ui.attention_panel import attention_panel, writing_controls
from core.ui.biography_panel import biography_panel
from core.ui.guide import guide, pointer
from core.ui.keyboard import keyboard, keys_of
from core.ui.language import _
from core.ui.provenance import provenance
from core.ui.training_panel import buttons, training_panel


def training_page(experiment: str, prose: str, in_sight: Sequence[str]) -> None:
    """Draw the page of an experiment. ``prose`` is a marked string; the settings ``in_sight`` stay visible."""
    here = page.enter(experiment)
    if here.view.present != presenter.OFF:
        presenter.present(here, in_sight)
        page.leave(here)
        return
    place = frame.bar(_(here.experiment.title))
    run = actions.opened(here)
    with place:
        buttons(here, run)
        presenter.button(here)
        keyboard(keys_of(here.experiment.name))
    frame.notices(here.notices)
    with st.container(key="about", gap=None):
        st.caption(f"{_(prose)} {pointer()}")
        provenance(here, run)
    training, looking = st.columns([0.33, 0.67], gap="medium")
    with looking:
        attention_panel(here, run, lambda: presenter.controls_choice(here, in_sight))
    with training, st.container(key="training", gap="xsmall"):
        training_panel(here, run, in_sight)
        writing_controls(here)
    biography_panel(here, run)
    guide(here, run)
    page.leave(here)
