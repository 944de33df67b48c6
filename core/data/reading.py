"""From what was typed to what a model reads: nothing is guessed silently, every change has a notice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Notice = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a model reads of a text.

    ``tokens`` are ``given[start : start + len(tokens)]`` of the tokens that were left after unknown characters had been
    taken out; ``given`` counts those.
    """

    tokens: tuple[str, ...]
    numbers: tuple[int, ...]
    start: int
    given: int
    notices: tuple[Notice, ...]


def read(
    tokens: Sequence[str],
    number: Callable[[str], int | None],
    *,
    longest: int,
    keep: Literal["start", "end"],
    empty: str,
) -> Reading:
    """Number the tokens, leave out those that have no number, and crop to ``longest`` at one side.

    A text without any known token is replaced by the single token ``empty``. Each of these is told in a notice.
    """
    numbered = [(token, number(token)) for token in tokens]
    unknown = dict.fromkeys(token for token, code in numbered if code is None)
    known = [(token, code) for token, code in numbered if code is not None]
    notices: list[Notice] = []
    if unknown:
        notices.append({"code": "unknown_characters", "characters": "".join(list(unknown)[:20])})
    if not known:
        code = number(empty)
        assert code is not None
        known = [(empty, code)]
        notices.append({"code": "empty", "start": empty})
    start = max(0, len(known) - longest) if keep == "end" else 0
    kept = known[start : start + longest]
    if len(kept) < len(known):
        notices.append({"code": "cropped", "kept": len(kept), "given": len(known), "side": keep})
    return Reading(
        tokens=tuple(token for token, _ in kept),
        numbers=tuple(code for _, code in kept),
        start=start,
        given=len(known),
        notices=tuple(notices),
    )
