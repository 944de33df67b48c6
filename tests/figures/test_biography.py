"""Laws of the biographies of heads."""

from __future__ import annotations

import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

from core.figures.biography import MEASURES, SHARES, BiographyWords, biography
from core.figures.theme import PALETTES, Palette

HEADS, STEPS = 3, 7
WORDS = BiographyWords(measures=MEASURES, step="step", head="Head {head}", uniform="uniform")


def numbers() -> dict[str, np.ndarray]:
    """Random measures of every head, and the entropy of uniform attention."""
    random = np.random.default_rng(7)
    given = {measure: random.random((HEADS, STEPS)).astype(np.float32) for measure in MEASURES}
    return given | {"uniform_entropy": np.full(STEPS, 1.5, dtype=np.float32)}


def drawn(palette: Palette = PALETTES["light"], chosen: int = 1) -> go.Figure:
    """The biographies of these numbers."""
    steps = np.arange(0, 5 * STEPS, 5, dtype=np.int32)
    return biography(numbers(), steps, heads=HEADS, chosen=chosen, palette=palette, words=WORDS)


def test_every_measure_has_a_line_a_head_in_a_chart_of_its_own() -> None:
    figure, given = drawn(), numbers()
    assert len(figure.data) == len(MEASURES) * HEADS + 1
    for place, measure in enumerate(MEASURES):
        for head in range(HEADS):
            trace = figure.data[place * HEADS + head]
            assert trace.name == f"Head {head}"
            assert np.array_equal(trace.y, given[measure][head])
            assert (trace.xaxis, trace.yaxis) == (("x", "y") if place == 0 else (f"x{place + 1}", f"y{place + 1}"))


def test_uniform_attention_is_a_line_among_the_entropies() -> None:
    uniform = drawn().data[-1]
    assert uniform.yaxis == "y"
    assert np.array_equal(uniform.y, numbers()["uniform_entropy"])


@pytest.mark.parametrize("palette", PALETTES.values(), ids=list(PALETTES))
@pytest.mark.parametrize("chosen", range(HEADS))
def test_the_chosen_head_alone_is_strong_and_in_front(palette: Palette, chosen: int) -> None:
    heads = drawn(palette, chosen).data[:-1]
    strong = {place % HEADS for place, trace in enumerate(heads) if trace.zorder == 1}
    assert strong == {chosen}
    widths = {trace.zorder: trace.line.width for trace in heads}
    assert widths[1] > widths[0]


def test_charts_do_not_overlap_and_shares_have_one_scale() -> None:
    layout = drawn().layout
    names = ["" if place == 0 else str(place + 1) for place in range(len(MEASURES))]
    domains = [layout[f"xaxis{name}"].domain for name in names]
    assert (domains[0][0], domains[-1][1]) == pytest.approx((0, 1))
    assert all(left[1] < right[0] for left, right in itertools.pairwise(domains))
    for name, measure in zip(names, MEASURES, strict=True):
        assert (layout[f"yaxis{name}"].range is not None) == (measure in SHARES)


def test_the_template_has_every_line_and_no_numbers() -> None:
    figure = biography(heads=HEADS, palette=PALETTES["dark"], words=WORDS)
    assert len(figure.data) == len(drawn().data)
    assert all(trace.y is None for trace in figure.data)
