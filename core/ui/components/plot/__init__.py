"""Any figure of Plotly's, drawn in place: a new one moves what is there, and what a person has zoomed into stays.

``st.plotly_chart`` puts a new element on the page at every change, which flickers and forgets the zoom.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from core.figures.theme import Palette
from core.ui.components import load_component
from core.ui.components.figures import for_both_themes
from core.ui.components.plot.words import labels
from core.ui.language import language

CLEAR = "rgba(0,0,0,0)"
PAGE: dict[str, Any] = {"font": {}, "uirevision": "keep", "paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR}


def plot(figure: go.Figure | Callable[[Palette], go.Figure], key: str, *, height: int, alt: str) -> None:
    """Draw a figure, as wide as its place and ``height`` pixels high.

    ``figure`` is made anew for every palette when it is a function, so that it follows a light and a dark page; a
    finished figure has the same colours on both, and letters in the page's own. Begin its layout with
    :func:`core.figures.theme.base_layout`. ``alt`` is one sentence, translated, that tells somebody who cannot see
    the figure what it shows; it is also written above the picture that one takes away. ``key`` is unique on the page
    and names that picture.
    """
    made = for_both_themes(plot=figure if callable(figure) else lambda _palette: figure)
    for theme in made.values():
        _complete(theme["plot"]["layout"])
    data = {
        "figures": made,
        "name": key,
        "height": height,
        "alt": alt,
        "language": language(),
        "labels": labels(),
    }
    load_component("plot")(key=key, data=data)


def _complete(layout: dict[str, Any]) -> None:
    """What a figure that says nothing of it gets: the page's background, and a zoom that stays."""
    for name, value in PAGE.items():
        layout.setdefault(name, value)
    if "data" in layout.get("template", {"data": {}}):  # Plotly's own, which is that of a light page
        layout["template"] = {"layout": {}}
