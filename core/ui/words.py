"""Sentences that are put together now and shown later, in whatever language is on screen then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.settings import SettingError

LONGEST = 60  # characters of a person's own words that a sentence repeats
MARKUP = frozenset("\\`*_{}[]()#+-.!|~<>$=^\"'&/@%")


@dataclass(frozen=True)
class Sentence:
    """A message and what fills it: plain words, numbers, or sentences to be translated themselves."""

    message: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def say(self, translate: Callable[..., str]) -> str:
        """The sentence as Markdown. Words in it that came from outside are shown as they are, markup and all."""
        return translate(self.message, **{name: _said(value, translate) for name, value in self.fields.items()})


def sentence(message: str, **fields: object) -> Sentence:
    """A sentence from a marked message: ``sentence(N_("…{name}…"), name=…)``."""
    return Sentence(message, fields)


def problem(error: SettingError) -> Sentence:
    """What an error of the settings says."""
    return Sentence(error.message, error.fields)


def literal(text: str) -> str:
    """Markdown that shows a text as it is, on one line and not too long."""
    text = " ".join(text.split())
    text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    # A word joiner after a colon keeps ``:name:`` from becoming an icon or an emoji; it is not seen.
    return "".join(f"\\{c}" if c in MARKUP else "\\:\u2060" if c == ":" else c for c in text)


def _said(value: object, translate: Callable[..., str]) -> object:
    if isinstance(value, Sentence):
        return value.say(translate)
    return literal(value) if isinstance(value, str) else value
