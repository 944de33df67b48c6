"""The texts that a model can learn: those that ship with the app, and the learner's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from core.experiments.common import TextSettings

FOLDER = Path(__file__).parents[2] / "assets" / "corpora"


def chosen(settings: TextSettings) -> str:
    """The text that the settings name."""
    corpus = str(getattr(settings, "corpus", ""))
    return settings.own_text if corpus == "own" else read(corpus)


@cache
def read(name: str) -> str:
    """The whole corpus of that name, without the line end of the file."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip("\n")
