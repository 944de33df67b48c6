"""Laws of the curves."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from core.experiments import catalogue
from core.figures.curve import CURVES, CurveWords, Series, curve, is_loss, reference_line, reference_words
from core.figures.theme import PALETTES, Palette

LIGHT = PALETTES["light"]
WORDS = CurveWords(
    step="step",
    loss="loss (nats)",
    training="each step",
    smoothed="training",
    held_out="held out",
    metric="own",
    previous="before",
    share="share (0–1)",
)
METRICS = [name for experiment in catalogue().values() for name in experiment.metrics]
LENGTHS = dict(zip(CURVES, (13, 7, 11, 5, 3, 2), strict=True))


def series(length: int) -> Series:
    """Random values at every fifth step."""
    values = np.random.default_rng(length).random(length).astype(np.float32)
    return Series(steps=np.arange(5, 5 * length + 5, 5, dtype=np.int32), values=values)


def drawn(metric: str, marks: list[tuple[int, str]] | None = None, palette: Palette = LIGHT) -> go.Figure:
    """All curves, of different lengths."""
    given = {name: series(length) for name, length in LENGTHS.items()}
    return curve(given, marks or [], metric_name=metric, palette=palette, words=WORDS)


@pytest.mark.parametrize("metric", METRICS)
def test_every_curve_is_drawn_as_it_is(metric: str) -> None:
    figure = drawn(metric)
    assert [trace.name for trace in figure.data] == ["each step", "held out", "own", "training", "before", "own"]
    for trace, length in zip(figure.data, LENGTHS.values(), strict=True):
        assert np.array_equal(trace.x, series(length).steps)
        assert np.array_equal(trace.y, series(length).values)
        assert trace.y.dtype == np.float32


@pytest.mark.parametrize("metric", METRICS)
def test_a_share_has_an_axis_of_its_own_and_a_loss_shares_that_of_the_losses(metric: str) -> None:
    figure = drawn(metric)
    losses = [trace for name, trace in zip(CURVES, figure.data, strict=True) if "metric" not in name]
    own = [trace for name, trace in zip(CURVES, figure.data, strict=True) if "metric" in name]
    assert all(trace.yaxis in (None, "y") for trace in losses)
    if is_loss(metric):
        assert all(trace.yaxis == "y" for trace in own)
        assert "yaxis2" not in figure.layout.to_plotly_json()
    else:
        assert all(trace.yaxis == "y2" for trace in own)
        assert figure.layout.yaxis2.side == "right"
        assert figure.layout.yaxis2.range[0] == 0
        assert 1 <= figure.layout.yaxis2.range[1] < 1.1
        assert figure.layout.yaxis2.title.text == "share (0–1)"


def test_axes_say_what_they_measure() -> None:
    figure = drawn(METRICS[0])
    assert figure.layout.xaxis.title.text == "step"
    assert figure.layout.yaxis.title.text == "loss (nats)"


def test_every_mark_has_its_line_and_its_words_at_its_step() -> None:
    marks = [(17, "rate 0.3"), (41, "rate 0.5")]
    figure = drawn(METRICS[0], marks)
    assert [(line.x0, line.x1) for line in figure.layout.shapes] == [(17, 17), (41, 41)]
    assert [(note.x, note.text) for note in figure.layout.annotations] == marks


def test_curves_are_told_apart_without_colour() -> None:
    traces = drawn(METRICS[0]).data[: CURVES.index("previous")]
    assert len({(trace.mode, trace.line.dash, trace.line.width) for trace in traces}) == len(traces)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_what_was_before_is_grey_and_behind(palette: Palette) -> None:
    figure = drawn(METRICS[0], palette=palette)
    for name, trace in zip(CURVES, figure.data, strict=True):
        assert (trace.line.color == palette.ghost) == name.startswith("previous")
        assert ((trace.zorder or 0) < 0) == name.startswith("previous")


@pytest.mark.parametrize("right", [False, True])
def test_a_reference_is_level_and_named_where_it_lies(right: bool) -> None:
    line, words = reference_line(0.7, LIGHT, right=right), reference_words(0.7, "said", LIGHT, right=right)
    assert line["y0"] == line["y1"] == words["y"] == 0.7
    assert (line["x0"], line["x1"], line["xref"]) == (0, 1, "paper")
    assert line["yref"] == words["yref"] == ("y2" if right else "y")
    assert words["text"] == "said"
