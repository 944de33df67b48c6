"""Any figure in the place of the one before: nothing flickers, and what a person has zoomed into stays.

For figures that Python knows whole. What lives with a run has components of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import plotly.graph_objects as go

from core.figures.theme import Palette
from core.ui.components import load_component
from core.ui.components.figures import for_both_themes
from core.ui.components.plotly_words import plotly_words
from core.ui.language import _, language


def plot(figure: Callable[[Palette], go.Figure], key: str, *, height: int, alt: str) -> None:
    """Draw what ``figure`` makes of a palette, ``height`` pixels high and as wide as its place.

    ``alt`` states its main fact in a sentence, for who cannot see it; a picture that is taken away carries it too.
    """
    data = {
        "figures": for_both_themes(plot=figure),
        "height": height,
        "alt": alt,
        "name": key.replace("_", "-"),
        "language": language(),
        "labels": {
            "save": _("Take away"),
            "take": {"png": _("Picture (PNG)"), "svg": _("Picture (SVG)")},
            "plotly": plotly_words(),
        },
    }
    load_component("plot")(key=key, data=data)
