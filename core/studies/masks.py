"""Which token may look at which: the masks of the three architectures, taken from layers that have just run.

Nothing is drawn by hand here: one layer of each kind attends to random tokens while it is recorded, and what it let
through is what is shown (Vaswani et al. 2017, section 3.2.3).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import torch
from torch import Tensor

from core.capture import AttentionMap, recording
from core.inference.checkpoint import Checkpoint
from core.layers import MultiHeadAttention
from core.settings import N_, SettingError
from core.studies import Progress

WIDTH, HEADS = 16, 2
LONGEST = 16  # tokens; more cells cannot be told apart


def study(options: Mapping[str, Any], _seen: Checkpoint | None) -> Generator[Progress, None, dict[str, Any]]:
    """``tokens`` in a sequence, the last ``padding`` of which are padding → name of the map → who may see whom.

    A map says its streams, ``allowed`` (queries, keys) and how many pairs that is. Raises :class:`SettingError` when
    nothing but padding is left.
    """
    tokens, padding = int(options["tokens"]), int(options["padding"])
    if not 0 <= padding < tokens <= LONGEST:
        raise SettingError(
            N_("of {tokens} tokens (at most {most}) {padding} cannot be padding"),
            tokens=tokens,
            most=LONGEST,
            padding=padding,
        )
    real = (torch.arange(tokens) < tokens - padding)[None]  # (1, tokens)
    target = tokens - 1 if tokens > 1 else 1  # another length, so that rows and columns cannot be confused
    found = {
        "encoder": seen(tokens, key_mask=real),
        "decoder": seen(tokens, causal=True, key_mask=real),
        "cross": seen(target, memory=tokens, key_mask=real),
        "target": seen(target, causal=True),
    }
    maps = {name: plainly(one) for name, one in found.items()}
    yield Progress(fraction=1.0, partial=maps)
    return maps


def seen(
    queries: int, *, memory: int | None = None, causal: bool = False, key_mask: Tensor | None = None
) -> AttentionMap:
    """One layer's map of random tokens: of a sequence on itself, or on ``memory`` tokens of another one."""
    queries_of, keys_of = ("tokens", "tokens") if memory is None else ("target", "source")
    layer = MultiHeadAttention(WIDTH, HEADS, queries=queries_of, keys=keys_of)
    other = None if memory is None else torch.randn(1, memory, WIDTH)
    with torch.no_grad(), recording(layer) as maps:
        layer(torch.randn(1, queries, WIDTH), other, causal=causal, key_mask=key_mask)
    return maps[0]


def plainly(found: AttentionMap) -> dict[str, Any]:
    """The first sequence's map as the page takes it; ``leak`` is the largest weight on a pair that is masked."""
    allowed = found.allowed[0, 0]
    hidden = found.weights[0][:, ~allowed]
    return {
        "allowed": allowed.int(),
        "pairs": int(allowed.sum()),
        "cells": allowed.numel(),
        "leak": float(hidden.max()) if hidden.numel() else 0.0,
    }
