"""Attention capture: what a forward pass really computed, without changing it.

A layer calls :func:`observe`; who wants to see opens :func:`recording`. The recorder stands in a ``ContextVar``, so two
threads (or two nested recordings) never see each other's maps, and nothing is stored on a module. When nobody records,
a layer may take the fused kernel, which never has the weights in hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True, kw_only=True)
class AttentionMap:
    """One attention layer's part of one forward pass. Rows are queries, columns are keys."""

    name: str  # where the layer stands in the model, as print(model) says it
    weights: Tensor  # (batch, heads, queries, keys), before dropout: rows sum to 1
    allowed: Tensor  # (batch or 1, 1, queries, keys), True where a query may look
    query: Tensor  # (batch, heads, queries, head width)
    key: Tensor  # (batch, heads, keys, head width)
    value: Tensor  # (batch, heads, keys, head width)
    mixed: Tensor  # (batch, heads, queries, head width): what each head passed on
    scale: float  # the factor of the scores: 1/√d_k, or 1
    queries: str  # the token stream that the rows belong to
    keys: str  # the token stream that the columns belong to
    bias: Tensor | None = None  # (1, heads, queries, keys): what was added to the scaled scores, if anything

    @property
    def mask(self) -> Tensor:
        """As the fused kernel takes it: ``allowed``, or what was added to the scores, −∞ where a query may not look."""
        return self.allowed if self.bias is None else self.bias.masked_fill(~self.allowed, -torch.inf)


class _Recorder:
    def __init__(self, model: nn.Module) -> None:
        self.names = {id(module): name for name, module in model.named_modules()}
        self.maps: list[AttentionMap] = []


_recorder: ContextVar[_Recorder | None] = ContextVar("attention recorder", default=None)


@contextmanager
def recording(model: nn.Module) -> Iterator[list[AttentionMap]]:
    """Collect the attention maps of every forward pass of ``model`` inside the block, in the order they happen."""
    recorder = _Recorder(model)
    token = _recorder.set(recorder)
    try:
        yield recorder.maps
    finally:
        _recorder.reset(token)


def observed(layer: nn.Module) -> bool:
    """Whether somebody records a model that holds this layer."""
    recorder = _recorder.get()
    return recorder is not None and id(layer) in recorder.names


def observe(
    layer: nn.Module,
    *,
    weights: Tensor,
    allowed: Tensor | None,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mixed: Tensor,
    scale: float,
    queries: str,
    keys: str,
    bias: Tensor | None = None,
) -> None:
    """Hand a layer's attention to whoever records; does nothing otherwise."""
    recorder = _recorder.get()
    if recorder is None or id(layer) not in recorder.names:
        return
    if allowed is None:
        allowed = torch.ones(1, 1, *weights.shape[-2:], dtype=torch.bool, device=weights.device)
    recorder.maps.append(
        AttentionMap(
            name=recorder.names[id(layer)],
            weights=weights.detach(),
            allowed=allowed,
            query=query.detach(),
            key=key.detach(),
            value=value.detach(),
            mixed=mixed.detach(),
            scale=scale,
            queries=queries,
            keys=keys,
            bias=bias,
        )
    )
