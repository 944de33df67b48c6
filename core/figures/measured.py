"""The charts of what pages measure: lines, stacked bars, and maps with their own colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures.lab import DIVERGING
from core.figures.numbers import power
from core.figures.overlay import DASHES
from core.figures.theme import Palette, base_layout, colorscale

Numbers = Sequence[float | None]
MOST_APART = 24  # cells a side that have room for a line between them
DASHED = 48  # pixels of a line in the legend: the longest dash shows more than once
LETTERS = 12  # of the words of an axis
GAP = 0.06  # between maps that stand side by side


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line: its name in the legend and its points. ``guide`` is a reference, thin and dotted in a quiet colour."""

    name: str
    x: Numbers
    y: Numbers
    guide: bool = False
    place: int | None = None  # of its colour and dash; otherwise its own among the lines


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis: its words, and what is special about its numbers."""

    title: str
    log: bool = False
    ticks: Sequence[float] = ()
    bounds: tuple[float, float] | None = None

    def layout(self, palette: Palette) -> dict[str, Any]:
        """As Plotly takes it."""
        found: dict[str, Any] = {
            "title": {"text": self.title, "standoff": 4, "font": {"size": LETTERS}},
            "gridcolor": palette.lines,
            "zeroline": False,
            "automargin": True,
        }
        if self.log:
            found["type"] = "log"
        if self.ticks:
            found |= {
                "tickvals": list(self.ticks),
                "ticktext": [power(one) if self.log else f"{one:g}" for one in self.ticks],
            }
        if self.bounds:
            found["range"] = list(self.bounds)
        return found


def lines(drawn: Sequence[Line], *, palette: Palette, x: Axis, y: Axis, markers: bool = True) -> go.Figure:
    """Several lines in one chart, told apart by colour and by dash."""
    layout = base_layout(palette) | {
        "margin": {"l": 56, "r": 12, "t": 34, "b": 44},
        "showlegend": len(drawn) > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemwidth": DASHED},
        "hovermode": "x unified",
        "xaxis": x.layout(palette),
        "yaxis": y.layout(palette),
    }
    figure = go.Figure(layout=layout)
    for own, one in enumerate(drawn):
        place = own if one.place is None else one.place
        style = {"color": palette.runs[place % len(palette.runs)], "dash": DASHES[place % len(DASHES)], "width": 2.5}
        if one.guide:
            style = {"color": palette.ghost, "dash": "dot", "width": 1.5}
        figure.add_scatter(
            x=list(one.x),
            y=list(one.y),
            name=one.name,
            line=style,
            mode="lines" if one.guide or not markers else "lines+markers",
            hovertemplate=f"{one.name} <b>%{{y:.3g}}</b><extra></extra>",
        )
    return figure


def stacked(rows: Sequence[str], parts: Mapping[str, Numbers], *, palette: Palette, x: Axis) -> go.Figure:
    """A bar a row, made of parts (name → a number a row)."""
    layout = base_layout(palette) | {
        "margin": {"l": 96, "r": 12, "t": 34, "b": 44},
        "barmode": "stack",
        "bargap": 0.35,
        "showlegend": len(parts) > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        "xaxis": x.layout(palette),
        "yaxis": {"autorange": "reversed", "automargin": True},
    }
    figure = go.Figure(layout=layout)
    for place, (name, numbers) in enumerate(parts.items()):
        figure.add_bar(
            y=list(rows),
            x=list(numbers),
            name=name,
            orientation="h",
            marker={"color": palette.runs[place % len(palette.runs)], "line": {"color": palette.hover, "width": 1}},
            hovertemplate=f"{name} <b>%{{x:.3s}}</b><extra></extra>",
        )
    return figure


@dataclass(frozen=True, kw_only=True)
class Map:
    """A map: rows of numbers, None where nothing is; the words of its axes; what its cells say when pointed at.

    A ``diverging`` one has orange below zero and blue above, as the maps of the lab.
    """

    title: str
    cells: Sequence[Numbers]
    rows: str
    columns: str
    hover: str = "%{z:.3f}"
    bounds: tuple[float, float] = (0.0, 1.0)
    diverging: bool = False
    square: bool = True
    words: Sequence[Sequence[str]] = field(default=())  # of every cell, if its number is not what is said


def maps(drawn: Sequence[Map], *, palette: Palette, scale: bool = False) -> go.Figure:
    """Maps side by side. Cells without a number are of the masked colour; ``scale`` draws the colours' bar."""
    figure = make_subplots(rows=1, cols=len(drawn), subplot_titles=[one.title for one in drawn], horizontal_spacing=GAP)
    for place, one in enumerate(drawn, start=1):
        cells = np.array(one.cells, dtype=np.float32)
        colours = DIVERGING[palette.name] if one.diverging else palette.sequential
        figure.add_heatmap(
            z=cells,
            zmin=one.bounds[0],
            zmax=one.bounds[1],
            colorscale=colorscale(colours),
            showscale=scale and place == len(drawn),
            xgap=1 if cells.shape[1] <= MOST_APART else 0,
            ygap=1 if cells.shape[0] <= MOST_APART else 0,
            text=[list(row) for row in one.words] if one.words else None,
            hovertemplate=f"{one.rows} %{{y}}, {one.columns} %{{x}}: <b>{one.hover}</b><extra></extra>",
            hoverongaps=False,
            row=1,
            col=place,
        )
        _map_axes(figure, one, place)
    layout: dict[str, Any] = base_layout(palette)
    figure.update_layout(layout | {"margin": {"l": 46, "r": 12, "t": 34, "b": 44}})
    figure.update_layout(plot_bgcolor=palette.masked)
    return figure


def _map_axes(figure: go.Figure, one: Map, place: int) -> None:
    shared = {"showgrid": False, "zeroline": False, "ticks": "", "tickformat": "d", "rangemode": "tozero"}
    font = {"size": LETTERS}
    figure.update_xaxes(
        title={"text": one.columns, "standoff": 4, "font": font}, constrain="domain", row=1, col=place, **shared
    )
    tied = {"scaleanchor": f"x{place if place > 1 else ''}", "constrain": "domain"} if one.square else {}
    figure.update_yaxes(
        title={"text": one.rows, "standoff": 4, "font": font}, autorange="reversed", row=1, col=place, **shared, **tied
    )
