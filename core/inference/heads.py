"""What is told of a head in a few numbers, and of all layers together: statistics of attention maps, and rollout.

Attention weights say where a head looked, not why the model answers as it does: "Attention is not Explanation" (Jain
and Wallace 2019, arXiv:1902.10186).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.capture import AttentionMap


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """One number a head (heads,), each a mean over the queries that have such a key; NaN where none has.

    Positions are compared within one token stream: across two, ``distance``, ``previous`` and ``same`` are NaN.
    """

    entropy: Tensor  # nats: 0 looks at one key alone, uniform_entropy at all alike
    distance: Tensor  # tokens between query and key, weighted by attention
    previous: Tensor  # the weight on the token before
    first: Tensor  # the weight on the first token, where heads that look for nothing often look
    same: Tensor  # the weight on the token itself
    uniform_entropy: float  # nats: what evenly spread attention would have


def statistics(shown: AttentionMap) -> Statistics:
    """Measure every head of the first sequence of a map. Queries that may look nowhere are left out."""
    weights, allowed = shown.weights[0], shown.allowed[0, 0]  # (heads, queries, keys), (queries, keys)
    open_keys = allowed.sum(dim=-1)  # (queries,)
    seeing = open_keys > 0
    entropy = torch.special.entr(weights).sum(dim=-1)  # -Σ w ln w: (heads, queries)
    unknown = torch.full((len(weights),), torch.nan)
    distance = previous = same = unknown
    if shown.queries == shown.keys:
        distance = _mean((weights * _distances(allowed)).sum(dim=-1), seeing)
        previous = _mean(weights.diagonal(-1, dim1=1, dim2=2), allowed.diagonal(-1))
        same = _mean(weights.diagonal(dim1=1, dim2=2), allowed.diagonal())
    return Statistics(
        entropy=_mean(entropy, seeing),
        distance=distance,
        previous=previous,
        first=_mean(weights[:, :, 0], allowed[:, 0]),
        same=same,
        uniform_entropy=open_keys[seeing].log().mean().item(),
    )


def _distances(allowed: Tensor) -> Tensor:
    """How many tokens lie between each query and each key. (queries, keys) → (queries, keys)"""
    queries, keys = (torch.arange(size) for size in allowed.shape)
    return (queries[:, None] - keys).abs()


def _mean(values: Tensor, counted: Tensor) -> Tensor:
    """The mean over the queries that count: (heads, queries), (queries,) → (heads,)"""
    return values[:, counted].mean(dim=-1)


def rollout(
    maps: Sequence[AttentionMap], silent: Collection[tuple[int, int]] = ()
) -> tuple[Tensor, Tensor] | tuple[None, None]:
    """How much of each token there is in each position after each layer (Abnar and Zuidema 2020, arXiv:2005.00928).

    A layer's attention, averaged over its heads, counts half and the residual connection, which hands every token on as
    it is, the other half: A = 0.5 · mean + 0.5 · I, rows renormalised. Layers are multiplied, the later on the left.
    Heads that are ``silent``, as (layer, head), hand nothing on. Returns the rollout of the first sequence after each
    layer (layers, queries, keys), whose rows sum to 1, and where anything of a token can have come at all; two Nones
    for models that have more than one token stream.
    """
    if any(one.queries != one.keys for one in maps) or len({one.weights.shape[-2:] for one in maps}) != 1:
        return None, None
    identity = torch.eye(maps[0].weights.shape[-1])
    passed, reached = identity, identity
    rolled, reach = [], []
    for layer, shown in enumerate(maps):
        speaks = torch.tensor([float((layer, head) not in silent) for head in range(shown.weights.shape[1])])
        mean = (shown.weights[0] * speaks[:, None, None]).mean(dim=0)  # (queries, keys)
        attention = 0.5 * mean + 0.5 * identity
        passed = attention / attention.sum(dim=-1, keepdim=True) @ passed
        reached = ((shown.allowed[0, 0] + identity) @ reached > 0).float()
        rolled.append(passed)
        reach.append(reached > 0)
    return torch.stack(rolled), torch.stack(reach)
