"""Templates of figures as plain values for the browser, for light and dark pages. Made once for the same words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from core.figures.theme import PALETTES, Palette


def for_both_themes(**makers: Callable[[Palette], go.Figure]) -> dict[str, dict[str, Any]]:
    """Every figure in every palette: theme name → figure name → figure."""
    return {
        name: {figure: json.loads(make(palette).to_json()) for figure, make in makers.items()}
        for name, palette in PALETTES.items()
    }
