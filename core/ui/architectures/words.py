"""What the three kinds of layer are called."""

from __future__ import annotations

from core.ui.language import _


def kinds() -> dict[str, str]:
    """Code → name, in the language on screen."""
    return {"lstm": "LSTM", "cnn": "CNN", "attention": _("attention")}
