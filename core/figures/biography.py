"""Biographies of heads: what each head of a layer looked at, against the step of the training, in small multiples.

Five measures of a head's weights on one text, each averaged over the queries: the entropy of what a query attends to,
with the line that attending to all keys alike would reach (ln of their number); the mean distance of the tokens that
are attended to; and the share on the token before, on the first token and on the query's own.
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

MEASURES = ("entropy", "distance", "previous", "first", "self")  # from left to right
SHARES = ("previous", "first", "self")
GAP = 0.035  # of the width, between two measures: the numbers of the next axis stand there


@dataclass(frozen=True, kw_only=True)
class BiographyWords:
    """The words of the biographies."""

    measures: tuple[str, ...]  # in the order of MEASURES
    step: str
    head: str  # with a place for {head}
    uniform: str


def biography(
    given: Mapping[str, Numbers] | None = None,
    steps: Steps | None = None,
    *,
    heads: int,
    chosen: int = 0,
    palette: Palette,
    words: BiographyWords,
) -> go.Figure:
    """The measures (heads, steps) by their names; without any, the template.

    Traces: of each measure one a head, measure after measure, then the line of uniform attention, whose value is
    ``given["uniform_entropy"]`` (steps,).
    """
    traces = [
        _line(words.head.format(head=head), measure, palette).update(head_style(head == chosen, palette))
        for measure in range(len(MEASURES))
        for head in range(heads)
    ]
    traces.append(_line(words.uniform, 0, palette).update(line={"color": palette.text, "width": 1.25, "dash": "dot"}))
    if given is not None:
        values = [row for measure in MEASURES for row in given[measure]] + [given["uniform_entropy"]]
        for trace, numbers in zip(traces, values, strict=True):
            trace.update(x=steps, y=numbers.astype(np.float32))
    return go.Figure(traces, _layout(palette, words))


def head_style(chosen: bool, palette: Palette) -> dict[str, object]:
    """How the line of a head is drawn: the chosen one strong and in front, the others faint."""
    if chosen:
        return {"line": {"color": palette.categorical[0], "width": 2.5}, "opacity": 1, "zorder": 1}
    return {"line": {"color": palette.ghost, "width": 1.25}, "opacity": 0.6, "zorder": 0}


def _line(name: str, measure: int, palette: Palette) -> go.Scatter:
    number = "" if measure == 0 else str(measure + 1)
    return go.Scatter(
        name=name,
        xaxis=f"x{number}",
        yaxis=f"y{number}",
        mode="lines",
        hovertemplate=f"{name} · %{{x}}: <b>%{{y:.3f}}</b><extra></extra>",
    )


def _layout(palette: Palette, words: BiographyWords) -> dict[str, object]:
    layout = base_layout(palette) | {
        "margin": {"l": 34, "r": 8, "t": 22, "b": 32},
        "hovermode": "closest",
        "dragmode": False,
        "annotations": [_title(*one) for one in zip(words.measures, _domains(), strict=True)],
    }
    axis = {
        "gridcolor": palette.lines,
        "zeroline": False,
        "automargin": False,
        "fixedrange": True,
        "exponentformat": "SI",
        "tickfont": {"size": 11},
        "nticks": 5,
    }
    for place, (measure, domain) in enumerate(zip(MEASURES, _domains(), strict=True), start=1):
        number = "" if place == 1 else str(place)
        title = {"text": words.step, "standoff": 2, "font": {"size": 11}}
        layout[f"xaxis{number}"] = axis | {"domain": domain, "anchor": f"y{number}", "title": title}
        ends = {"range": [0, 1.02], "tickvals": [0, 0.5, 1]} if measure in SHARES else {"rangemode": "tozero"}
        layout[f"yaxis{number}"] = axis | {"anchor": f"x{number}"} | ends
    return layout


def _domains() -> Sequence[list[float]]:
    width = (1 - GAP * (len(MEASURES) - 1)) / len(MEASURES)
    return [[place * (width + GAP), place * (width + GAP) + width] for place in range(len(MEASURES))]


def _title(text: str, domain: list[float]) -> dict[str, object]:
    return {
        "text": text,
        "xref": "paper",
        "x": domain[0],
        "xanchor": "left",
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12},
    }
