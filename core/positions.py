"""How a model knows the order of its tokens.

Three ways add something before the first block, or nothing; two act inside attention, on queries and keys (rotary
embeddings) or on the scores (ALiBi). All of them are left out of a pass in which :func:`core.what_if.what_if` asks for
no positions.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.what_if import asked

INSIDE_ATTENTION = ("rope", "alibi")  # the kinds that attention itself applies


class SinusoidalPositions(nn.Module):
    """Adds sines and cosines of the position (Vaswani et al. 2017, section 3.5). Any length, any width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        pairs = torch.arange(0, width, 2)
        self.register_buffer("frequencies", torch.exp(-math.log(10_000.0) * pairs / width), persistent=False)
        self.width = width

    def table(self, length: int) -> Tensor:
        """The encoding of the first ``length`` positions: sines in even columns, cosines in odd. (length, width)"""
        frequencies = self.get_buffer("frequencies")
        angles = torch.arange(length, device=frequencies.device)[:, None] * frequencies  # (length, ⌈width / 2⌉)
        return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)[:, : self.width]

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, length, width)"""
        return tokens + self.table(tokens.shape[1]) if asked().positions else tokens


class LearnedPositions(nn.Module):
    """Adds a learned vector a position; there are only ``length`` of them."""

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(length, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, length, width). Raises ``ValueError`` past the end of the table."""
        length = tokens.shape[1]
        if length > self.table.num_embeddings:
            raise ValueError(f"{length} tokens do not fit a position table of {self.table.num_embeddings}")
        return tokens + self.table.weight[:length] if asked().positions else tokens


def positions(kind: str, length: int, width: int) -> nn.Module:
    """What is added before the first block: ``sinusoidal`` or ``learned`` positions, for other kinds nothing."""
    if kind == "sinusoidal":
        return SinusoidalPositions(width)
    return LearnedPositions(length, width) if kind == "learned" else nn.Identity()


def rotated(vectors: Tensor) -> Tensor:
    """Rotary position embedding (Su et al. 2021, arXiv:2104.09864, equation 34) of queries or keys (…, length, d).

    Numbers 2i and 2i+1 of the vector at position m are turned by the angle m · 10000^(−2i/d), so that the product of a
    query and a key depends on their content and on how far apart they stand, not on where. ``d`` must be even.
    """
    length, width = vectors.shape[-2:]
    pairs = torch.arange(0, width, 2, device=vectors.device)
    angles = torch.arange(length, device=vectors.device)[:, None] * 10_000.0 ** (-pairs / width)  # (length, d / 2)
    even, odd, cosine, sine = vectors[..., 0::2], vectors[..., 1::2], angles.cos(), angles.sin()
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1).flatten(-2)


def distance_bias(heads: int, length: int, device: torch.device | None = None) -> Tensor:
    """What ALiBi adds to the scores (Press et al. 2021, arXiv:2108.12409, section 3): −slope · distance.

    Head h of n has the slope 2^(−8h/n), h from 1. The paper looks back only; where a query may look ahead, the distance
    counts the same in both directions. (1, heads, length, length)
    """
    slopes = 2.0 ** (-8.0 / heads * torch.arange(1, heads + 1, device=device))  # (heads,)
    places = torch.arange(length, device=device)
    distances = (places[:, None] - places).abs()  # (length, length)
    return -slopes[:, None, None] * distances[None, None]
