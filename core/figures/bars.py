"""Predictions as bars: the likeliest candidates, each with its probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from core.figures.theme import Palette, base_layout
from core.figures.tokens import ticks

MOST_BARS = 10


@dataclass(frozen=True, kw_only=True)
class BarWords:
    """The words of the bars."""

    probability: str


def bars(
    probabilities: npt.NDArray[np.float32] | None = None,
    labels: Sequence[str] = (),
    *,
    palette: Palette,
    words: BarWords,
) -> go.Figure:
    """The ten largest ``probabilities`` (candidates,) with their ``labels``; without them, the template."""
    layout = base_layout(palette) | {
        "margin": {"l": 40, "r": 46, "t": 6, "b": 44},
        "bargap": 0.25,
        "xaxis": {
            "title": {"text": words.probability, "standoff": 6},
            "range": [0, 1],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "fixedrange": True,
            "tickangle": 0,
            "gridcolor": palette.lines,
            "zeroline": False,
        },
        "yaxis": {
            "range": [MOST_BARS - 0.5, -0.5],
            "fixedrange": True,
            "automargin": False,
            "tickangle": 0,
            "ticks": "",
            "tickfont": {"size": 14},
            "showgrid": False,
            "zeroline": False,
        },
        "dragmode": False,
    }
    trace = go.Bar(
        orientation="h",
        marker={"color": palette.categorical[0]},
        texttemplate="%{x:.3f}",
        textposition="outside",
        cliponaxis=False,
        hovertemplate=f"<b>%{{y}}</b><br>{words.probability} %{{x:.4f}}<extra></extra>",
    )
    figure = go.Figure([trace], layout)
    if probabilities is not None:
        best = np.argsort(-probabilities, kind="stable")[:MOST_BARS]
        figure.update_traces(x=probabilities[best].astype(np.float32), y=np.arange(len(best), dtype=np.int32))
        figure.update_yaxes(ticks([labels[index] for index in best]))
    return figure
