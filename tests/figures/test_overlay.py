"""The template of the chart of several runs, and that each run is drawn in a way of its own."""

from __future__ import annotations

import pytest

from core.figures.overlay import DASHES, OverlayWords, line_style, overlay
from core.figures.theme import PALETTES, Palette

WORDS = OverlayWords(step="step", measure="masked accuracy")


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_no_two_runs_are_drawn_alike(palette: Palette) -> None:
    styles = [line_style(place, palette) for place in range(32)]
    assert len({(one["color"], one["dash"]) for one in styles}) == 32
    eight = styles[: len(palette.runs)]
    assert len({one["color"] for one in eight}) == len({one["dash"] for one in eight}) == len(DASHES) == 8


def test_a_share_has_bounds_and_a_loss_has_none() -> None:
    palette = PALETTES["light"]
    share, loss = (overlay(palette=palette, words=WORDS, share=one) for one in (True, False))
    assert tuple(share.layout.yaxis.range) == (0, 1.02)
    assert loss.layout.yaxis.range is None
    assert share.layout.yaxis.title.text == "masked accuracy"
