"""Snapshots along a run, so that any sentence can be read by any earlier step, within a budget of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

MOST = 100  # nobody scrubs finer, and each costs the run a little time


@dataclass(frozen=True)
class Snapshot:
    """The weights after a step, and what the run's settings and loss were there (no loss before the first step).

    ``weights`` are all parameters one after another in one tensor: copying one takes a tenth of the time of many.
    """

    step: int
    loss: float | None
    settings: Any
    weights: Tensor

    @classmethod
    def take(cls, step: int, loss: float | None, settings: Any, parameters: list[nn.Parameter]) -> Snapshot:
        """Copy the weights of a model."""
        return cls(step, loss, settings, torch.cat([one.detach().flatten() for one in parameters]))

    def put(self, parameters: list[nn.Parameter]) -> None:
        """Copy the weights into a model of the same shape."""
        pieces = torch.split(self.weights, [one.numel() for one in parameters])
        with torch.no_grad():
            for one, piece in zip(parameters, pieces, strict=True):
                one.copy_(piece.view_as(one))

    @property
    def sound(self) -> bool:
        """Whether every weight is a finite number."""
        return bool(self.weights.isfinite().all())


class Snapshots:
    """Evenly spaced snapshots: when the budget is full, every other one goes and the interval doubles.

    How long a run will be need not be known. The first one offered, step 0, always stays.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.interval = 1
        self.kept: list[Snapshot] = []

    def wants(self, step: int) -> bool:
        """Whether a snapshot of this step would be kept: ask before taking one."""
        return not self.kept or (step > self.kept[-1].step and step % self.interval == 0)

    def add(self, snapshot: Snapshot) -> None:
        """Keep a snapshot that was wanted, and thin them out to the budget."""
        self.kept.append(snapshot)
        self.limit(self.budget)

    def limit(self, budget: int) -> None:
        """Set the budget, and thin out what is more than it."""
        self.budget = budget
        room = max(1, min(MOST, budget // self.kept[0].weights.nbytes))
        while len(self.kept) > room:
            self.interval *= 2
            self.kept = self.kept[:1] + [one for one in self.kept[1:] if one.step % self.interval == 0]

    def at(self, step: int) -> Snapshot:
        """The newest snapshot at or before a step."""
        return next((one for one in reversed(self.kept) if one.step <= step), self.kept[0])
