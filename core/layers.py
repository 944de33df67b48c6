"""The layers every model here is built from.

Attention, the feed-forward part, positions and the block that joins them, after Vaswani et al. 2017, "Attention Is All
You Need" (arXiv:1706.03762), with the norm in either place. Layers take plain numbers, never a settings object. Left
out: key-value caches and everything else that only long sequences need.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.ablation import without_heads, without_keys
from core.capture import observe, observed
from core.what_if import asked


def attention(
    query: Tensor, key: Tensor, value: Tensor, allowed: Tensor | None = None, *, scale: float, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1).

    ``softmax(Q Kᵀ · scale) V`` for ``query`` (…, queries, d), ``key`` (…, keys, d), ``value`` (…, keys, d_v).
    ``allowed`` (broadcastable to (…, queries, keys)) is True where a query may look; a query that may look nowhere gets
    weights 0 and the value 0. ``dropout`` acts on the weights that mix the values; the weights returned are those
    before it, so their rows sum to 1. Returns the mixed values (…, queries, d_v) and the weights (…, queries, keys).
    """
    scores = query @ key.transpose(-2, -1) * scale  # (…, queries, keys)
    if allowed is None:
        weights = scores.softmax(dim=-1)
    else:
        blind = ~allowed.any(dim=-1, keepdim=True)  # (…, queries, 1): their softmax would be 0/0
        weights = scores.masked_fill(~allowed, -math.inf).masked_fill(blind, 0.0).softmax(dim=-1)
        weights = weights.masked_fill(blind, 0.0)
    return F.dropout(weights, dropout) @ value if dropout else weights @ value, weights


def causal_mask(queries: int, keys: int, device: torch.device | None = None) -> Tensor:
    """True where a query may look: at itself and at what stands before it. (queries, keys)"""
    return torch.ones(queries, keys, dtype=torch.bool, device=device).tril()


class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2).

    ``width`` numbers a token are projected to queries, keys and values, split among ``heads``, attended and projected
    back. ``scaled=False`` leaves out the factor 1/√d_k. ``queries`` and ``keys`` name the token streams that the rows
    and columns of the maps belong to. Raises ``ValueError`` when the heads do not divide the width.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        dropout: float = 0.0,
        scaled: bool = True,
        queries: str = "tokens",
        keys: str = "tokens",
    ) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"{heads} heads do not divide a width of {width} evenly")
        self.heads = heads
        self.scale = (width // heads) ** -0.5 if scaled else 1.0
        self.queries, self.keys = queries, keys
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, tokens: Tensor, memory: Tensor | None = None, *, causal: bool = False, key_mask: Tensor | None = None
    ) -> Tensor:
        """Let ``tokens`` (batch, queries, width) attend to ``memory`` (batch, keys, width), or to themselves.

        ``causal`` hides later keys; ``key_mask`` (batch, keys) is True for keys that may be seen. Returns (batch,
        queries, width).
        """
        memory = tokens if memory is None else memory
        query, key, value = self.query(tokens), self.key(memory), self.value(memory)
        query, key, value = self._split(query), self._split(key), self._split(value)
        mixed = self._mix(query, key, value, causal, key_mask)  # (batch, heads, queries, width / heads)
        return self.output(mixed.transpose(1, 2).flatten(2))  # (batch, queries, width)

    def _split(self, projected: Tensor) -> Tensor:
        return projected.view(*projected.shape[:2], self.heads, -1).transpose(
            1, 2
        )  # (batch, heads, length, width / heads)

    def _mix(self, query: Tensor, key: Tensor, value: Tensor, causal: bool, key_mask: Tensor | None) -> Tensor:
        dropout = self.dropout.p if self.training else 0.0
        causal, scale = self._as_asked(causal, query.shape[-1])
        key_mask = without_keys(self, key, key_mask)
        if not observed(self) and key_mask is None:
            # The fused kernel never forms the weights; the tests hold it to attention() above.
            mixed = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout, is_causal=causal, scale=scale)
            return without_heads(self, mixed)
        allowed = self._allowed(query.shape[-2], key.shape[-2], causal, key_mask, query.device)
        mixed, weights = attention(query, key, value, allowed, scale=scale, dropout=dropout)
        mixed = without_heads(self, mixed)
        observe(
            self,
            weights=weights,
            allowed=allowed,
            query=query,
            key=key,
            value=value,
            mixed=mixed,
            scale=scale,
            queries=self.queries,
            keys=self.keys,
        )
        return mixed

    def _as_asked(self, causal: bool, head_width: int) -> tuple[bool, float]:
        """Whether later keys are hidden, and the factor of the scores: the layer's own, or as :func:`what_if` asks."""
        change = asked()
        if change.causal is not None and self.queries == self.keys:  # across two streams there is no later
            causal = change.causal
        if change.scaled is None:
            return causal, self.scale
        return causal, head_width**-0.5 if change.scaled else 1.0

    @staticmethod
    def _allowed(queries: int, keys: int, causal: bool, key_mask: Tensor | None, device: torch.device) -> Tensor | None:
        allowed = causal_mask(queries, keys, device)[None, None] if causal else None  # (1, 1, queries, keys)
        if key_mask is None:
            return allowed
        seen = key_mask[:, None, None, :].expand(-1, -1, queries, -1)  # (batch, 1, queries, keys)
        return seen if allowed is None else seen & allowed


class FeedForward(nn.Module):
    """Two linear layers with a GELU between them, applied to each token alone (Vaswani et al. 2017, section 3.3)."""

    def __init__(self, width: int, inner: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.expand = nn.Linear(width, inner)
        self.contract = nn.Linear(inner, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, length, width)"""
        return self.contract(self.dropout(F.gelu(self.expand(tokens))))


class Block(nn.Module):
    """Self-attention and a feed-forward part, each with a residual connection and a layer norm.

    ``pre_norm`` normalises what goes into each part (Xiong et al. 2020, arXiv:2002.04745); otherwise the sum that comes
    out is normalised, as in Vaswani et al. 2017, figure 1.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        feed_forward: int,
        *,
        dropout: float = 0.0,
        pre_norm: bool = True,
        norm_eps: float = 1e-5,
    ) -> None:
        super().__init__()
        self.pre_norm = pre_norm
        self.attention = MultiHeadAttention(width, heads, dropout=dropout)
        self.feed_forward = FeedForward(width, feed_forward, dropout=dropout)
        self.attention_norm = nn.LayerNorm(width, eps=norm_eps)
        self.feed_forward_norm = nn.LayerNorm(width, eps=norm_eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, *, causal: bool = False, key_mask: Tensor | None = None) -> Tensor:
        """(batch, length, width) → (batch, length, width); masks as in :class:`MultiHeadAttention`."""
        if self.pre_norm:
            normed = self.attention_norm(tokens)
            tokens = tokens + self.dropout(self.attention(normed, causal=causal, key_mask=key_mask))
            return tokens + self.dropout(self.feed_forward(self.feed_forward_norm(tokens)))
        attended = self.attention(tokens, causal=causal, key_mask=key_mask)
        tokens = self.attention_norm(tokens + self.dropout(attended))
        return self.feed_forward_norm(tokens + self.dropout(self.feed_forward(tokens)))


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
    """The named way of adding positions: ``sinusoidal``, ``learned`` or ``none``."""
    if kind == "sinusoidal":
        return SinusoidalPositions(width)
    return LearnedPositions(length, width) if kind == "learned" else nn.Identity()


def set_dropout(model: nn.Module, probability: float) -> None:
    """Change the dropout of every layer of a model, in place."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = probability
