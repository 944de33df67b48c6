"""TinyTransformer: an encoder that classifies a sequence of digits.

Embedding, positions, pre-norm blocks, the mean over the positions, two classes. There is no norm after the last block.
"""

from __future__ import annotations

from torch import Tensor, nn

from core.experiments.tiny_transformer import TinyTransformerSettings
from core.layers import Block, positions


class TinyTransformer(nn.Module):
    """An encoder with a mean readout. ``vocabulary`` is the number of different tokens."""

    def __init__(self, settings: TinyTransformerSettings, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, settings.width)
        self.positions = positions(settings.positions, settings.length, settings.width)
        self.blocks = nn.ModuleList(
            Block(
                settings.width,
                settings.heads,
                settings.feed_forward,
                dropout=settings.dropout,
                pre_norm=settings.pre_norm,
            )
            for _ in range(settings.layers)
        )
        self.classes = nn.Linear(settings.width, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        """Digits (batch, length) → logits of the two classes (batch, 2)."""
        hidden = self.positions(self.embedding(tokens))  # (batch, length, width)
        for block in self.blocks:
            hidden = block(hidden)
        return self.classes(hidden.mean(dim=1))
