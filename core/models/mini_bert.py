"""MiniBERT: an encoder that fills in masked characters (Devlin et al. 2018, arXiv:1810.04805, section 3.1).

Every character sees both sides. The vocabulary has one token more on the way in, [MASK]; on the way out there are only
real characters. Left out from BERT: segments, next-sentence prediction and the norm after the embeddings; there is no
norm after the last block either.
"""

from __future__ import annotations

from torch import Tensor, nn

from core.experiments.mini_bert import MiniBERTSettings
from core.layers import OutputLayer, TokenEmbedding
from core.models.stack import blocks
from core.positions import positions


class MiniBERT(nn.Module):
    """A masked language model of ``vocabulary`` characters; token number ``vocabulary`` is [MASK]."""

    def __init__(self, settings: MiniBERTSettings, vocabulary: int) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(vocabulary + 1, settings.width, tied=settings.tied_embeddings)
        self.positions = positions(settings.positions, settings.block, settings.width)
        self.blocks = blocks(settings)
        self.vocabulary = OutputLayer(settings.width, vocabulary, tied=settings.tied_embeddings)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens (batch, length) → logits of every character at every position (batch, length, vocabulary)."""
        hidden = self.positions(self.embedding(tokens))  # (batch, length, width)
        for block in self.blocks:
            hidden = block(hidden)
        return self.vocabulary(hidden, self.embedding.weight)
