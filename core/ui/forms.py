"""Draws a setting as the control that fits it. The setting's name is the control's key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.settings import Setting, SettingError, Value
from core.ui.align import align
from core.ui.language import _

Changed = Callable[[str, Value], None]
MANTISSAS = (1, 1.5, 2, 3, 4, 5, 6, 8)  # where a logarithmic slider stops in every decade
MOST_STOPS = 100  # a slider with more stops cannot be set exactly; then a number is typed
MOST_WORDS, MOST_NUMBERS = 4, 8  # options that stand side by side; more of them go into a list
AT_ONCE = ":material/bolt:"


def control(setting: Setting, value: Value, changed: Changed, *, note: str | None = None, narrow: bool = False) -> None:
    """Draw the control of a setting. A person's change is validated and handed to ``changed``.

    A ``narrow`` one stands among many: it marks that it takes effect at once, and lists its choices. ``note`` is said
    beneath the control. A setting that is not linked has a panel of its own.
    """
    if not setting.linked:
        return
    label = f"{_(setting.label)} {AT_ONCE}" if narrow and setting.live else _(setting.label)
    shared: dict[str, Any] = {
        "key": setting.name,
        "help": _(setting.help),
        "on_change": _arrived,
        "args": (setting, changed),
    }
    align(setting.name, value)
    if setting.kind == "choice":
        labels = {code: _(words) for code, words in setting.choices.items()}
        _options(label, labels, value, not narrow and len(labels) <= MOST_WORDS, shared)
    elif setting.kind == "switch":
        st.toggle(label, bool(value), **shared)
    elif setting.kind == "text":
        st.text_input(label, str(value), **shared)
    else:
        _number(setting, value, label, shared)
    if note:
        st.caption(note)


def pick(name: str, label: str, help: str | None, value: Value, labels: Mapping[Any, str], changed: Changed) -> None:
    """One of a few options that are not a setting's own, side by side as long as they fit."""
    align(name, value)
    shared = {"key": name, "help": help, "on_change": _picked, "args": (name, changed)}
    _options(label, labels, value, len(labels) <= MOST_NUMBERS, shared)


def _picked(name: str, changed: Changed) -> None:
    if st.session_state[name] is not None:
        changed(name, st.session_state[name])


def _arrived(setting: Setting, changed: Changed) -> None:
    """Take over what a person has set. What the browser allowed is checked here again: it may not be our page's."""
    value = st.session_state[setting.name]
    try:
        if isinstance(value, float):
            value = float(f"{value:.10g}")  # 0.3 rather than 0.30000000000000004
        if value is not None:
            changed(setting.name, setting.validate(value))
    except SettingError:
        return  # the control goes back to what it was


def _options(label: str, labels: Mapping[Any, str], value: Value, side_by_side: bool, shared: dict[str, Any]) -> None:
    codes, show = list(labels), labels.__getitem__
    if side_by_side:
        st.segmented_control(label, codes, default=value, format_func=show, required=True, **shared)
    else:
        st.selectbox(label, codes, index=codes.index(value), format_func=show, **shared)


def _number(setting: Setting, value: Value, label: str, shared: dict[str, Any]) -> None:
    low, high, step = setting.minimum, setting.maximum, setting.step
    assert low is not None and high is not None and step is not None
    if setting.logarithmic:
        stops = sorted({*logarithmic_stops(low, high), float(value)})
        st.select_slider(label, stops, float(value), format_func=lambda stop: f"{stop:g}", **shared)
    elif setting.kind == "integer":
        st.number_input(label, int(low), int(high), int(value), step=int(step), **shared)
    elif (high - low) / step <= MOST_STOPS:
        st.slider(label, low, high, float(value), step=step, **shared)
    else:
        st.number_input(label, low, high, float(value), step=step, format="%g", **shared)


def logarithmic_stops(low: float, high: float) -> list[float]:
    """Round numbers from low to high, a few in every decade."""
    exponents = range(-12, 13)
    stops = (float(f"{mantissa}e{exponent}") for exponent in exponents for mantissa in MANTISSAS)
    return [stop for stop in stops if low <= stop <= high]
