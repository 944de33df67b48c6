"""The chart of a sweep: points in the order of their values, and the guess's line."""

from __future__ import annotations

import pytest

from core.figures.sweep import SweepWords, sweep
from core.figures.theme import DARK, LIGHT, Palette

WORDS = SweepWords(setting="Masking rate", measure="masked accuracy", baseline="always 的: 0.08")


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_numbers_are_joined_in_their_order(palette: Palette) -> None:
    figure = sweep(["0.5", "0.05"], [0.5, 0.05], [0.7, 0.6], palette=palette, words=WORDS, share=True, baseline=0.08)
    trace = figure.data[0]
    assert (list(trace.x), list(trace.y)) == ([0.05, 0.5], [0.6, 0.7])
    assert list(figure.layout.xaxis.ticktext) == ["0.05", "0.5"]
    assert figure.layout.yaxis.range == (0, 1.08)
    assert (figure.layout.shapes[0].y0, figure.layout.annotations[0].text) == (0.08, WORDS.baseline)


def test_words_stand_side_by_side() -> None:
    words = SweepWords(setting="Optimizer", measure="training loss")
    figure = sweep(["SGD", "AdamW"], None, [2.0, 0.5], palette=LIGHT, words=words, share=False)
    assert (figure.data[0].type, list(figure.data[0].x), figure.layout.shapes) == ("bar", ["SGD", "AdamW"], ())
    assert figure.layout.yaxis.range[1] > 2


def test_values_far_apart_stand_on_a_logarithmic_axis() -> None:
    words = SweepWords(setting="Learning rate", measure="training loss")
    shown = {"palette": LIGHT, "words": words, "share": False}
    assert sweep(["a", "b"], [1e-4, 1e-2], [1.0, 2.0], **shown).layout.xaxis.type == "log"  # type: ignore[arg-type]
    assert sweep(["a", "b"], [0.0, 1e-2], [1.0, 2.0], **shown).layout.xaxis.type is None  # type: ignore[arg-type]
