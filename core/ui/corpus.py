"""A text as a corpus: read from an uploaded file, described, and opened with a sentence. Nothing is drawn here."""

from __future__ import annotations

from typing import Any

from core.data import corpora
from core.experiments import Experiment
from core.settings import N_, SettingError

BLANK = "_"
LONGEST_OPENING = 24  # characters
NAMES = {" ": "␠", "\n": "↵", "\t": "⇥", "\u3000": "□"}  # whitespace, so that it can be seen


def decode(data: bytes, name: str) -> str:
    """The text of an uploaded file. Raises :class:`SettingError` when it is not UTF-8, or empty."""
    try:
        text = tidy(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise SettingError(
            N_("“{file}” is not UTF-8: byte {byte} at position {position} cannot be read. Save it as UTF-8 first"),
            file=name,
            byte=f"0x{data[error.start]:02X}",
            position=error.start,
        ) from None
    if not text:
        raise SettingError(N_("“{file}” is empty"), file=name)
    return text


def tidy(text: str) -> str:
    """The text without a byte order mark and empty lines around it; every line ends alike."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def vocabulary(text: str) -> str:
    """The distinct characters of a text in code point order, so written that whitespace can be seen."""
    return " ".join(NAMES.get(character, character) for character in sorted(set(text)))


def opening(experiment: Experiment, settings: Any) -> str:
    """The sentence that a page offers: the experiment's own, or the beginning of another corpus.

    Where the experiment's sentence has a blank, so has the other.
    """
    own: str = experiment.view().prompt
    if not hasattr(settings, "corpus") or settings.corpus == experiment.settings().corpus:
        return own
    text = corpora.chosen(settings)
    line = next((line for line in text.split("\n") if line.strip()), own)[:LONGEST_OPENING]
    start = line.rsplit(" ", 1)[0] if " " in line[:-1] else line[: len(own)]
    hole = own.find(BLANK)
    return start if hole < 0 else start[:hole] + BLANK + start[hole + 1 :]
