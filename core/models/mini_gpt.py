"""MiniGPT: a decoder that predicts the next character (Radford et al. 2018; norms as in GPT-2).

Each character sees itself and those before it. Taking the causal mask away is an argument, not another model: the same
weights can be looked at both ways. The output layer is not tied to the embedding.
"""

from __future__ import annotations

from torch import Tensor, nn

from core.experiments.mini_gpt import MiniGPTSettings
from core.layers import Block, positions


class MiniGPT(nn.Module):
    """A language model of ``vocabulary`` characters."""

    def __init__(self, settings: MiniGPTSettings, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, settings.width)
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
        self.norm = nn.LayerNorm(settings.width)
        self.vocabulary = nn.Linear(settings.width, vocabulary)

    def forward(self, tokens: Tensor, *, causal_mask: bool = True, key_mask: Tensor | None = None) -> Tensor:
        """Tokens (batch, length) → logits of the character after each position (batch, length, vocabulary).

        ``key_mask`` (batch, length) is True for tokens that may be seen.
        """
        hidden = self.positions(self.embedding(tokens))  # (batch, length, width)
        for block in self.blocks:
            hidden = block(hidden, causal=causal_mask, key_mask=key_mask)
        return self.vocabulary(self.norm(hidden))
