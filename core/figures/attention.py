"""Attention maps: every head of a layer in a block of small maps, and one head large.

Without weights the functions give the template that the browser fills in; with weights, the whole figure. Axes are
integers named by the tokens, because a categorical axis would merge the rows of equal characters. A masked cell holds
NaN: Plotly leaves it open, and the grey of the plot's background shows through.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from core.figures.theme import Palette, base_layout, colorscale
from core.figures.tokens import ticks

Weights = npt.NDArray[np.float32]
Allowed = npt.NDArray[np.bool_]

LEFT = 0.12  # share of a small map's place that is kept for the names of its queries …
BELOW, ABOVE = 0.13, 0.16  # … of its keys, and for its title …
BELOW_SMALLER, ABOVE_SMALLER = 0.15, 0.22  # … when more than two stand in a row: letters do not shrink with the maps


@dataclass(frozen=True, kw_only=True)
class MapWords:
    """The words of a map."""

    query: str
    key: str
    weight: str
    masked: str
    head: str  # with a place for {head}


def columns(heads: int) -> int:
    """How many small maps stand in one row: as many as there are rows, or one more, so that they fill a square."""
    return math.ceil(math.sqrt(heads))


def grid(
    weights: Weights | None = None,
    allowed: Allowed | None = None,
    *,
    heads: int,
    queries: Sequence[str] = (),
    keys: Sequence[str] = (),
    scale: str = "fixed",
    focus: int = 0,
    palette: Palette,
    words: MapWords,
) -> go.Figure:
    """All heads as small maps. ``weights``: (heads, queries, keys); ``allowed`` (queries, keys) is False where masked.

    ``scale`` is ``fixed`` (one scale from 0 to 1) or ``head`` (each head up to its own largest weight).
    """
    traces: list[go.Heatmap] = []
    layout = _layout(palette)
    for head in range(heads):
        trace = _trace(None if weights is None else weights[head], allowed, words, scale, palette)
        traces.append(trace.update(xaxis=_axis("x", head), yaxis=_axis("y", head)))
        layout |= _place(head, heads, queries, keys)
    layout["annotations"] = [_title(head, words) for head in range(heads)]
    layout["shapes"] = [focus_frame(focus, palette)]
    layout |= {"margin": {"l": 2, "r": 2, "t": 0, "b": 0}, "dragmode": False}
    layout["coloraxis"] = {"cmin": 0, "cmax": 1, "colorscale": colorscale(palette.sequential), "showscale": False}
    return go.Figure(traces, layout)


def zoom(
    weights: Weights | None = None,
    allowed: Allowed | None = None,
    *,
    queries: Sequence[str] = (),
    keys: Sequence[str] = (),
    scale: str = "fixed",
    palette: Palette,
    words: MapWords,
) -> go.Figure:
    """One head large, with named axes and the bounds of its colours. ``weights``: (queries, keys)."""
    highest = 1.0 if scale == "fixed" or weights is None else largest(weights, allowed)
    beyond = weights is not None and bool(np.any(weights > highest, where=True if allowed is None else allowed))
    trace = _trace(weights, allowed, words, "fixed", palette)
    bar = {
        "title": {"text": words.weight, "side": "right"},
        "thickness": 10,
        "xpad": 6,
        "outlinewidth": 0,
        "tickvals": [0, highest / 2, highest],
        "ticktext": ["0", f"{highest / 2:.3g}", f"{'≥ ' if beyond else ''}{highest:.3g}"],
    }
    layout = _layout(palette) | {
        "coloraxis": {"cmin": 0, "cmax": highest, "colorscale": colorscale(palette.sequential), "colorbar": bar},
        "margin": {"l": 58, "r": 74, "t": 6, "b": 44},
        "xaxis": ticks(keys) | {"title": {"text": words.key, "standoff": 6}, "anchor": "y"},
        "yaxis": ticks(queries) | {"title": {"text": words.query, "standoff": 6}, "anchor": "x"} | _downwards(queries),
    }
    return go.Figure([trace], layout)


def largest(weights: Weights, allowed: Allowed | None = None) -> float:
    """The largest weight of a map (queries, keys) that a query gave by choice.

    A query that may look at one key alone gives it everything (the first one under a causal mask); such rows count only
    when there are no others.
    """
    open_cells = np.ones(weights.shape, dtype=np.bool_) if allowed is None else allowed
    free = open_cells.sum(axis=-1, keepdims=True) > 1  # (queries, 1)
    counted = open_cells & free if free.any() else open_cells
    return float(np.max(weights, where=counted, initial=0.0))


def focus_frame(head: int, palette: Palette) -> dict[str, object]:
    """The frame around the small map that is shown large."""
    return {
        "type": "rect",
        "xref": f"{_axis('x', head)} domain",
        "yref": f"{_axis('y', head)} domain",
        "x0": 0,
        "x1": 1,
        "y0": 0,
        "y1": 1,
        "line": {"color": palette.focus, "width": 2},
    }


def _trace(
    weights: Weights | None, allowed: Allowed | None, words: MapWords, scale: str, palette: Palette
) -> go.Heatmap:
    trace = go.Heatmap(coloraxis="coloraxis") if scale == "fixed" else _own_scale(weights, allowed, palette)
    trace.hovertemplate = (
        f"{words.query} <b>%{{y}}</b> (%{{pointNumber[0]}})<br>{words.key} <b>%{{x}}</b> (%{{pointNumber[1]}})<br>"
        f"{words.weight} <b>%{{text}}</b><extra></extra>"
    )
    if weights is not None:
        open_cells = np.ones(weights.shape, dtype=np.bool_) if allowed is None else allowed
        trace.z = np.where(open_cells, weights, np.nan).astype(np.float32)
        trace.text = np.where(open_cells, np.char.mod("%.3f", weights), words.masked)
    return trace


def _own_scale(weights: Weights | None, allowed: Allowed | None, palette: Palette) -> go.Heatmap:
    highest = 1.0 if weights is None else largest(weights, allowed)
    return go.Heatmap(zmin=0, zmax=highest, colorscale=colorscale(palette.sequential), showscale=False)


def _layout(palette: Palette) -> dict[str, object]:
    axis = {
        "tickangle": 0,
        "automargin": False,
        "ticklabeloverflow": "allow",  # measuring every label against its neighbours was the largest cost of a paint
        "tickfont": {"size": 10},
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
    }
    axes = {"layout": {"xaxis": axis, "yaxis": axis | {"autorange": "reversed"}}}
    return base_layout(palette) | {"template": axes, "plot_bgcolor": palette.masked}


def _axis(letter: str, head: int) -> str:
    return letter if head == 0 else f"{letter}{head + 1}"


def _downwards(queries: Sequence[str]) -> dict[str, object]:
    """The first query stands on top."""
    return {"range": [len(queries) - 0.5, -0.5]} if queries else {"autorange": "reversed"}


def _place(head: int, heads: int, queries: Sequence[str], keys: Sequence[str]) -> dict[str, object]:
    wide = columns(heads)
    high = math.ceil(heads / wide)
    row, column = divmod(head, wide)
    number = "" if head == 0 else str(head + 1)
    below, above = (BELOW, ABOVE) if wide <= 2 else (BELOW_SMALLER, ABOVE_SMALLER)
    across = [(column + LEFT) / wide, (column + 1) / wide]
    down = [1 - (row + 1 - below) / high, 1 - (row + above) / high]
    return {
        f"xaxis{number}": ticks(keys) | {"domain": across, "anchor": _axis("y", head)},
        f"yaxis{number}": ticks(queries) | {"domain": down, "anchor": _axis("x", head)} | _downwards(queries),
    }


def _title(head: int, words: MapWords) -> dict[str, object]:
    return {
        "text": words.head.format(head=head),
        "xref": f"{_axis('x', head)} domain",
        "yref": f"{_axis('y', head)} domain",
        "x": 0.5,
        "y": 1,
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12},
    }
