"""The diverging colours: zero is the page's tone, both sides leave it alike, and they are told apart."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.figures.lab import DIVERGING, colours
from core.figures.theme import PALETTES


def lightness(colour: str) -> float:
    """CIE L* of a colour, 0 (black) to 100 (white)."""
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return float(116 * luminance ** (1 / 3) - 16)


@pytest.mark.parametrize("theme", PALETTES)
def test_both_sides_leave_zero_alike(theme: str) -> None:
    steps = [lightness(colour) for colour in DIVERGING[theme]]
    assert len(steps) == 9
    outwards = [abs(step - steps[4]) for step in steps]
    for side in (outwards[4:], outwards[4::-1]):
        assert all(after - before > 8 for before, after in pairwise(side))
    assert all(abs(outwards[4 - n] - outwards[4 + n]) < 6 for n in range(5))


@pytest.mark.parametrize("theme", PALETTES)
def test_signs_have_different_hues(theme: str) -> None:
    low, high = DIVERGING[theme][1], DIVERGING[theme][-2]
    assert int(low[1:3], 16) > int(low[5:7], 16)  # more red than blue
    assert int(high[1:3], 16) < int(high[5:7], 16)


def test_every_theme_has_its_colours() -> None:
    assert colours().keys() == PALETTES.keys() == DIVERGING.keys()
