"""What became of each head while a run learned: the browser draws it from the past of the run that it has read.

The text is the one that the page's sentence holds, and the layer and the head are the page's.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from core.figures.biography import BiographyWords, head_style
from core.figures.biography import biography as biography_figure
from core.figures.theme import PALETTES
from core.runs.run import Run
from core.ui.components import load_component
from core.ui.components.biography.words import biography_words, labels
from core.ui.components.figures import for_both_themes
from core.ui.language import language


def biography(run: Run | None, *, layer: int, head: int, key: str = "biography") -> Any:
    """Draw the biographies of a layer's heads, one of them strong."""
    heads = 1 if run is None else int(run.settings.heads)
    data = {
        "run": None if run is None else _about(run),
        "layer": layer,
        "head": min(head, heads - 1),
        "language": language(),
        "labels": labels(),
        "figures": _figures(heads, biography_words()),
        "styles": _styles(),
    }
    return load_component("biography")(key=key, data=data)


def _about(run: Run) -> dict[str, Any]:
    return {"id": run.id, "step": run.step, "steps": int(run.settings.steps), "seed": int(run.settings.seed)}


@cache
def _figures(heads: int, words: BiographyWords) -> dict[str, dict[str, Any]]:
    return for_both_themes(biography=lambda palette: biography_figure(heads=heads, palette=palette, words=words))


@cache
def _styles() -> dict[str, dict[str, Any]]:
    """How lines are drawn: theme → chosen or other → what of a trace that is."""
    return {
        name: {"chosen": head_style(True, palette), "other": head_style(False, palette)}
        for name, palette in PALETTES.items()
    }
