"""Laws of the prediction bars."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from core.figures.bars import MOST_BARS, BarWords, bars
from core.figures.theme import LIGHT

WORDS = BarWords(probability="chance")
CANDIDATES = 23


def drawn(count: int) -> tuple[go.Figure, list[str], list[float]]:
    """Bars of so many random candidates, with their names and their probabilities."""
    chances = np.random.default_rng(5).dirichlet(np.ones(count)).astype(np.float32)
    labels = [chr(0x4E00 + number) for number in range(count)]
    return bars(chances, labels, palette=LIGHT, words=WORDS), labels, chances.tolist()


@pytest.mark.parametrize("count", [2, CANDIDATES])
def test_the_likeliest_come_first_each_with_its_own_probability(count: int) -> None:
    figure, labels, chances = drawn(count)
    (trace,) = figure.data
    ordered = sorted(zip(chances, labels, strict=True), reverse=True)[:MOST_BARS]
    assert list(trace.x) == [chance for chance, _ in ordered]
    assert list(figure.layout.yaxis.ticktext) == [label for _, label in ordered]
    assert list(figure.layout.yaxis.tickvals) == list(trace.y) == list(range(len(ordered)))


def test_of_equal_candidates_the_earlier_comes_first() -> None:
    figure = bars(np.full(7, 1 / 7, dtype=np.float32), list("gfedcba"), palette=LIGHT, words=WORDS)
    assert list(figure.layout.yaxis.ticktext) == list("gfedcba")


def test_the_axis_is_a_probability_and_the_values_are_printed() -> None:
    figure, _, _ = drawn(CANDIDATES)
    assert tuple(figure.layout.xaxis.range) == (0, 1)
    assert figure.layout.xaxis.title.text == "chance"
    assert "%{x:.3f}" in figure.data[0].texttemplate
    assert figure.data[0].x.dtype == np.float32
