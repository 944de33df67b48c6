"""Numbers as axes and sentences write them: short, and with a power of ten where they are very small or very large."""

from __future__ import annotations

import math
from collections.abc import Sequence

SMALL, LARGE = 0.001, 100_000  # what is less, or at least as much, is written with a power of ten
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
TENS = 9.5  # from here on no digit before the point is rounded away
FEW = 3  # decades of an axis with room for 1, 2 and 5


def power(value: float) -> str:
    """A number of which one digit says enough, without computers' ``e``: ``0.02``, ``2 × 10⁻⁶``, ``10⁷``, ``0``."""
    if value == 0 or SMALL <= abs(value) < LARGE:
        return f"{value:.1g}" if abs(value) < TENS else f"{value:.0f}"
    digit, exponent = f"{value:.0e}".split("e")
    raised = "10" + str(int(exponent)).translate(RAISED)
    return raised if digit == "1" else f"{digit} × {raised}"


def scale(values: Sequence[float]) -> list[float]:
    """Ticks of a logarithmic axis around values: 1, 2, 5, 10 …, or powers of ten alone where those were too many."""
    low, high = min(values, default=1), max(values, default=1)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    digits = (1, 2, 5) if len(decades) <= FEW else (1,)
    return [digit * 10.0**decade for decade in decades for digit in digits]
