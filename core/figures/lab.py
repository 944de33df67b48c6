"""The colours of the lab's maps, which the browser paints itself: ten maps with up to fifty thousand cells each.

Scores and vectors have a sign, so their colours diverge from the page's own tone: orange below zero, blue above, each
side in equal steps of lightness, mirrored. Weights have none; theirs are those of every other map.
"""

from __future__ import annotations

from core.figures.theme import PALETTES

DIVERGING = {  # from the smallest value (below zero) to the largest; zero in the middle
    "light": ("#712908", "#a9501c", "#d98650", "#f2c5a6", "#f7f9fb", "#b5d6f2", "#639fd4", "#2a6cae", "#0f3d73"),
    "dark": ("#ffdcc0", "#eda873", "#b97340", "#6b4329", "#1f2630", "#28486b", "#3f7cae", "#76b1dd", "#cfe8fa"),
}


def colours() -> dict[str, dict[str, object]]:
    """Theme name → what a map is painted with."""
    return {
        name: {
            "diverging": DIVERGING[name],
            "sequential": palette.sequential,
            "masked": palette.masked,
            "focus": palette.focus,
        }
        for name, palette in PALETTES.items()
    }
