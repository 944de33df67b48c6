"""Laws of the curves."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from core.experiments import catalogue
from core.figures.curve import CurveWords, Series, curve, is_loss
from core.figures.theme import LIGHT

WORDS = CurveWords(
    step="step", loss="loss (nats)", training="training", held_out="held out", metric="own", share="share (0–1)"
)
METRICS = [name for experiment in catalogue().values() for name in experiment.metrics]


def series(length: int) -> Series:
    """Random values at every fifth step."""
    values = np.random.default_rng(3).random(length).astype(np.float32)
    return Series(steps=np.arange(5, 5 * length + 5, 5, dtype=np.int32), values=values)


def drawn(metric: str, marks: list[tuple[int, str]] | None = None) -> go.Figure:
    """All three curves, of different lengths."""
    return curve(series(13), series(7), series(11), marks or [], metric_name=metric, palette=LIGHT, words=WORDS)


@pytest.mark.parametrize("metric", METRICS)
def test_every_curve_is_drawn_as_it_is(metric: str) -> None:
    figure = drawn(metric)
    assert [trace.name for trace in figure.data] == ["training", "held out", "own"]
    for trace, given in zip(figure.data, (series(13), series(7), series(11)), strict=True):
        assert np.array_equal(trace.x, given.steps)
        assert np.array_equal(trace.y, given.values)
        assert trace.y.dtype == np.float32


@pytest.mark.parametrize("metric", METRICS)
def test_a_share_has_an_axis_of_its_own_and_a_loss_shares_that_of_the_losses(metric: str) -> None:
    figure = drawn(metric)
    assert figure.data[0].yaxis in (None, "y")
    if is_loss(metric):
        assert figure.data[2].yaxis == "y"
        assert "yaxis2" not in figure.layout.to_plotly_json()
    else:
        assert figure.data[2].yaxis == "y2"
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
    looks = {(trace.mode, trace.line.dash) for trace in drawn(METRICS[0]).data}
    assert len(looks) == 3
