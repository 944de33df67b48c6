"""One measure of several runs in one chart, to compare them: the template and the look of each run's lines.

The browser draws the lines and makes them longer while the runs learn. Each run has a colour and a dash of its own:
either alone tells eight of them apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from core.figures.curve import LEFT, NARROW
from core.figures.theme import Palette, base_layout

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "5px 2px 1px 2px", "10px 3px")


@dataclass(frozen=True, kw_only=True)
class OverlayWords:
    """The words inside the chart."""

    step: str
    measure: str  # with its unit


def overlay(*, palette: Palette, words: OverlayWords, share: bool) -> go.Figure:
    """The chart without any run. A ``share`` lies between 0 and 1; anything else is a loss."""
    axis = {
        "gridcolor": palette.lines,
        "zeroline": False,
        "automargin": False,
        "exponentformat": "SI",
        "tickfont": {"size": 11},
    }
    bounds = {"range": [0, 1.02], "tickvals": [0, 0.25, 0.5, 0.75, 1]} if share else {}
    layout = base_layout(palette) | {
        "margin": {"l": LEFT, "r": NARROW, "t": 8, "b": 34},
        "hovermode": "x unified",
        "legend": {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "font": {"size": 11}},
        "xaxis": axis | {"title": {"text": words.step, "standoff": 2, "font": {"size": 12}}},
        "yaxis": axis | bounds | {"title": {"text": words.measure, "standoff": 4, "font": {"size": 12}}},
    }
    return go.Figure(layout=layout)


def line_style(place: int, palette: Palette) -> dict[str, str]:
    """Colour and dash of the run at that place, counted from 0. After the last colour they come again, dashed anew."""
    count = len(palette.runs)
    return {"color": palette.runs[place % count], "dash": DASHES[(place + place // count) % len(DASHES)]}
