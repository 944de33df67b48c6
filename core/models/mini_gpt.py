"""MiniGPT: a decoder that predicts the next character (Radford et al. 2018; norms as in GPT-2).

Each character sees itself and those before it. Taking the causal mask away is an argument, not another model: the same
weights can be looked at both ways. The output layer is tied to the embedding only where the settings say so.
"""

from __future__ import annotations

from torch import Tensor, nn

from core.experiments.mini_gpt import MiniGPTSettings
from core.layers import OutputLayer, TokenEmbedding, norm
from core.models.stack import blocks
from core.positions import positions


class MiniGPT(nn.Module):
    """A language model of ``vocabulary`` characters."""

    def __init__(self, settings: MiniGPTSettings, vocabulary: int) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(vocabulary, settings.width, tied=settings.tied_embeddings)
        self.positions = positions(settings.positions, settings.block, settings.width)
        self.blocks = blocks(settings)
        self.norm = norm(settings.normalisation, settings.width)
        self.vocabulary = OutputLayer(settings.width, vocabulary, tied=settings.tied_embeddings)

    def forward(self, tokens: Tensor, *, causal_mask: bool = True, key_mask: Tensor | None = None) -> Tensor:
        """Tokens (batch, length) → logits of the character after each position (batch, length, vocabulary).

        ``key_mask`` (batch, length) is True for tokens that may be seen.
        """
        hidden = self.positions(self.embedding(tokens))  # (batch, length, width)
        for block in self.blocks:
            hidden = block(hidden, causal=causal_mask, key_mask=key_mask)
        return self.vocabulary(self.norm(hidden), self.embedding.weight)
