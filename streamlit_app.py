"""The launcher: ``streamlit run streamlit_app.py``. The app's pages start in ``core/main.py``."""

# Plotly takes pandas as it finds it among the loaded modules. Loaded while one visitor waits, it is there by half, and
# breaks the figures of the others.
import pandas  # noqa: F401
import streamlit as st

from core.runs.lifespan import lifespan
from core.runs.routes import routes

app = st.App("core/main.py", lifespan=lifespan, routes=routes())
