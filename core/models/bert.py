"""BERT: the encoder of Devlin et al. 2018 (arXiv:1810.04805, section 3), built from the layers of this house.

Words are split into pieces; each piece is the sum of three learned vectors (piece, position, segment), normalised; then
come post-norm blocks, as in Vaswani et al. 2017, with an exact GELU. The answer is one vector a piece. Left out: the
output layers of the two pre-training tasks. Dropout is 0, for the model is looked at, not trained.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.experiments.pretrained import PretrainedSettings
from core.layers import Block
from core.positions import LearnedPositions


class Bert(nn.Module):
    """A pre-trained encoder; its shape is all that the settings say."""

    def __init__(self, settings: PretrainedSettings) -> None:
        super().__init__()
        width, eps = settings.width, settings.norm_eps
        self.embedding = nn.Embedding(settings.vocabulary, width)
        self.positions = LearnedPositions(settings.block, width)
        self.segments = nn.Embedding(settings.segments, width)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.blocks = nn.ModuleList(
            Block(width, settings.heads, settings.feed_forward, pre_norm=False, norm_eps=eps)
            for _ in range(settings.layers)
        )
        self.pooler = nn.Linear(width, width) if settings.pooler else None

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Tokens (batch, length) → a vector for each (batch, length, width).

        ``segments`` (batch, length) tells the first sentence (0) from the second (1); without it, all is the first.
        """
        segments = torch.zeros_like(tokens) if segments is None else segments
        hidden = self.norm(self.positions(self.embedding(tokens)) + self.segments(segments))  # (batch, length, width)
        for block in self.blocks:
            hidden = block(hidden)
        return hidden

    def pooled(self, hidden: Tensor) -> Tensor:
        """The first token's vector, passed through a layer and tanh: (batch, length, width) → (batch, width)"""
        first = hidden[:, 0]
        return first if self.pooler is None else self.pooler(first).tanh()
