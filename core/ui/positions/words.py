"""What the kinds of positions are called."""

from __future__ import annotations

from core.ui.language import _


def kinds() -> dict[str, str]:
    """Code → name, in the language on screen."""
    return {
        "sinusoidal": _("sinusoidal"),
        "learned": _("learned"),
        "rope": "RoPE",
        "alibi": "ALiBi",
        "none": _("none"),
    }
