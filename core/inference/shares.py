"""How much of its attention each head gives to the digits that matter, measured instead of told from one map."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from core.capture import recording
from core.data.digits import Digits

SEQUENCES = 64  # a look then costs about one more look


@dataclass(frozen=True, kw_only=True)
class Shares:
    """``heads[layer][head]`` beside ``uniform``, what evenly spread attention would give."""

    digits: tuple[int, ...]
    uniform: float
    heads: tuple[tuple[float, ...], ...]
    sequences: int


@torch.no_grad()
def attention_shares(model: nn.Module, task: Digits) -> Shares:
    """The mean share of attention on the digits that matter, over held-out sequences that have one.

    Mean over sequences and over queries of the weights on those digits; ``model`` is in evaluation mode.
    """
    unseen = task.unseen_digits()
    matters = torch.isin(unseen, torch.tensor(task.matter))  # (batch, length)
    chosen = matters.any(dim=1).nonzero().flatten()[:SEQUENCES]
    weight = matters[chosen][:, None, None, :]  # (sequences, 1, 1, keys)
    with recording(model) as maps:
        model(unseen[chosen])
    heads = [(shown.weights * weight).sum(dim=-1).mean(dim=(0, 2)).tolist() for shown in maps]
    return Shares(
        digits=task.matter,
        uniform=matters[chosen].float().mean().item(),
        heads=tuple(tuple(shares) for shares in heads),
        sequences=len(chosen),
    )
