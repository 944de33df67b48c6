"""The curves of a run: training loss, held-out loss and the experiment's own measure, against the step.

A measure that is itself a loss shares the axis of the losses; a share (an accuracy) has an axis of its own on the
right, from 0 to 1. Steps at which a live setting changed carry a vertical mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from core.figures.theme import Palette, base_layout

Numbers = npt.NDArray[np.float32]
Steps = npt.NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class CurveWords:
    """The words of the curves."""

    step: str
    loss: str  # with its unit
    training: str
    held_out: str
    metric: str
    share: str  # the title of the axis on the right


@dataclass(frozen=True, kw_only=True)
class Series:
    """Values at some of the steps."""

    steps: Steps
    values: Numbers


def is_loss(metric: str) -> bool:
    """Whether a measure is a loss (and shares the axis of the losses) or a share between 0 and 1."""
    return metric.endswith("loss")


def curve(
    training: Series | None = None,
    held_out: Series | None = None,
    metric: Series | None = None,
    marks: Sequence[tuple[int, str]] = (),
    *,
    metric_name: str,
    palette: Palette,
    words: CurveWords,
) -> go.Figure:
    """The curves of a run; without any, the template. ``marks``: (step, what changed there)."""
    axis = "y" if is_loss(metric_name) else "y2"
    blue, orange, green = palette.categorical[:3]
    traces = [
        _line(training, words.training, blue, "lines", words),
        _line(held_out, words.held_out, orange, "lines+markers", words),
        _line(metric, words.metric, green, "lines+markers", words).update(yaxis=axis, line={"dash": "dot"}),
    ]
    layout = _layout(palette, words, right=axis == "y2")
    layout["shapes"] = [mark_line(step, palette) for step, _ in marks]
    layout["annotations"] = [mark_words(step, changed, palette) for step, changed in marks]
    return go.Figure(traces, layout)


def mark_line(step: int, palette: Palette) -> dict[str, object]:
    """The vertical line at a step where a live setting changed."""
    line = {"color": palette.text, "width": 1, "dash": "dash"}
    return {"type": "line", "x0": step, "x1": step, "yref": "paper", "y0": 0, "y1": 1, "line": line, "opacity": 0.5}


def mark_words(step: int, changed: str, palette: Palette) -> dict[str, object]:
    """What changed at a marked step, written along its line."""
    return {
        "text": changed,
        "x": step,
        "yref": "paper",
        "y": 1,
        "xanchor": "left",
        "yanchor": "top",
        "textangle": 90,
        "showarrow": False,
        "font": {"size": 11, "color": palette.text},
    }


def _line(series: Series | None, name: str, color: str, mode: str, words: CurveWords) -> go.Scatter:
    trace = go.Scatter(
        name=name,
        mode=mode,
        line={"color": color, "width": 1.75},
        marker={"color": color, "size": 5},
        hovertemplate=f"{words.step} %{{x}}<br>{name} <b>%{{y:.4f}}</b><extra></extra>",
        showlegend=True,
    )
    if series is not None:
        trace.x, trace.y = series.steps.astype(np.int32), series.values.astype(np.float32)
    return trace


def _layout(palette: Palette, words: CurveWords, *, right: bool) -> dict[str, object]:
    axis = {"gridcolor": palette.lines, "zeroline": False, "rangemode": "tozero", "automargin": False}
    layout = base_layout(palette) | {
        "margin": {"l": 58, "r": 58 if right else 14, "t": 30, "b": 44},
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        "xaxis": axis | {"title": {"text": words.step, "standoff": 6}},
        "yaxis": axis | {"title": {"text": words.loss, "standoff": 8}},
    }
    if right:
        layout["yaxis2"] = axis | {
            "title": {"text": words.share, "standoff": 8},
            "overlaying": "y",
            "side": "right",
            "range": [0, 1.02],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "showgrid": False,
        }
    return layout
