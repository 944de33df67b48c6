"""Home: what this is, one model that has learned, and the ways in."""

from __future__ import annotations

import streamlit as st

from core.settings import N_
from core.ui import address, frame, home, language, links, navigation
from core.ui.language import _

HOME = "home"
WHAT = (
    N_("Four small transformers learn here while you watch."),
    N_("Type a sentence and see where every attention head looks, before, during and after training."),
    N_("Every map and every number is computed by the model on screen."),
)
FIRST = navigation.TRAIN[0]

parameters = address.read(HOME)
if parameters is not None:
    strange = list(links.own(parameters))
    wrong = [links.unknown(strange)] if strange else []
    st.session_state["_home_notices"] = wrong + language.notices()

frame.bar("Attention Live · 看见注意力")
frame.notices(st.session_state.get("_home_notices", ()))
words, living = st.columns([0.36, 0.64], gap="large")
with words, st.container(key="home", gap="small"):
    st.markdown(" ".join(_(sentence) for sentence in WHAT))
    if st.button(_("Begin with {name}", name=FIRST.title), key="begin", type="primary", icon=":material/school:"):
        st.switch_page(FIRST.page())
    for entry in navigation.TRAIN:
        with st.container(border=True, gap=None):
            st.page_link(entry.page(), label=f"**{_(entry.title)}**", icon=f":material/{entry.icon}:")
            st.caption(_(entry.about))
with living, st.container(key="living", gap="xsmall"):
    home.living_map()
address.write(HOME, language.parameters())
