"""The curves of a run: training loss, held-out loss and the experiment's own measure, against the step.

The training loss is there twice: faint as every step had it, strong as a moving average. A measure that is itself a
loss shares the axis of the losses; a share (an accuracy) has an axis of its own on the right, from 0 to 1. The run
before this one is a ghost behind it. Horizontal lines say what guesses without a model reach; steps at which a live
setting changed carry a vertical mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    smoothed: str
    held_out: str
    metric: str
    previous: str
    share: str  # the title of the axis on the right


@dataclass(frozen=True, kw_only=True)
class Series:
    """Values at some of the steps."""

    steps: Steps
    values: Numbers


def is_loss(metric: str) -> bool:
    """Whether a measure is a loss (and shares the axis of the losses) or a share between 0 and 1."""
    return metric.endswith("loss")


LEFT, RIGHT, NARROW = 50, 46, 10  # pixels beside the plotted area: on the right with an axis and without one
CURVES = ("training", "held_out", "metric", "smoothed", "previous", "previous_metric")  # in the order of the traces


def curve(
    given: Mapping[str, Series] | None = None,
    marks: Sequence[tuple[int, str]] = (),
    *,
    metric_name: str,
    palette: Palette,
    words: CurveWords,
) -> go.Figure:
    """The curves of a run by their names; without any, the template. ``marks``: (step, what changed there)."""
    axis = "y" if is_loss(metric_name) else "y2"
    blue, orange, green = palette.categorical[:3]
    grey = palette.ghost
    series = {} if given is None else given
    traces = {
        "training": _line(words.training, blue, legendrank=2, opacity=0.4, line={"width": 1}),
        "held_out": _line(words.held_out, orange, mode="lines+markers", legendrank=3),
        "metric": _line(words.metric, green, mode="lines+markers", legendrank=4, yaxis=axis, line={"dash": "dot"}),
        "smoothed": _line(words.smoothed, blue, legendrank=1, line={"width": 2.5}),
        "previous": _line(words.previous, grey, legendrank=5, zorder=-1, legendgroup="previous"),
        "previous_metric": _line(
            words.metric,
            grey,
            zorder=-1,
            legendgroup="previous",
            showlegend=False,
            yaxis=axis,
            line={"dash": "dot"},
        ),
    }
    for name, points in series.items():
        traces[name].update(x=points.steps.astype(np.int32), y=points.values.astype(np.float32))
    layout = _layout(palette, words, right=axis == "y2")
    layout["shapes"] = [mark_line(step, palette) for step, _ in marks]
    layout["annotations"] = [mark_words(step, changed, palette) for step, changed in marks]
    return go.Figure([traces[name] for name in CURVES], layout)


def mark_line(step: int, palette: Palette) -> dict[str, object]:
    """The vertical line at a step where a live setting changed."""
    line = {"color": palette.text, "width": 1, "dash": "dash"}
    return {"type": "line", "x0": step, "x1": step, "yref": "paper", "y0": 0, "y1": 1, "line": line, "opacity": 0.6}


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
        "borderpad": 1,
        "font": {"size": 12, "color": palette.text},
    }


def reference_line(value: float, palette: Palette, *, right: bool = False) -> dict[str, object]:
    """The horizontal line of what a guess reaches: a loss, or, on the ``right``, a share."""
    line = {"color": palette.categorical[2] if right else palette.text, "width": 1.25, "dash": "longdashdot"}
    ends = {"xref": "paper", "x0": 0, "x1": 1, "yref": "y2" if right else "y", "y0": value, "y1": value}
    return {"type": "line", "line": line, "opacity": 0.7, "layer": "below", **ends}


def reference_words(value: float, said: str, palette: Palette, *, right: bool = False) -> dict[str, object]:
    """What such a line stands for, written on it at its end."""
    return {
        "text": said,
        "xref": "paper",
        "x": 1,
        "xanchor": "right",
        "yref": "y2" if right else "y",
        "y": value,
        "yanchor": "bottom",
        "showarrow": False,
        "borderpad": 0,
        "font": {"size": 11, "color": palette.categorical[2] if right else palette.text},
    }


def _line(name: str, color: str, *, mode: str = "lines", **more: object) -> go.Scatter:
    trace = go.Scatter(
        name=name,
        mode=mode,
        line={"color": color, "width": 1.75},
        marker={"color": color, "size": 5},
        hovertemplate=f"{name} <b>%{{y:.3g}}</b><extra></extra>",
        showlegend=True,
    )
    return trace.update(more)


def margins(metric_name: str) -> tuple[int, int]:
    """The pixels to the left and to the right of the plotted area, so that what stands beneath can line up with it."""
    return LEFT, (NARROW if is_loss(metric_name) else RIGHT)


def _layout(palette: Palette, words: CurveWords, *, right: bool) -> dict[str, object]:
    axis = {
        "gridcolor": palette.lines,
        "zeroline": False,
        "automargin": False,
        "exponentformat": "SI",
        "tickfont": {"size": 11},
    }
    layout = base_layout(palette) | {
        "margin": {"l": LEFT, "r": RIGHT if right else NARROW, "t": 8, "b": 34},
        "showlegend": False,  # the page has one of its own, and an image gets one
        "hovermode": "x unified",
        "legend": {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "font": {"size": 11}},
        "xaxis": axis | {"title": {"text": words.step, "standoff": 2, "font": {"size": 12}}},
        "yaxis": axis | {"title": {"text": words.loss, "standoff": 4, "font": {"size": 12}}, "rangemode": "tozero"},
    }
    if right:
        layout["yaxis2"] = axis | {
            "title": {"text": words.share, "standoff": 4, "font": {"size": 12}},
            "overlaying": "y",
            "side": "right",
            "range": [0, 1.02],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "showgrid": False,
        }
    return layout
