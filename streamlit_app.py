"""The launcher: ``streamlit run streamlit_app.py``. The app's pages start in ``core/main.py``."""

import streamlit as st

from core.runs.lifespan import lifespan
from core.runs.routes import routes

app = st.App("core/main.py", lifespan=lifespan, routes=routes())
