"""The loss over a run's training data, with heads ablated or not: what an ablation costs.

In evaluation mode, on the same data in the same order every time, so it depends on weights and ablation alone.
"""

from __future__ import annotations

import dataclasses
import pkgutil
from typing import Any

import torch

from core.ablation import Ablation, ablating
from core.data.task import Batch
from core.inference.checkpoint import Checkpoint

MOST_TOKENS = 1 << 16  # every shipped corpus is smaller; of a long text of one's own, windows spread evenly over it
CHUNK = 4096  # tokens at a time: a large vocabulary makes large logits
MOST_KNOWN = 256


@dataclasses.dataclass(frozen=True)
class Loss:
    """A mean over the predictions in the training data; ``whole`` where it is all of them."""

    value: float
    whole: bool


class Losses:
    """The losses of one run, remembered: each costs a pass over its training data."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Ablation, bool], Loss] = {}

    def of(self, seen: Checkpoint, ablation: Ablation, causal: bool) -> Loss | None:
        """The loss of a run's model at a step; None of a model that came without training data.

        ``causal`` is whether the causal mask is on, of models that have one.
        """
        if not seen.experiment.objective:
            return None
        key = (seen.step, ablation, causal)
        if key not in self._known:
            while len(self._known) >= MOST_KNOWN:
                del self._known[next(iter(self._known))]  # the oldest
            settings = seen.settings
            if hasattr(settings, "causal_mask"):
                settings = dataclasses.replace(settings, causal_mask=causal)
            with ablating(seen.model, heads=ablation.heads, keys=ablation.keys):
                self._known[key] = _loss(seen, settings)
        return self._known[key]


@torch.no_grad()
def _loss(seen: Checkpoint, settings: Any) -> Loss:
    objective = pkgutil.resolve_name(seen.experiment.objective)
    whole = seen.task.training_data()
    spread = _spread(whole)
    total, count = 0.0, 0
    for rows in torch.split(spread, max(1, CHUNK // whole.inputs.shape[1])):
        batch = whole.rows(rows)
        predictions = batch.targets.numel() if batch.chosen is None else int(batch.chosen.sum())
        if predictions:
            total += objective.loss(seen.model, batch, settings).item() * predictions
            count += predictions
    return Loss(total / count, len(spread) == len(whole.inputs))


def _spread(batch: Batch) -> torch.Tensor:
    """The rows that are measured: all, or as many as allowed, evenly spread."""
    rows, length = batch.inputs.shape
    count = max(1, min(rows, MOST_TOKENS // length))
    return torch.arange(count) * rows // count
