"""The parts of a page that live in the browser: a folder each, with a Python face and JavaScript in files of its own.

Streamlit is handed a few lines that load the component's module from ``./components/…``, so the modules are plain
files: they import each other, the browser caches them, and a debugger shows them as they stand here.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

FOLDER = Path(__file__).parent


@cache
def load_component(name: str) -> ComponentRenderer:
    """What mounts the component of that folder: its HTML and CSS, and the loader of its module."""
    return st.components.v2.component(
        f"attention_live_{name}",
        html=_read(f"{name}/{name}.html"),
        css=_read("shared/shared.css") + _read(f"{name}/{name}.css"),
        js=_read("shared/loader.js").replace("MODULE", f"./components/{name}/{name}.js?v={_version()}"),
        isolate_styles=False,  # Plotly puts its style sheet into the document, where a shadow root would not see it
    )


def _read(file: str) -> str:
    return (FOLDER / file).read_text(encoding="utf-8")


@cache
def _version() -> str:
    """A name for the scripts as they are, so that a browser never runs old ones against a new server."""
    digest = hashlib.sha256()
    for script in sorted(FOLDER.glob("*/*.js")):
        digest.update(script.read_bytes())
    return digest.hexdigest()[:12]
