"""Two ways of training over each other, seed by seed: one measure against the step, with what a guess reaches.

The right way has one colour, the wrong way another; a seed has a dash. Losses can be drawn on a
logarithmic axis: a twin that has learned and one that has not may lie decades apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from core.figures.curve import LEFT, NARROW, reference_words
from core.figures.numbers import power, scale
from core.figures.overlay import DASHES
from core.figures.theme import Palette, base_layout

SMOOTHED = 10  # steps of the moving average
MOST_MARKED = 60  # points; a curve with more is a line alone
LOWEST = 1e-6  # a loss of exactly 0 has no logarithm


@dataclass(frozen=True, kw_only=True)
class Course:
    """The values of one twin with one seed."""

    seed: int
    broken: bool
    steps: Sequence[int]
    values: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class TwinWords:
    """The words of the curves."""

    step: str
    measure: str
    correct: str
    broken: str
    seed: str  # with a place for {seed}


def twins(
    courses: Sequence[Course],
    references: Sequence[tuple[float, str]] = (),
    *,
    logarithmic: bool,
    share: bool,
    palette: Palette,
    words: TwinWords,
) -> go.Figure:
    """The courses of a measure. ``references``: (value, what reaches it without learning)."""
    traces = [trace for course in courses for trace in _traces(course, logarithmic, palette, words)]
    traces += _key(courses, palette, words)
    values = [max(value, LOWEST) for course in courses for value in course.values]
    layout = _layout(scale(values) if logarithmic else [], share, palette, words)
    layout["shapes"] = [_line(value, palette) for value, _ in references]
    layout["annotations"] = [
        reference_words(float(np.log10(value)) if logarithmic else value, said, palette) for value, said in references
    ]
    return go.Figure(traces, layout)


def smoothed(values: Sequence[float]) -> list[float]:
    """The mean of each value and those up to nine steps before it."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(0, ends - SMOOTHED)
    found: list[float] = ((sums[ends] - sums[starts]) / (ends - starts)).tolist()
    return found


def _traces(course: Course, logarithmic: bool, palette: Palette, words: TwinWords) -> list[go.Scatter]:
    """The line of a course; of one with many points each point faint, and a moving average."""
    name = _name(course.broken, words)
    seed = words.seed.format(seed=course.seed)
    many = len(course.steps) > MOST_MARKED
    shared = {
        "x": list(course.steps),
        "name": f"{name} · {seed}",
        "legendgroup": _group(course.broken),
        "line": {"color": _colour(course.broken, palette), "width": 2, "dash": DASHES[course.seed % len(DASHES)]},
        "hovertemplate": f"{name} · {seed} <b>%{{y:.3g}}</b><extra></extra>",
    }
    values = [max(value, LOWEST) for value in course.values] if logarithmic else list(course.values)
    if not many:
        return [go.Scatter(y=values, mode="lines+markers", marker={"size": 5}, showlegend=False, **shared)]
    faint = go.Scatter(y=values, mode="lines", opacity=0.25, showlegend=False, hoverinfo="skip", **shared)
    faint.update(line={"width": 1, "dash": "solid"}, hovertemplate=None)
    return [faint, go.Scatter(y=smoothed(values), mode="lines", showlegend=False, **shared)]


def _key(courses: Sequence[Course], palette: Palette, words: TwinWords) -> list[go.Scatter]:
    """What the legend says: whose colour is whose, and of several seeds whose dash. Lines without a point."""
    ways = {course.broken for course in courses}
    seeds = sorted({course.seed for course in courses})
    key = [_entry(_name(broken, words), _colour(broken, palette), "solid", _group(broken)) for broken in sorted(ways)]
    if len(seeds) > 1:
        key += [_entry(words.seed.format(seed=seed), palette.text, DASHES[seed % len(DASHES)]) for seed in seeds]
    return key if len(key) > 1 else []


def _entry(name: str, colour: str, dash: str, group: str = "") -> go.Scatter:
    line = {"color": colour, "dash": dash, "width": 2}
    return go.Scatter(x=[None], y=[None], mode="lines", name=name, legendgroup=group, showlegend=True, line=line)


def _name(broken: bool, words: TwinWords) -> str:
    return words.broken if broken else words.correct


def _colour(broken: bool, palette: Palette) -> str:
    return palette.categorical[broken]


def _group(broken: bool) -> str:
    """Lines that the legend hides and shows together."""
    return "broken" if broken else "correct"


def _line(value: float, palette: Palette) -> dict[str, object]:
    line = {"color": palette.text, "width": 1.25, "dash": "longdashdot"}
    ends = {"xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": value, "y1": value}
    return {"type": "line", "line": line, "opacity": 0.7, "layer": "below", **ends}


def _layout(ticks: Sequence[float], share: bool, palette: Palette, words: TwinWords) -> dict[str, object]:
    axis = {
        "gridcolor": palette.lines,
        "zeroline": False,
        "automargin": False,
        "tickfont": {"size": 11},
    }
    bounds: dict[str, object] = {"range": [0, 1.02], "tickvals": [0, 0.25, 0.5, 0.75, 1]} if share else {}
    if ticks:
        minor = {"ticks": "outside", "ticklen": 3, "tickcolor": palette.lines}
        bounds = {"type": "log", "tickvals": ticks, "ticktext": [power(tick) for tick in ticks], "minor": minor}
    return base_layout(palette) | {
        "margin": {"l": LEFT, "r": NARROW, "t": 26, "b": 34},
        "hovermode": "x unified",
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "font": {"size": 11}},
        "xaxis": axis | {"title": {"text": words.step, "standoff": 2, "font": {"size": 12}}},
        "yaxis": axis | bounds | {"title": {"text": words.measure, "standoff": 4, "font": {"size": 12}}},
    }
