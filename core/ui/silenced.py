"""The heads that are silenced, as a link and a control write them: ``0.2,1.3`` is layer 0 head 2 and layer 1 head 3.

The browser writes them in the same way (core/ui/components/look/ablation.js).
"""

from __future__ import annotations

import re

from core.runs.requests import MOST_HEADS


def existing(written: str, layers: int, heads: int) -> tuple[str, list[str]]:
    """Those of the heads that a model of so many layers and heads has, in order, and what else was written."""
    parts = [part.strip() for part in written.split(",") if part.strip()]
    named = {part: _place(part) for part in parts}
    found = sorted({place for place in named.values() if place and place[0] < layers and place[1] < heads})[:MOST_HEADS]
    others = [part for part, place in named.items() if place not in found]
    return ",".join(f"{layer}.{head}" for layer, head in found), others


def _place(part: str) -> tuple[int, int] | None:
    match = re.fullmatch(r"([0-9]{1,2})\.([0-9]{1,2})", part)
    return (int(match[1]), int(match[2])) if match else None
