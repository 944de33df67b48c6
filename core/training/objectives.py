"""What a model is trained to make small, and what else is measured along the way.

An objective is a loss of one batch and the metrics of an evaluation. Metrics are computed in evaluation mode, on data
that is the same every time, so that they depend on the weights alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.data.digits import Digits
from core.data.sums import Sums
from core.data.task import Batch
from core.data.texts import MaskedCharacters, NextCharacter
from core.experiments.common import TrainingSettings
from core.experiments.mini_gpt import MiniGPTSettings

PREFIX_WINDOWS = 4  # each costs as many forward passes as it has characters when the causal mask is off


@dataclass(frozen=True, kw_only=True)
class Objective:
    """``loss`` of (model, batch, settings), and ``evaluate`` of (model, task, settings).

    An evaluation holds the experiment's metrics, and ``held_out_loss`` where data is held out.
    """

    loss: Callable[[nn.Module, Batch, Any], Tensor]
    evaluate: Callable[[nn.Module, Any, Any], dict[str, float]]


def _smoothing(model: nn.Module, settings: TrainingSettings) -> float:
    """The share of the target spread over all answers (Szegedy et al. 2016, arXiv:1512.00567), in training only."""
    return settings.label_smoothing if model.training else 0.0


def _classification_loss(model: nn.Module, batch: Batch, settings: Any) -> Tensor:
    return F.cross_entropy(model(batch.inputs), batch.targets, label_smoothing=_smoothing(model, settings))


def _evaluate_classification(model: nn.Module, task: Digits, settings: Any) -> dict[str, float]:
    unseen = task.held_out(settings)
    logits = model(unseen.inputs)  # (batch, 2)
    right = logits.argmax(dim=-1) == unseen.targets
    return {"accuracy": right.float().mean().item(), "held_out_loss": F.cross_entropy(logits, unseen.targets).item()}


def _masked_loss(model: nn.Module, batch: Batch, settings: Any) -> Tensor:
    assert batch.chosen is not None
    counted = batch.chosen if settings.loss_on == "chosen" else torch.ones_like(batch.chosen)  # (batch, length)
    logits, targets = model(batch.inputs)[counted], batch.targets[counted]
    return F.cross_entropy(logits, targets, label_smoothing=_smoothing(model, settings))


def _evaluate_masked(model: nn.Module, task: MaskedCharacters, settings: Any) -> dict[str, float]:
    unseen = task.held_out(settings)
    batch = unseen or task.training_data()
    assert batch.chosen is not None
    logits, targets = model(batch.inputs)[batch.chosen], batch.targets[batch.chosen]
    found = {"masked_accuracy": (logits.argmax(dim=-1) == targets).float().mean().item()}
    return found | ({} if unseen is None else {"held_out_loss": F.cross_entropy(logits, targets).item()})


def _next_loss(model: nn.Module, batch: Batch, settings: MiniGPTSettings) -> Tensor:
    logits = model(batch.inputs, causal_mask=settings.causal_mask)  # (batch, length, vocabulary)
    smoothing = _smoothing(model, settings)
    return F.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), label_smoothing=smoothing)


def prefix_loss(model: nn.Module, batch: Batch, settings: MiniGPTSettings) -> Tensor:
    """The loss of each next character when the model is given the characters before it and nothing else.

    With the causal mask one pass over the windows is just that. Without it, every prefix needs a pass of its own: they
    run as one batch, each hiding what comes after it with a key mask.
    """
    if settings.causal_mask:
        return _next_loss(model, batch, settings)
    windows, length = batch.inputs.shape
    prefixes = batch.inputs.repeat_interleave(length, dim=0)  # (windows · length, length)
    seen = torch.ones(length, length, dtype=torch.bool).tril().repeat(windows, 1)  # (windows · length, length)
    logits = model(prefixes, causal_mask=False, key_mask=seen)  # (windows · length, length, vocabulary)
    ends = torch.arange(length).repeat(windows)
    last = logits[torch.arange(windows * length), ends]  # (windows · length, vocabulary)
    return F.cross_entropy(last, batch.targets.flatten())


def _evaluate_next(model: nn.Module, task: NextCharacter, settings: MiniGPTSettings) -> dict[str, float]:
    unseen = task.held_out(settings)
    batch = unseen or task.training_data()
    spread = torch.linspace(0, len(batch.inputs) - 1, min(PREFIX_WINDOWS, len(batch.inputs))).long()
    few = Batch(inputs=batch.inputs[spread], targets=batch.targets[spread])
    found = {"prefix_loss": prefix_loss(model, few, settings).item()}
    return found | ({} if unseen is None else {"held_out_loss": _next_loss(model, unseen, settings).item()})


def _sequence_logits(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """Logits and targets where there is something to write: (n, vocabulary), (n,)"""
    assert batch.chosen is not None
    return model(batch.source, batch.inputs)[batch.chosen], batch.targets[batch.chosen]


def _sequence_loss(model: nn.Module, batch: Batch, settings: Any) -> Tensor:
    logits, targets = _sequence_logits(model, batch)
    return F.cross_entropy(logits, targets, label_smoothing=_smoothing(model, settings))


def exact_match(model: Any, batch: Batch) -> float:
    """The share of answers that the model writes without a mistake, given its own tokens instead of the right ones."""
    assert batch.source is not None
    written = model.write(batch.source, batch.targets.shape[1])  # (batch, at most length)
    missing = batch.targets.shape[1] - written.shape[1]
    return (F.pad(written, (0, missing)) == batch.targets).all(dim=1).float().mean().item()


def _evaluate_sequences(model: nn.Module, task: Sums, settings: Any) -> dict[str, float]:
    unseen = task.held_out(settings)
    loss = F.cross_entropy(*_sequence_logits(model, unseen)).item()
    return {"exact_match": exact_match(model, unseen), "held_out_loss": loss}


classification = Objective(loss=_classification_loss, evaluate=_evaluate_classification)
masked_characters = Objective(loss=_masked_loss, evaluate=_evaluate_masked)
next_character = Objective(loss=_next_loss, evaluate=_evaluate_next)
sequence_to_sequence = Objective(loss=_sequence_loss, evaluate=_evaluate_sequences)
