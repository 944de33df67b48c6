"""What the runs of a sweep have come to: one measure against the values of one setting, with the best guess's line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from core.figures.theme import Palette, base_layout

WIDE = 20  # values that lie further apart than this factor stand on a logarithmic axis


@dataclass(frozen=True, kw_only=True)
class SweepWords:
    """The words of the chart."""

    setting: str
    measure: str
    baseline: str = ""  # with its value; "" when there is none


def sweep(
    labels: Sequence[str],
    places: Sequence[float] | None,
    measured: Sequence[float],
    *,
    palette: Palette,
    words: SweepWords,
    share: bool,
    baseline: float | None = None,
) -> go.Figure:
    """A point a run. ``places`` are the values where they are numbers: then a line joins them, in their order.

    ``labels`` are the values as they are read; without places they stand side by side as bars. A ``share`` lies between
    0 and 1, anything else is a loss.
    """
    axis = {"gridcolor": palette.lines, "zeroline": False, "tickfont": {"size": 12}}
    order = (
        range(len(labels))
        if places is None
        else [index for _, index in sorted(zip(places, range(len(places)), strict=True))]
    )
    shared: dict[str, Any] = {
        "y": [measured[one] for one in order],
        "text": [f"{measured[one]:.3g}" for one in order],
        "customdata": [labels[one] for one in order],
        "hovertemplate": f"{words.setting} %{{customdata}}<br>{words.measure} %{{y:.4g}}<extra></extra>",
        "cliponaxis": False,
    }
    look = {"color": palette.categorical[0]}
    trace: go.Bar | go.Scatter
    if places is None:
        x: dict[str, Any] = {"type": "category"}
        trace = go.Bar(x=list(labels), marker=look, textposition="outside", width=0.5, **shared)
    else:
        values = [places[one] for one in order]
        x = {"tickvals": values, "ticktext": shared["customdata"]}
        if min(values) > 0 and max(values) / min(values) > WIDE:
            x["type"] = "log"
        shared |= {"textposition": "top center", "line": look | {"width": 2}, "marker": look | {"size": 10}}
        trace = go.Scatter(x=values, mode="lines+markers+text", **shared)
    most = max([*measured, baseline or 0.0], default=1.0)
    bounds = {"range": [0, 1.08], "tickvals": [0, 0.25, 0.5, 0.75, 1]} if share else {"range": [0, 1.15 * most or 1.0]}
    figure = go.Figure(
        [trace],
        base_layout(palette)
        | {
            "margin": {"l": 56, "r": 24, "t": 16, "b": 44},
            "xaxis": axis | x | {"title": {"text": words.setting, "standoff": 6, "font": {"size": 12}}},
            "yaxis": axis | bounds | {"title": {"text": words.measure, "standoff": 6, "font": {"size": 12}}},
        },
    )
    if baseline is not None:
        figure.add_hline(
            baseline,
            line={"color": palette.ghost, "dash": "dash", "width": 1.5},
            annotation={"text": words.baseline, "font": {"size": 12}, "xanchor": "right"},
            annotation_position="top right",
        )
    return figure
