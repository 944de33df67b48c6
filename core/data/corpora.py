"""The texts that ship with the app."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "assets" / "corpora"


@cache
def read(name: str) -> str:
    """The whole corpus of that name, without the line end of the file."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip("\n")
