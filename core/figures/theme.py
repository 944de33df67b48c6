"""The look of every figure in one place: colours for light and dark pages, and the letters' fonts.

The sequential scales run in equal steps of lightness (about ten units of CIE L* each) within one hue, so that more
weight always reads as more contrast with the page, in black and white and to every kind of colour vision. They are
spelled out, because the built-in scales of the same name run in opposite directions in Python and in the browser.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

FONT = (
    "'Source Sans', 'Source Sans Pro', 'Noto Sans SC', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei',"
    " 'Hiragino Sans GB', 'WenQuanYi Micro Hei', sans-serif"
)


@dataclass(frozen=True, kw_only=True)
class Palette:
    """The colours of one page theme."""

    name: str
    text: str
    lines: str  # axes, frames and grid lines
    hover: str  # behind the words of a hover
    masked: str  # neutral grey: no colour of the scale
    ghost: str  # what was before and stands behind what is now
    focus: str  # the frame around what is chosen
    sequential: tuple[str, ...]  # from weight 0 to weight 1
    diverging: tuple[str, ...]  # from less than expected over as expected to more: blue and orange, told apart by all
    categorical: tuple[str, ...]  # told apart with every kind of colour vision
    runs: tuple[str, ...]  # as many more of such colours as runs are compared at once


LIGHT = Palette(
    name="light",
    text="#31333f",
    lines="#d5d8df",
    hover="#ffffff",
    masked="#c9c9c9",
    ghost="#8b8f99",
    focus="#d55e00",
    sequential=(
        "#f7fbfd",
        "#c1e3fe",
        "#92c8f8",
        "#6aadec",
        "#4891da",
        "#2e75c3",
        "#1c59a8",
        "#114087",
        "#0b2964",
    ),
    diverging=("#0b2964", "#2e75c3", "#92c8f8", "#f5f5f5", "#fdb777", "#d9690f", "#7f3b08"),
    categorical=("#0072b2", "#d55e00", "#1b4d2e"),
    runs=("#0072b2", "#d55e00", "#1b4d2e", "#b874fb", "#ef067a", "#3c023c", "#b506ef", "#2e025a"),
)

DARK = Palette(
    name="dark",
    text="#fafafa",
    lines="#3d414d",
    hover="#1d2027",
    masked="#55565a",
    ghost="#8d9099",
    focus="#ff9d4d",
    sequential=(
        "#1d2638",
        "#243d60",
        "#2b5685",
        "#3571a6",
        "#468dc2",
        "#61a9d9",
        "#85c6ea",
        "#b2e0f7",
        "#e8f8ff",
    ),
    diverging=("#a6d8f7", "#468dc2", "#2b5685", "#25282f", "#83480f", "#d97b22", "#ffd3a1"),
    categorical=("#56b4e9", "#f07a80", "#b8e986"),
    runs=("#56b4e9", "#f07a80", "#b8e986", "#fecdd9", "#b338dc", "#047195", "#ef0606", "#8a1af9"),
)

PALETTES = {palette.name: palette for palette in (LIGHT, DARK)}

# Other sequential scales, from weight 0 to weight 1. Viridis (Smith and van der Walt 2015) is the same on both page
# themes; greys end where the page's text stands, so that a print on paper looks like the screen.
VIRIDIS = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725")
GREYS = {
    "light": ("#ffffff", "#e4e4e4", "#cacaca", "#b0b0b0", "#959595", "#787878", "#5a5a5a", "#3a3a3a", "#141414"),
    "dark": ("#15181d", "#2c2f34", "#45484d", "#606368", "#7c7e82", "#999b9e", "#b7b8ba", "#d6d7d8", "#f7f7f7"),
}


def coloured(palette: Palette, colours: str) -> Palette:
    """The palette with another sequential scale: ``blue`` (its own), ``viridis`` or ``grey``.

    Masked cells stand out from every one of them: on a grey scale they are tinted.
    """
    if colours == "viridis":
        return replace(palette, sequential=VIRIDIS)
    if colours == "grey":
        tinted = "#f3dcc8" if palette.name == "light" else "#4a3524"
        return replace(palette, sequential=GREYS[palette.name], masked=tinted)
    return palette


def colorscale(colors: tuple[str, ...]) -> list[list[float | str]]:
    """The colours as Plotly wants them: each with its place between 0 and 1."""
    last = len(colors) - 1
    return [[index / last, color] for index, color in enumerate(colors)]


def base_layout(palette: Palette) -> dict[str, object]:
    """What every figure shares. The backgrounds are the page's own."""
    return {
        "template": {"layout": {}},  # otherwise Plotly's own one travels with every figure
        "font": {"family": FONT, "size": 13, "color": palette.text},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hoverlabel": {
            "bgcolor": palette.hover,
            "bordercolor": palette.lines,
            "font": {"family": FONT, "size": 13, "color": palette.text},
            "align": "left",
        },
        "showlegend": False,
        "uirevision": "keep",
    }
