"""What Plotly itself says in its notes, in the language on screen."""

from __future__ import annotations

from core.ui.language import _


def plotly_words() -> dict[str, str]:
    """Plotly's own English is the key, whatever the language."""
    return {
        "Double-click to zoom back out": _("Double-click to show all"),
        "Sorry, there was a problem downloading your snapshot!": _("The image could not be saved"),
    }
