"""MiniBERT: an encoder that fills in masked characters (Devlin et al. 2018, arXiv:1810.04805, section 3.1).

Every character sees both sides. The vocabulary has one token more on the way in, [MASK]; on the way out there are only
real characters. Left out from BERT: segments, next-sentence prediction and the norm after the embeddings; there is no
norm after the last block either.
"""

from __future__ import annotations

from torch import Tensor, nn

from core.experiments.mini_bert import MiniBERTSettings
from core.layers import Block, positions


class MiniBERT(nn.Module):
    """A masked language model of ``vocabulary`` characters; token number ``vocabulary`` is [MASK]."""

    def __init__(self, settings: MiniBERTSettings, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary + 1, settings.width)
        self.positions = positions(settings.positions, settings.block, settings.width)
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
        self.vocabulary = nn.Linear(settings.width, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens (batch, length) → logits of every character at every position (batch, length, vocabulary)."""
        hidden = self.positions(self.embedding(tokens))  # (batch, length, width)
        for block in self.blocks:
            hidden = block(hidden)
        return self.vocabulary(hidden)
