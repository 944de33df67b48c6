"""The router: runs on every visit and every change, chooses the page and lets it draw itself."""

from __future__ import annotations

import streamlit as st

from core.i18n import ROOT
from core.ui import language, navigation, session

ICON = ROOT / "assets" / "logo" / "icon.svg"

st.set_page_config(page_title="Attention Live", page_icon=str(ICON), layout="wide")
st.logo(str(ICON), size="small")
language.settle()
st.navigation(navigation.pages(), position="top").run()
session.heartbeat()
