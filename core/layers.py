"""The layers every model here is built from.

Attention, the feed-forward part, norms and the block that joins them, after Vaswani et al. 2017, "Attention Is All You
Need" (arXiv:1706.03762), with what has replaced its parts since as choices. Layers take plain numbers, never a settings
object. Left out: key-value caches and everything else that only long sequences need.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.ablation import without_heads, without_keys
from core.capture import observe, observed
from core.positions import distance_bias, rotated
from core.what_if import asked


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    allowed: Tensor | None = None,
    *,
    scale: float,
    bias: Tensor | None = None,
    dropout: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention (Vaswani et al. 2017, equation 1).

    ``softmax(Q Kᵀ · scale + bias) V`` for ``query`` (…, queries, d), ``key`` (…, keys, d), ``value`` (…, keys, d_v).
    ``allowed`` and ``bias`` are broadcastable to (…, queries, keys). ``allowed`` is True where a query may look; one
    that may look nowhere gets weights 0 and the value 0. ``dropout`` acts on the weights that mix the values; the
    weights returned are those before it, so their rows sum to 1. Returns the mixed values (…, queries, d_v) and the
    weights (…, queries, keys).
    """
    scores = query @ key.transpose(-2, -1) * scale  # (…, queries, keys)
    if bias is not None:
        scores = scores + bias
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
    back. With fewer ``key_value_heads`` than heads, neighbouring heads share one projection of keys and values
    (grouped-query attention, Ainslie et al. 2023, arXiv:2305.13245). ``scaled=False`` leaves out the factor 1/√d_k.
    ``positions`` is ``rope`` or ``alibi`` where a token's place acts inside self-attention. ``queries`` and ``keys``
    name the token streams that the rows and columns of the maps belong to. Raises ``ValueError`` when the heads do not
    divide the width, or the heads of keys and values do not divide the heads.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        key_value_heads: int | None = None,
        dropout: float = 0.0,
        scaled: bool = True,
        positions: str = "none",
        queries: str = "tokens",
        keys: str = "tokens",
    ) -> None:
        super().__init__()
        groups = heads if key_value_heads is None else key_value_heads
        if width % heads:
            raise ValueError(f"{heads} heads do not divide a width of {width} evenly")
        if heads % groups:
            raise ValueError(f"{groups} heads of keys and values do not divide {heads} heads evenly")
        self.heads, self.group = heads, heads // groups
        self.scale = (width // heads) ** -0.5 if scaled else 1.0
        self.positions, self.queries, self.keys = positions, queries, keys
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width // self.group)
        self.value = nn.Linear(width, width // self.group)
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
        query = self._split(query, self.heads)
        key, value = (self._split(one, self.heads // self.group) for one in (key, value))
        if self.group > 1:
            key, value = (one.repeat_interleave(self.group, dim=1) for one in (key, value))
        mixed = self._mix(query, key, value, causal, key_mask)  # (batch, heads, queries, width / heads)
        return self.output(mixed.transpose(1, 2).flatten(2))  # (batch, queries, width)

    @staticmethod
    def _split(projected: Tensor, heads: int) -> Tensor:
        return projected.view(*projected.shape[:2], heads, -1).transpose(1, 2)  # (batch, heads, length, width / heads)

    def _mix(self, query: Tensor, key: Tensor, value: Tensor, causal: bool, key_mask: Tensor | None) -> Tensor:
        dropout = self.dropout.p if self.training else 0.0
        causal, scale = self._as_asked(causal, query.shape[-1])
        query, key, bias = self._placed(query, key)
        if self.keys != "target":  # keys are hidden of what the model was given, not of what it writes
            key_mask = without_keys(self, key, key_mask)
        if not observed(self) and key_mask is None and bias is None:
            # The fused kernel never forms the weights; the tests hold it to attention() above.
            mixed = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout, is_causal=causal, scale=scale)
            return without_heads(self, mixed)
        allowed = self._allowed(query.shape[-2], key.shape[-2], causal, key_mask, query.device)
        mixed, weights = attention(query, key, value, allowed, scale=scale, bias=bias, dropout=dropout)
        mixed = without_heads(self, mixed)
        observe(
            self,
            weights=weights,
            allowed=allowed,
            bias=bias,
            query=query,
            key=key,
            value=value,
            mixed=mixed,
            scale=scale,
            queries=self.queries,
            keys=self.keys,
        )
        return mixed

    def _placed(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Queries and keys turned by their places, or what distance adds to their scores, as ``positions`` says."""
        if not asked().positions or self.queries != self.keys:  # nothing stands between two streams
            return query, key, None
        if self.positions == "rope":
            return rotated(query), rotated(key), None
        bias = distance_bias(self.heads, query.shape[-2], query.device) if self.positions == "alibi" else None
        return query, key, bias

    def _as_asked(self, causal: bool, head_width: int) -> tuple[bool, float]:
        """Whether later keys are hidden, and the factor of the scores: the layer's own, or as :func:`what_if` asks."""
        change = asked()
        # Across two streams there is no later, and an encoder reads its source in both directions whatever one asks.
        if change.causal is not None and self.queries == self.keys != "source":
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
    """Two linear layers with an activation between them, for each token alone (Vaswani et al. 2017, section 3.3).

    ``activation`` is ``relu``, as in that paper, ``gelu`` (Hendrycks & Gimpel 2016, arXiv:1606.08415) or ``swiglu``
    (Shazeer 2020, arXiv:2002.05202), which multiplies the inner numbers by a third layer's, passed through a SiLU.
    """

    def __init__(self, width: int, inner: int, *, dropout: float = 0.0, activation: str = "gelu") -> None:
        super().__init__()
        self.activation = activation
        self.expand = nn.Linear(width, inner)
        self.contract = nn.Linear(inner, width)
        self.gate = nn.Linear(width, inner) if activation == "swiglu" else None
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length, width) → (batch, length, width)"""
        inner = self.expand(tokens)
        if self.gate is not None:
            inner = F.silu(self.gate(tokens)) * inner
        else:
            inner = F.relu(inner) if self.activation == "relu" else F.gelu(inner)
        return self.contract(self.dropout(inner))


def norm(kind: str, width: int, eps: float = 1e-5) -> nn.Module:
    """The named normalisation: ``layer`` (Ba et al. 2016, arXiv:1607.06450), ``rms`` (Zhang & Sennrich 2019,
    arXiv:1910.07467, no mean and no bias) or ``none``.
    """
    if kind == "layer":
        return nn.LayerNorm(width, eps=eps)
    return nn.RMSNorm(width, eps=eps) if kind == "rms" else nn.Identity()


class Block(nn.Module):
    """Self-attention and a feed-forward part, each with a residual connection and a norm.

    ``pre_norm`` normalises what goes into each part (Xiong et al. 2020, arXiv:2002.04745); otherwise the sum that comes
    out is normalised, as in Vaswani et al. 2017, figure 1. ``residual=False`` drops what a part was given and keeps
    only what it answers. ``stream`` names the tokens that it works on.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        feed_forward: int,
        *,
        key_value_heads: int | None = None,
        dropout: float = 0.0,
        pre_norm: bool = True,
        normalisation: str = "layer",
        norm_eps: float = 1e-5,
        activation: str = "gelu",
        scaled: bool = True,
        positions: str = "none",
        residual: bool = True,
        stream: str = "tokens",
    ) -> None:
        super().__init__()
        self.pre_norm, self.residual = pre_norm, residual
        self.attention = MultiHeadAttention(
            width,
            heads,
            key_value_heads=key_value_heads,
            dropout=dropout,
            scaled=scaled,
            positions=positions,
            queries=stream,
            keys=stream,
        )
        self.feed_forward = FeedForward(width, feed_forward, dropout=dropout, activation=activation)
        self.attention_norm = norm(normalisation, width, norm_eps)
        self.feed_forward_norm = norm(normalisation, width, norm_eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, *, causal: bool = False, key_mask: Tensor | None = None) -> Tensor:
        """(batch, length, width) → (batch, length, width); masks as in :class:`MultiHeadAttention`."""
        if self.pre_norm:
            normed = self.attention_norm(tokens)
            tokens = self._added(tokens, self.attention(normed, causal=causal, key_mask=key_mask))
            return self._added(tokens, self.feed_forward(self.feed_forward_norm(tokens)))
        attended = self.attention(tokens, causal=causal, key_mask=key_mask)
        tokens = self.attention_norm(self._added(tokens, attended))
        return self.feed_forward_norm(self._added(tokens, self.feed_forward(tokens)))

    def _added(self, tokens: Tensor, answer: Tensor) -> Tensor:
        answer = self.dropout(answer)
        return tokens + answer if self.residual else answer


class TokenEmbedding(nn.Embedding):
    """A learned vector a token.

    ``tied`` to the output layer, the vectors start small enough to be that layer's matrix and are multiplied by √width
    on the way in (Vaswani et al. 2017, section 3.4). ``scaled`` does so whether it is tied or not.
    """

    def __init__(self, vocabulary: int, width: int, *, tied: bool = False, scaled: bool = False) -> None:
        super().__init__(vocabulary, width)
        self.factor = width**0.5 if tied or scaled else None
        if self.factor is not None:
            nn.init.normal_(self.weight, std=width**-0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length) → (batch, length, width)"""
        vectors = super().forward(tokens)
        return vectors if self.factor is None else vectors * self.factor


class OutputLayer(nn.Linear):
    """The logit of every token. ``tied`` takes the embedding's matrix (Press & Wolf 2016, arXiv:1608.05859)."""

    def __init__(self, width: int, vocabulary: int, *, tied: bool = False) -> None:
        super().__init__(width, vocabulary)
        if tied:
            self.register_parameter("weight", None)

    def forward(self, hidden: Tensor, embedding: Tensor | None = None) -> Tensor:
        """``hidden`` (…, width), ``embedding`` (at least vocabulary, width) where it is tied → (…, vocabulary)"""
        matrix: Tensor | None = self.weight
        if matrix is None:
            assert embedding is not None
            matrix = embedding[: self.out_features]
        return F.linear(hidden, matrix, self.bias)


def set_dropout(model: nn.Module, probability: float) -> None:
    """Change the dropout of every layer of a model, in place."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = probability
