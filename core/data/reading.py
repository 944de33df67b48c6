"""From what was typed to what a model reads: nothing is guessed silently, every change has a notice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Notice = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a model reads of a text.

    Of the ``given`` tokens that were left after unknown characters had been taken out, those from ``start`` on that
    fit, after ``special`` tokens of the model's own, such as [CLS].
    """

    tokens: tuple[str, ...]
    numbers: tuple[int, ...]
    start: int
    given: int
    special: int
    notices: tuple[Notice, ...]


def read(
    tokens: Sequence[str],
    number: Callable[[str], int | None],
    *,
    longest: int,
    keep: Literal["start", "end"],
    empty: str,
    before: Sequence[tuple[str, int]] = (),
) -> Reading:
    """Number the tokens, leave out those that have no number, and crop to ``longest`` at one side.

    A text without any known token is replaced by the single token ``empty``. Each of these is told in a notice. The
    tokens of ``before``, with their numbers, are put in front whatever the text.
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
    whole = [*before, *kept]
    return Reading(
        tokens=tuple(token for token, _ in whole),
        numbers=tuple(code for _, code in whole),
        start=start,
        given=len(known),
        special=len(before),
        notices=tuple(notices),
    )
