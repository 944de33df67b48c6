"""The look of the frame: what Streamlit silently ignores when it is wrong."""

from __future__ import annotations

import re
import tomllib

import pytest

from core.i18n import ROOT

THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
STYLE = (ROOT / "assets" / "css" / "app.css").read_text(encoding="utf-8")


def luminance(colour: str) -> float:
    """The relative luminance of a colour as WCAG 2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours as WCAG 2 defines it."""
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_each_theme_has_ten_colours_for_lines_and_ten_for_maps(mode: str) -> None:
    assert len(set(THEME[mode]["chartCategoricalColors"])) == 10  # with fewer, Plotly falls back to its own
    assert len(set(THEME[mode]["chartSequentialColors"])) == 10


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_buttons_links_and_lines_can_be_made_out(mode: str) -> None:
    theme = THEME[mode]
    assert contrast(theme["textColor"], theme["backgroundColor"]) >= 7
    assert contrast(theme["textColor"], theme["secondaryBackgroundColor"]) >= 7
    assert contrast("#ffffff", theme["primaryColor"]) >= 4.5
    assert contrast(theme["linkColor"], theme["backgroundColor"]) >= 4.5
    assert min(contrast(c, theme["backgroundColor"]) for c in theme["chartCategoricalColors"]) >= 3


def test_the_bar_has_the_colours_of_the_page_behind_it() -> None:
    colours = re.search(r"light-dark\((#\w+), (#\w+)\)", STYLE)
    assert colours is not None
    assert colours.groups() == (THEME["light"]["backgroundColor"], THEME["dark"]["backgroundColor"])
