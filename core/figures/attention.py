"""Attention maps: every head of a layer in a row of small maps, and one head large.

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

LEFT = 0.14  # share of a small map's place that is kept for the names of its queries
ROOMS = {
    4: (0.15, 0.17),
    8: (0.2, 0.28),
    16: (0.05, 0.4),
}  # heads: share for keys' names and titles, which do not shrink
FAINTEST = 1e-3  # the weight at which a logarithmic scale begins


@dataclass(frozen=True, kw_only=True)
class MapWords:
    """The words of a map."""

    query: str
    key: str
    weight: str
    masked: str
    difference: str = "difference"  # from attention that is spread evenly


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
    """All heads as small maps in one row, with room for a title above each: the page writes it, at no cost of painting.

    ``weights``: (heads, queries, keys); ``allowed`` (queries, keys) is False where masked. ``scale`` is ``fixed`` (one
    scale from 0 to 1), ``head`` (each head up to its own largest weight), ``log`` (one scale from 0.001 to 1, by
    tenfold) or ``uniform`` (the difference from attention spread evenly over the open cells).
    """
    traces: list[go.Heatmap] = []
    layout = _layout(palette)
    for head in range(heads):
        trace = _trace(None if weights is None else weights[head], allowed, words, scale, palette)
        traces.append(trace.update(xaxis=_axis("x", head), yaxis=_axis("y", head)))
        layout |= _place(head, heads, queries, keys)
    layout["shapes"] = [focus_frame(focus, palette)]
    layout |= {"margin": {"l": 2, "r": 2, "t": 0, "b": 0}, "dragmode": False}
    layout["coloraxis"] = colour_axis(scale, _bound(scale, weights, allowed), palette) | {"showscale": False}
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
    """One head large, with named axes and its colours' bounds. ``weights``: (queries, keys); ``scale`` as above."""
    highest = _bound(scale, weights, allowed)
    beyond = scale == "head" and weights is not None and bool(np.any(painted(weights, allowed, scale) > highest))
    trace = _trace(weights, allowed, words, scale if scale != "head" else "fixed", palette)
    bar = {
        "title": {"text": words.weight if scale != "uniform" else words.difference, "side": "right"},
        "thickness": 10,
        "xpad": 6,
        "outlinewidth": 0,
        **_marks(scale, highest, beyond),
    }
    layout = _layout(palette) | {
        "coloraxis": colour_axis(scale, highest, palette) | {"colorbar": bar},
        "margin": {"l": 58, "r": 74, "t": 6, "b": 44},
        "xaxis": ticks(keys) | {"anchor": "y"},
        "yaxis": ticks(queries) | {"anchor": "x"} | _downwards(queries),
        "annotations": _names(words),
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


def painted(weights: Weights, allowed: Allowed | None, scale: str) -> Weights:
    """What the colours stand for: (…, queries, keys) weights, their logarithm, or their difference from uniform."""
    open_cells = np.ones(weights.shape[-2:], dtype=np.bool_) if allowed is None else allowed
    if scale == "log":
        shown = np.log10(np.maximum(weights, FAINTEST))
    elif scale == "uniform":
        shown = weights - 1 / np.maximum(open_cells.sum(axis=-1, keepdims=True), 1)
    else:
        shown = weights
    return np.where(open_cells, shown, np.nan).astype(np.float32)


def colour_axis(scale: str, highest: float, palette: Palette) -> dict[str, object]:
    """The colours of a scale and what their ends stand for."""
    if scale == "uniform":
        return {"cmin": -highest, "cmax": highest, "colorscale": colorscale(palette.diverging)}
    low, high = (math.log10(FAINTEST), 0.0) if scale == "log" else (0.0, highest)
    return {"cmin": low, "cmax": high, "colorscale": colorscale(palette.sequential)}


def _bound(scale: str, weights: Weights | None, allowed: Allowed | None) -> float:
    """What the last colour stands for: 1, the largest weight, or the largest difference from uniform."""
    if weights is None or scale in ("fixed", "log") or (scale == "head" and weights.ndim > 2):
        return 1.0
    if scale == "head":
        return largest(weights, allowed)
    return float(np.nanmax(np.abs(painted(weights, allowed, scale)))) or 1.0


def _marks(scale: str, highest: float, beyond: bool) -> dict[str, object]:
    """Where the colour bar is labelled, and how."""
    if scale == "log":
        return {"tickvals": [-3, -2, -1, 0], "ticktext": ["≤ 0.001", "0.01", "0.1", "1"]}
    if scale == "uniform":
        return {"tickvals": [-highest, 0, highest], "ticktext": [f"−{highest:.3g}", "0", f"+{highest:.3g}"]}
    ends = ["0", f"{highest / 2:.3g}", f"{'≥ ' if beyond else ''}{highest:.3g}"]
    return {"tickvals": [0, highest / 2, highest], "ticktext": ends}


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
    trace = _own_scale(weights, allowed, palette) if scale == "head" else go.Heatmap(coloraxis="coloraxis")
    trace.hovertemplate = (
        f"{words.query} <b>%{{y}}</b> (%{{pointNumber[0]}})<br>{words.key} <b>%{{x}}</b> (%{{pointNumber[1]}})<br>"
        f"{words.weight} <b>%{{text}}</b><extra></extra>"
    )
    if weights is not None:
        open_cells = np.ones(weights.shape, dtype=np.bool_) if allowed is None else allowed
        trace.z = painted(weights, allowed, scale)
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
    number = "" if head == 0 else str(head + 1)
    below, above = next((rooms for most, rooms in ROOMS.items() if heads <= most), ROOMS[max(ROOMS)])
    return {
        f"xaxis{number}": ticks(keys)
        | {"domain": [(head + LEFT) / heads, (head + 1) / heads], "anchor": _axis("y", head)},
        f"yaxis{number}": ticks(queries)
        | {"domain": [below, 1 - above], "anchor": _axis("x", head)}
        | _downwards(queries),
    }


def _names(words: MapWords) -> list[dict[str, object]]:
    """The axes' names, at the edges of the figure. Plotly's own titles measure every label first."""
    common = {"xref": "paper", "yref": "paper", "showarrow": False, "borderpad": 0, "font": {"size": 14}}
    key = {"text": words.key, "x": 0.5, "y": 0, "yanchor": "bottom", "yshift": -44}
    query = {"text": words.query, "x": 0, "y": 0.5, "xanchor": "left", "xshift": -58, "textangle": -90}
    return [common | key, common | query]
