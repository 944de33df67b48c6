"""The charts of what is measured: every line its own look, masked cells in their own colour, logarithms where asked."""

from __future__ import annotations

import numpy as np
import pytest

from core.figures.measured import Axis, Line, Map, lines, maps, stacked
from core.figures.theme import PALETTES, Palette

BOTH = pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)


@BOTH
def test_lines_are_told_apart_and_a_guide_is_quiet(palette: Palette) -> None:
    drawn = [Line(name="a", x=[1, 2], y=[3, 4]), Line(name="b", x=[1], y=[5]), Line(name="c", x=[1], y=[1], guide=True)]
    figure = lines(drawn, palette=palette, x=Axis(title="tokens", log=True, ticks=(16, 32)), y=Axis(title="loss"))
    first, second, guide = figure.data
    assert first.line.color != second.line.color
    assert first.line.dash != second.line.dash
    assert guide.line.color == palette.ghost
    assert (figure.layout.xaxis.type, figure.layout.xaxis.ticktext) == ("log", ("16", "32"))
    assert figure.layout.yaxis.type is None


@BOTH
def test_a_line_keeps_its_place_when_others_are_missing(palette: Palette) -> None:
    axis = Axis(title="")
    both = lines([Line(name=str(p), x=[], y=[], place=p) for p in (0, 3)], palette=palette, x=axis, y=axis)
    alone = lines([Line(name="3", x=[], y=[], place=3)], palette=palette, x=axis, y=axis)
    assert both.data[1].line == alone.data[0].line


@BOTH
def test_cells_without_a_number_are_masked(palette: Palette) -> None:
    one = Map(title="t", cells=[[0.5, None], [1.0, 0.0]], rows="query", columns="key")
    other = Map(title="u", cells=[[-1.0, 1.0]], rows="query", columns="key", diverging=True, bounds=(-1, 1))
    figure = maps([one, other], palette=palette)
    assert np.isnan(figure.data[0].z[0][1])
    assert figure.layout.plot_bgcolor == palette.masked
    assert figure.data[0].colorscale != figure.data[1].colorscale
    assert [one.text for one in figure.layout.annotations] == ["t", "u"]


@BOTH
def test_parts_are_stacked(palette: Palette) -> None:
    figure = stacked(["base", "large"], {"a": [1, 2], "b": [3, 4]}, palette=palette, x=Axis(title="parameters"))
    assert figure.layout.barmode == "stack"
    assert [(bar.name, list(bar.x)) for bar in figure.data] == [("a", [1, 2]), ("b", [3, 4])]
    assert len({bar.marker.color for bar in figure.data}) == 2


@BOTH
def test_a_legend_of_one_is_left_out(palette: Palette) -> None:
    axis = Axis(title="")
    one = Line(name="a", x=[1], y=[1])
    assert not lines([one], palette=palette, x=axis, y=axis).layout.showlegend
    assert lines([one, one], palette=palette, x=axis, y=axis).layout.showlegend
    assert not stacked(["base"], {"a": [1]}, palette=palette, x=axis).layout.showlegend
