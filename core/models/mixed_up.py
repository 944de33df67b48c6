"""One attention layer of torch's own, used rightly and wrongly.

``nn.MultiheadAttention`` answers with two things: its output and its weights. Who takes the second for the first hands
on where every token looked instead of what it found there. Where a sequence is as long as the model is wide, both have
the same shape, and nothing complains.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from core.experiments.mini_gpt import MiniGPTSettings
from core.layers import OutputLayer, TokenEmbedding, causal_mask, norm
from core.positions import positions


class Output(nn.Module):
    """A language model of one attention layer with a residual connection, which takes the layer's output."""

    taken: ClassVar[int] = 0  # which of the layer's two answers is handed on

    def __init__(self, settings: MiniGPTSettings, vocabulary: int) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(vocabulary, settings.width)
        self.positions = positions(settings.positions, settings.block, settings.width)
        self.attention = nn.MultiheadAttention(settings.width, settings.heads, batch_first=True)
        self.norm = norm(settings.normalisation, settings.width)
        self.vocabulary = OutputLayer(settings.width, vocabulary)

    def forward(self, tokens: Tensor, *, causal_mask: bool = True, key_mask: Tensor | None = None) -> Tensor:
        """Tokens (batch, length) → logits of the next character (batch, length, vocabulary).

        Always causal. Raises ``RuntimeError`` where what is taken has another shape than the tokens.
        """
        hidden = self.positions(self.embedding(tokens))  # (batch, length, width)
        answers = self.attention(hidden, hidden, hidden, attn_mask=~_causal(tokens), need_weights=True)
        return self.vocabulary(self.norm(hidden + answers[self.taken]))


class Weights(Output):
    """The same model, which takes the weights (batch, length, length) for the output (batch, length, width)."""

    taken = 1


def _causal(tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    return causal_mask(length, length, tokens.device)
