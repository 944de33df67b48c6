"""The words of the component ``biography``, in the language on screen."""

from __future__ import annotations

from typing import Any

from core.figures.biography import BiographyWords
from core.ui.components.plotly_words import plotly_words
from core.ui.language import _


def biography_words() -> BiographyWords:
    """The words inside the figure."""
    return BiographyWords(
        measures=(
            _("entropy (nats)"),
            _("mean distance (tokens)"),
            _("share on the previous token"),
            _("share on the first token"),
            _("share on itself"),
        ),
        step=_("step"),
        head=_("Head {head}"),
        uniform=_("uniform attention"),
    )


def labels() -> dict[str, Any]:
    """Everything that the browser writes around the figure. Places in braces are filled there."""
    return {
        "now": _("Layer {layer}, head {head} at step {step}: {numbers}"),
        "entropy": _("entropy {value} nats (uniform: {uniform})"),
        "distance": _("distance {value}"),
        "previous": _("on the previous token {value}"),
        "first": _("on the first {value}"),
        "self": _("on itself {value}"),
        "fact": _("Layer {layer}, head {head}, from step {first} to step {last}: {numbers}"),
        "change": _("{from} to {to}"),
        "comma": _(", "),
        "save": _("Take away"),
        "take": {
            "png": _("Picture (PNG)"),
            "svg": _("Picture (SVG)"),
            "csv": _("Numbers (CSV)"),
            "seed": _("seed {seed}"),
        },
        "reading": _("Reading the past of this run …"),
        "not_yet": _("When a run learns, this shows what becomes of every head."),
        "from_file": _("These weights come from a file: their past was not kept. Train a run to see its heads change."),
        "plotly": plotly_words(),
    }
