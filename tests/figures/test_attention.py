"""Laws of the attention maps."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.figures import attention
from core.figures.attention import Allowed, MapWords, Weights
from core.figures.theme import DARK, LIGHT, PALETTES, Palette

WORDS = MapWords(query="asks", key="asked", weight="share", masked="hidden")
SENTENCE = "道可道非常道"
HEADS, QUERIES, KEYS = 3, 5, 7


def random_weights(*shape: int) -> Weights:
    """Rows that sum to 1."""
    return np.random.default_rng(11).dirichlet(np.ones(shape[-1]), shape[:-1]).astype(np.float32)


def causal(size: int) -> Allowed:
    """Nobody sees the future."""
    return np.tril(np.ones((size, size), dtype=np.bool_))


def axes(figure: go.Figure, letter: str) -> Iterator[Any]:
    """The axes that the traces of a figure use."""
    for trace in figure.data:
        yield figure.layout[(trace[f"{letter}axis"] or letter).replace(letter, f"{letter}axis")]


def sentence_grid(**options: Any) -> go.Figure:
    """Every head on the sentence with the three equal characters."""
    size = len(SENTENCE)
    return attention.grid(
        random_weights(HEADS, size, size),
        causal(size),
        heads=HEADS,
        queries=SENTENCE,
        keys=SENTENCE,
        palette=LIGHT,
        words=WORDS,
        **options,
    )


@pytest.mark.parametrize("letter", "xy")
def test_equal_characters_keep_rows_of_their_own(letter: str) -> None:
    for axis in axes(sentence_grid(), letter):
        assert list(axis.tickvals) == [0, 1, 2, 3, 4, 5]
        assert list(axis.ticktext) == list(SENTENCE)


def test_a_rectangular_map_names_its_own_queries_and_keys() -> None:
    figure = attention.zoom(
        random_weights(QUERIES, KEYS), queries="甲乙丙丁戊", keys="abcdefg", palette=LIGHT, words=WORDS
    )
    assert list(figure.layout.yaxis.ticktext) == list("甲乙丙丁戊")
    assert list(figure.layout.xaxis.ticktext) == list("abcdefg")
    assert [name.text for name in figure.layout.annotations] == ["asked", "asks"]


def test_first_query_stands_on_top() -> None:
    for axis in axes(sentence_grid(), "y"):
        assert axis.range[0] > axis.range[1]


def test_masked_cells_are_open_grey_and_named() -> None:
    figure = sentence_grid()
    hidden = ~causal(len(SENTENCE))
    assert figure.layout.plot_bgcolor == LIGHT.masked
    for trace in figure.data:
        assert np.array_equal(np.isnan(trace.z), hidden)
        assert np.array_equal(trace.text == "hidden", hidden)


def test_a_hover_names_both_tokens_their_positions_and_three_decimals() -> None:
    weights = random_weights(QUERIES, KEYS)
    (trace,) = attention.zoom(weights, queries="甲乙丙丁戊", keys="abcdefg", palette=LIGHT, words=WORDS).data
    for part in ("asks", "%{y}", "%{pointNumber[0]}", "asked", "%{x}", "%{pointNumber[1]}", "share", "%{text}"):
        assert part in trace.hovertemplate
    assert np.array_equal(trace.text, np.vectorize(lambda weight: f"{weight:.3f}")(weights))


def test_the_heads_are_drawn_as_they_are() -> None:
    weights = random_weights(HEADS, QUERIES, KEYS)
    figure = attention.grid(weights, heads=HEADS, palette=DARK, words=WORDS)
    for trace, drawn in zip(figure.data, weights, strict=True):
        assert trace.z.dtype == np.float32
        assert np.array_equal(trace.z, drawn)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_fixed_scale_is_one_for_all_heads_and_shows_its_bounds(palette: Palette) -> None:
    grid = attention.grid(random_weights(HEADS, QUERIES, KEYS), heads=HEADS, palette=palette, words=WORDS)
    zoom = attention.zoom(random_weights(QUERIES, KEYS), palette=palette, words=WORDS)
    assert {trace.coloraxis for trace in grid.data} == {"coloraxis"}
    for figure in (grid, zoom):
        scale = figure.layout.coloraxis
        assert (scale.cmin, scale.cmax) == (0, 1)
        assert tuple(color for _, color in scale.colorscale) == palette.sequential
    bar = zoom.layout.coloraxis.colorbar
    assert bar.title.text == "share"
    assert (bar.ticktext[0], bar.ticktext[-1]) == ("0", "1")


@given(st.integers(2, 7).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, 2**31))))
def test_a_scale_of_its_own_ends_at_the_largest_weight_given_by_choice(drawn: tuple[int, int]) -> None:
    size, seed = drawn
    weights = np.random.default_rng(seed).dirichlet(np.ones(size), (HEADS, size)).astype(np.float32)
    weights[:, 0] = np.eye(size, dtype=np.float32)[0]  # the first query sees itself alone
    allowed = causal(size)
    figure = attention.grid(weights, allowed, heads=HEADS, scale="head", palette=LIGHT, words=WORDS)
    for trace, map_ in zip(figure.data, weights, strict=True):
        assert trace.zmin == 0
        assert trace.zmax == max(map_[query, key] for query in range(1, size) for key in range(query + 1))


@given(st.integers(1, 16))
def test_small_maps_stand_in_one_row_and_never_overlap(heads: int) -> None:
    figure = attention.grid(heads=heads, palette=LIGHT, words=WORDS)
    places = [tuple(axis.domain) for axis in axes(figure, "x")]
    assert len(places) == heads
    assert len({tuple(axis.domain) for axis in axes(figure, "y")}) == 1
    assert places[0][0] >= 0
    assert places[-1][1] <= 1
    assert all(before[1] < after[0] for before, after in itertools.pairwise(places))


@given(st.integers(2, 7), st.integers(0, 2**31), st.sampled_from(["fixed", "head", "log", "uniform"]))
def test_every_scale_reaches_as_far_as_its_colours(size: int, seed: int, scale: str) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.ones(size), (HEADS, size)).astype(np.float32)
    figure = attention.grid(weights, causal(size), heads=HEADS, scale=scale, palette=LIGHT, words=WORDS)
    axis = figure.layout.coloraxis
    for trace in figure.data if scale != "head" else ():
        inside = trace.z[~np.isnan(trace.z)]
        assert axis.cmin - 1e-6 <= inside.min()
        assert inside.max() <= axis.cmax + 1e-6


def test_the_difference_from_uniform_is_nothing_where_attention_is_spread_evenly() -> None:
    size = 5
    even = np.tril(np.ones((size, size), dtype=np.float32)) / np.arange(1, size + 1, dtype=np.float32)[:, None]
    shown = attention.painted(even, causal(size), "uniform")
    assert np.nanmax(np.abs(shown)) < 1e-6
    assert np.array_equal(np.isnan(shown), ~causal(size))


def test_a_logarithmic_scale_tells_small_weights_apart() -> None:
    weights = np.array([[0.001, 0.01, 0.1, 0.0]], dtype=np.float32)
    assert attention.painted(weights, None, "log") == pytest.approx(np.array([[-3, -2, -1, -3]]))
    bar = attention.zoom(weights, scale="log", palette=LIGHT, words=WORDS).layout.coloraxis.colorbar
    assert tuple(bar.ticktext) == ("≤ 0.001", "0.01", "0.1", "1")


@pytest.mark.parametrize("head", range(HEADS))
def test_the_frame_stands_around_the_head_that_is_large(head: int) -> None:
    (frame,) = sentence_grid(focus=head).layout.shapes
    assert frame.xref == f"{figure_axis('x', head)} domain"
    assert frame.yref == f"{figure_axis('y', head)} domain"


def figure_axis(letter: str, head: int) -> str:
    """The axis of a head's small map, as Plotly names it."""
    return str(sentence_grid().data[head][f"{letter}axis"])


def test_a_template_is_the_figure_without_its_data() -> None:
    template = json.loads(attention.grid(heads=HEADS, palette=LIGHT, words=WORDS).to_json())
    filled = json.loads(sentence_grid().to_json())
    for trace in filled["data"]:
        del trace["z"], trace["text"]
    for figure in (template, filled):
        for name, axis in figure["layout"].items():
            if "axis" in name and name != "coloraxis":
                for own in ("tickvals", "ticktext", "range", "autorange"):
                    axis.pop(own, None)
    assert template == filled


def test_weights_travel_as_four_bytes_each() -> None:
    (trace,) = json.loads(attention.zoom(random_weights(QUERIES, KEYS), palette=LIGHT, words=WORDS).to_json())["data"]
    assert trace["z"]["dtype"] == "f4"
