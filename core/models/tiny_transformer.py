"""TinyTransformer: an encoder that classifies a sequence of digits.

Embedding, positions, pre-norm blocks, a readout, two classes. The readout is the mean over the positions, or the first
position where a [CLS] token stands there. There is no norm after the last block.
"""

from __future__ import annotations

from torch import Tensor, nn

from core.experiments.tiny_transformer import TinyTransformerSettings
from core.models.stack import blocks
from core.positions import positions


class TinyTransformer(nn.Module):
    """An encoder with a readout. ``vocabulary`` is the number of different tokens, [CLS] counted."""

    def __init__(self, settings: TinyTransformerSettings, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, settings.width)
        self.positions = positions(settings.positions, settings.length + (settings.readout == "cls"), settings.width)
        self.readout = settings.readout
        self.blocks = blocks(settings)
        self.classes = nn.Linear(settings.width, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens (batch, length) → logits of the two classes (batch, 2)."""
        hidden = self.positions(self.embedding(tokens))  # (batch, length, width)
        for block in self.blocks:
            hidden = block(hidden)
        return self.classes(hidden[:, 0] if self.readout == "cls" else hidden.mean(dim=1))
