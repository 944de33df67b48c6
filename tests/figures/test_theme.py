"""Colours that can be read by everybody, on light and on dark pages."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest

from core.figures.theme import FONT, PALETTES, Palette, colorscale

# What people with protanopia, deuteranopia and tritanopia see of linear red, green and blue: Viénot et al. 1999 for the
# first two; for the third the first of the two half-planes of Brettel et al. 1997.
BLINDNESS = {
    "none": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deuteranopia": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    "tritanopia": [[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.805, 0.11911]],
}


def linear(color: str) -> npt.NDArray[np.float64]:
    """The light of a colour written ``#rrggbb``: linear red, green and blue."""
    channels = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.asarray(np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4))


def lab(color: str, blindness: str = "none") -> npt.NDArray[np.float64]:
    """CIE L*a*b* of a colour as it is seen, D65."""
    seen = np.clip(np.array(BLINDNESS[blindness]) @ linear(color), 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    x, y, z = np.cbrt(np.maximum(xyz / [0.9505, 1, 1.089], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("blindness", BLINDNESS)
def test_more_weight_is_always_one_even_step_of_lightness_further(palette: Palette, blindness: str) -> None:
    lightness = np.array([lab(color, blindness)[0] for color in palette.sequential])
    steps = np.diff(lightness) * (-1 if palette.name == "light" else 1)
    assert steps.min() > 5
    assert steps.max() / steps.min() < 2.2


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("blindness", BLINDNESS)
def test_masked_grey_is_no_weight(palette: Palette, blindness: str) -> None:
    grey = lab(palette.masked, blindness)
    assert min(np.linalg.norm(lab(color, blindness) - grey) for color in palette.sequential) > 12


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("blindness", BLINDNESS)
def test_the_curves_are_told_apart(palette: Palette, blindness: str) -> None:
    assert palette.runs[: len(palette.categorical)] == palette.categorical
    seen = [lab(color, blindness) for color in palette.runs]
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(seen, 2)) > 18


def test_scale_reaches_from_0_to_1_in_order() -> None:
    places = [place for place, _ in colorscale(tuple("abcdefg"))]
    assert places[0] == 0
    assert places[-1] == 1
    assert places == sorted(set(places), key=float)


def test_chinese_has_a_font_on_every_system() -> None:
    for font in ("Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei"):
        assert font in FONT
