"""Home: what this is, and the ways in."""

import streamlit as st

from core.settings import N_
from core.ui import address, frame, language, links, navigation
from core.ui.language import _

HOME = "home"
WHAT = (
    N_("Tiny transformers learn here while you watch."),
    N_("Type your own sentence and see where every attention head looks, before, during and after training."),
    N_("Every map and every number is computed by the model on screen."),
)

parameters = address.read(HOME)
if parameters is not None:
    strange = list(links.own(parameters))
    wrong = [links.unknown(strange)] if strange else []
    st.session_state["_home_notices"] = wrong + language.notices()

frame.bar("Attention Live · 看见注意力")
frame.notices(st.session_state.get("_home_notices", ()))
st.markdown("  \n".join(_(sentence) for sentence in WHAT), width=720)
for column, entry in zip(st.columns(len(navigation.TRAIN), border=True), navigation.TRAIN, strict=True):
    with column:
        st.subheader(entry.title, anchor=False)
        st.markdown(_(entry.about))
        st.page_link(entry.page(), label=_("Open {name}", name=entry.title), icon=":material/arrow_forward:")
address.write(HOME, language.parameters())
