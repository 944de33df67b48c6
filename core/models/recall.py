"""Three readers of the same size: an LSTM, a stack of convolutions, and one block of attention.

Each reads symbols and answers after the last one. They differ only in how what was read first gets to the end: through
every step in between (Hochreiter & Schmidhuber 1997), through layers that each reach further (van den Oord et al. 2016,
arXiv:1609.03499), or at once (Vaswani et al. 2017).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.layers import Block
from core.positions import SinusoidalPositions

KINDS = ("lstm", "cnn", "attention")
KERNEL, CONVOLUTIONS = 3, 3  # with dilations 1, 3, 9 the last place sees the 26 before it
WIDTH, HEADS = 32, 4  # of the attention; its feed-forward part fills the budget


class Recurrent(nn.Module):
    """One layer of an LSTM."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, width, batch_first=True)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, length, width)"""
        hidden: Tensor = self.lstm(tokens)[0]
        return hidden


class CausalConvolution(nn.Module):
    """A convolution over what stands ``dilation`` apart, at a place and before it."""

    def __init__(self, width: int, kernel: int, dilation: int = 1) -> None:
        super().__init__()
        self.reach = (kernel - 1) * dilation
        self.convolution = nn.Conv1d(width, width, kernel, dilation=dilation)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, length, width)"""
        channels = F.pad(tokens.transpose(1, 2), (self.reach, 0))  # (batch, width, reach + length)
        return self.convolution(channels).transpose(1, 2)


class Convolutional(nn.Module):
    """Causal convolutions whose dilation grows with each layer, each added to what it was given."""

    def __init__(self, width: int, layers: int = CONVOLUTIONS, kernel: int = KERNEL) -> None:
        super().__init__()
        self.layers = nn.ModuleList(CausalConvolution(width, kernel, kernel**layer) for layer in range(layers))

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, length, width)"""
        for layer in self.layers:
            tokens = tokens + F.gelu(layer(tokens))
        return tokens


class Attentive(nn.Module):
    """Sinusoidal positions and one block with a causal mask."""

    def __init__(self, feed_forward: int) -> None:
        super().__init__()
        self.positions = SinusoidalPositions(WIDTH)
        self.block = Block(WIDTH, HEADS, feed_forward)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, length, width)"""
        hidden: Tensor = self.block(self.positions(tokens), causal=True)
        return hidden


class Reader(nn.Module):
    """Symbols in, and after the last of them the logits of an answer. ``kind`` is one of KINDS, ``size`` its own."""

    def __init__(self, kind: str, symbols: int, size: int) -> None:
        super().__init__()
        width = WIDTH if kind == "attention" else size
        self.embedding = nn.Embedding(symbols, width)
        self.body = {"lstm": Recurrent, "cnn": Convolutional, "attention": Attentive}[kind](size)
        self.norm = nn.LayerNorm(width)
        self.answer = nn.Linear(width, symbols)

    def forward(self, symbols: Tensor) -> Tensor:
        """(batch, length) → (batch, symbols)"""
        return self.read(self.embedding(symbols))

    def read(self, vectors: Tensor) -> Tensor:
        """The same from the symbols' vectors on: (batch, length, width) → (batch, symbols)"""
        logits: Tensor = self.answer(self.norm(self.body(vectors)[:, -1]))
        return logits


def parameters(model: nn.Module) -> int:
    """How many numbers a model learns."""
    return sum(one.numel() for one in model.parameters())


def within(budget: int, kind: str, symbols: int) -> int:
    """The size with which a reader of that kind comes closest to a budget of parameters."""

    def miss(size: int) -> int:
        with torch.device("meta"):
            return abs(parameters(Reader(kind, symbols, size)) - budget)

    return min(range(4, 129), key=miss)
