"""Characters and their numbers."""

from __future__ import annotations

from collections.abc import Iterable


class Vocabulary:
    """The distinct characters of a text, in code point order, numbered from 0."""

    def __init__(self, text: Iterable[str]) -> None:
        self.characters = sorted(set(text))
        self._numbers = {character: number for number, character in enumerate(self.characters)}

    def __len__(self) -> int:
        return len(self.characters)

    def __contains__(self, character: str) -> bool:
        return character in self._numbers

    def encode(self, text: Iterable[str]) -> list[int]:
        """The numbers of the characters. Raises ``KeyError`` for one that is not in the vocabulary."""
        return [self._numbers[character] for character in text]

    def decode(self, numbers: Iterable[int]) -> str:
        """The text of the numbers."""
        return "".join(self.characters[number] for number in numbers)
