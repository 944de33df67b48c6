"""The stack of blocks that every model here has, built as its settings say."""

from __future__ import annotations

from typing import Any

from torch import nn

from core.experiments.common import Architecture
from core.layers import Block
from core.positions import INSIDE_ATTENTION


def blocks(settings: Architecture, stream: str = "tokens") -> nn.ModuleList:
    """``settings.layers`` blocks, each (batch, length, width) → (batch, length, width), over the tokens of a stream."""
    return nn.ModuleList(
        Block(settings.width, settings.heads, settings.feed_forward, stream=stream, **parts(settings))
        for _ in range(settings.layers)
    )


def parts(settings: Architecture) -> dict[str, Any]:
    """What the settings say of a block beside its size, as a block takes it."""
    return {
        "key_value_heads": settings.key_value_heads or None,
        "dropout": settings.dropout,
        "pre_norm": settings.pre_norm,
        "normalisation": settings.normalisation,
        "activation": settings.activation,
        "scaled": settings.scaled,
        "positions": settings.positions if settings.positions in INSIDE_ATTENTION else "none",
        "residual": settings.residual,
    }
