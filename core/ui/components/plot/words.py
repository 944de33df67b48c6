"""The words of the component ``plot``, in the language on screen."""

from __future__ import annotations

from typing import Any

from core.ui.components.plotly_words import plotly_words
from core.ui.language import _


def labels() -> dict[str, Any]:
    """What stands around a figure, not in it."""
    return {
        "save": _("Take away"),
        "take": {"png": _("Picture (PNG)"), "svg": _("Picture (SVG)")},
        "plotly": plotly_words(),
    }
