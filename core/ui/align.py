"""Makes a widget show a value that is kept elsewhere."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st


def align(key: str, value: Any) -> None:
    """Make a widget that is about to be drawn show a value, but only when it shows another.

    What is set here is sent to the browser and would move a slider that a person is still dragging. The widget must be
    given the value as its default too: that is what it shows when it is new. Streamlit then knows the value from two
    sides, which the configuration tells it not to mind (``disableWidgetStateDuplicationWarning``). Set here alone, the
    value would reach the browser once; a second run right after the first can take its place before the browser has
    drawn it, and then the widget would show its minimum, and tell us so.
    """
    if key in st.session_state and not _same(st.session_state[key], value):
        st.session_state[key] = value


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9)  # sliders add their steps up: 0.30000000000000004
    return bool(one == other)
