"""Ablation: a forward pass with some heads silent or some keys out of sight, without touching the model.

Silencing a head, its output set to 0, and measuring what that costs is how Michel et al. 2019 ("Are Sixteen Heads
Really Better than One?", arXiv:1905.10650) ask whether a head matters. As in :mod:`core.capture`, who wants it opens a
block, :func:`ablating`, and the layers ask; the ablation stands in a ``ContextVar``, so two threads never meet in one
model. Left out: replacing a head's output by its mean or by that of another text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Ablation:
    """What is taken away. ``heads`` are (layer, head), ``keys`` are positions, all counted from 0."""

    heads: frozenset[tuple[int, int]] = frozenset()
    keys: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.heads or self.keys)


class _Ablator:
    def __init__(self, model: nn.Module, ablation: Ablation) -> None:
        self.ablation = ablation
        self.modules = {id(module) for module in model.modules()}
        self.numbers: dict[int, int] = {}  # of the attention layers, by their first call


_ablator: ContextVar[_Ablator | None] = ContextVar("attention ablation", default=None)


@contextmanager
def ablating(
    model: nn.Module, *, heads: Collection[tuple[int, int]] = (), keys: Collection[int] = ()
) -> Iterator[None]:
    """Silence ``heads`` of ``model``, and let nobody attend to ``keys``, in every forward pass inside the block.

    Layers are counted in the order in which they compute, as :func:`core.capture.recording` lists their maps. What the
    model does not have is ignored. Of two nested blocks the inner one holds.
    """
    token = _ablator.set(_Ablator(model, Ablation(frozenset(heads), frozenset(keys))))
    try:
        yield
    finally:
        _ablator.reset(token)


def without_keys(layer: nn.Module, key: Tensor, key_mask: Tensor | None) -> Tensor | None:
    """The key mask (batch, keys) of ``key`` (batch, heads, keys, head width), ablated keys hidden too."""
    ablator = _asked(layer)
    hidden = [] if ablator is None else [one for one in ablator.ablation.keys if one < key.shape[2]]
    if not hidden:
        return key_mask
    if key_mask is None:
        key_mask = torch.ones(key.shape[0], key.shape[2], dtype=torch.bool, device=key.device)
    return key_mask.index_fill(1, torch.tensor(hidden, device=key.device), False)


def without_heads(layer: nn.Module, mixed: Tensor) -> Tensor:
    """What the heads of a layer hand on (batch, heads, queries, head width): 0 from those that are silent."""
    ablator = _asked(layer)
    if ablator is None:
        return mixed
    number = ablator.numbers.setdefault(id(layer), len(ablator.numbers))
    silent = [head for one, head in ablator.ablation.heads if one == number and head < mixed.shape[1]]
    return mixed.index_fill(1, torch.tensor(silent, device=mixed.device), 0.0) if silent else mixed


def _asked(layer: nn.Module) -> _Ablator | None:
    ablator = _ablator.get()
    return ablator if ablator is not None and id(layer) in ablator.modules else None
