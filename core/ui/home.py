"""The live map of the first screen: the shipped MiniGPT reads a sentence of one's own."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.experiments import find
from core.settings import changed
from core.ui import session, silenced
from core.ui.attention_panel import map_of
from core.ui.components.look import look
from core.ui.language import _, language
from core.ui.provenance import described

EXPERIMENT = "mini_gpt"
VIEW = "_home_view"
LOOK = "look"


def living_map() -> None:
    """Draw the sentence and its maps. Nothing is trained here, and no run is made for a visitor."""
    run = session.pool().shipped(EXPERIMENT)
    experiment = replace(find(EXPERIMENT), generates=False)  # the first screen has no room for what it writes
    view = st.session_state.setdefault(VIEW, changed(experiment.view(), {"scale": "head"}))
    if run is None:
        st.info(_("No trained model ships with this copy of the app. Open a page and press Train."))
        return
    st.caption(f"**{experiment.title}** · {described(experiment, run).say(_)}")
    look(
        run,
        experiment=experiment,
        prompt=view.prompt,
        layer=view.layer,
        head=view.head,
        lens=view,
        causal_mask=None,
        temperature=view.temperature,
        top_k=view.top_k,
        tokens=0,
        following=False,
        language=language(),
        key=LOOK,
        silenced=view.silenced,
        on_change=_came_back,
        on_silence=_silence,
    )


def _silence(heads: str) -> None:
    run = session.pool().shipped(EXPERIMENT)
    if run is not None:
        known, _others = silenced.existing(heads, run.settings.layers, run.settings.heads)
        st.session_state[VIEW] = changed(st.session_state[VIEW], {"silenced": known})


def _came_back() -> None:
    """Keep the sentence that was typed and the small map that was clicked."""
    state = st.session_state.get(LOOK) or {}
    text, clicked = state.get("text"), map_of(state.get("map"))
    changes: dict[str, object] = {}
    if isinstance(text, str):
        changes["prompt"] = text
    run = session.pool().shipped(EXPERIMENT)
    if clicked is not None and run is not None:
        layer, head = clicked
        if 0 <= layer < run.settings.layers and 0 <= head < run.settings.heads:
            changes |= {"layer": layer, "head": head}
    st.session_state[VIEW] = changed(st.session_state[VIEW], changes)
