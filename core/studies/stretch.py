"""Past the trained length: one small MiniGPT for each kind of positions, read at three times what it learned from.

Each learns the same text in short windows; then its loss is measured at every position of windows three times as long.
It is a text that it has learned, so that what is measured is the positions and not the text.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.data.texts import NextCharacter
from core.experiments import find
from core.inference.checkpoint import Checkpoint
from core.settings import changed
from core.studies import Progress
from core.training.build import Training, build

KINDS = ("sinusoidal", "learned", "rope", "alibi", "none")
BLOCK, TIMES = 16, 3
STEPS = 200
SMALL = {"block": BLOCK, "width": 32, "heads": 4, "feed_forward": 64, "steps": STEPS, "batch_size": 16}
STRIDE = 5  # characters between two windows that are measured


def study(options: Mapping[str, Any], _seen: Checkpoint | None) -> Generator[Progress, None, dict[str, Any]]:
    """``seed`` → of every kind its loss by position and by part of the window (within, to twice, to thrice the block).

    A model that cannot read so far says why, in the words that its own code raised, and is measured as far as it can.
    """
    experiment = find("mini_gpt")
    found: dict[str, Any] = {}
    result = {"block": BLOCK, "times": TIMES, "steps": STEPS, "kinds": found}
    for done, kind in enumerate(KINDS):
        settings = changed(experiment.defaults("fast"), SMALL | {"positions": kind, "seed": int(options["seed"])})
        training = build(experiment, settings)
        for step in range(STEPS):
            training.step()
            if step % 8 == 0:
                yield Progress(fraction=(done + step / STEPS) / len(KINDS))
        found[kind] = measured(training)
        yield Progress(fraction=(done + 1) / len(KINDS), partial=result)
    return result


def measured(training: Training) -> dict[str, Any]:
    """The losses of a trained model, and what stopped it if something did."""
    model = training.model.eval()
    windows = long_windows(training, TIMES * BLOCK)
    problem = None
    try:
        losses = by_position(model, windows)
    except ValueError as error:
        problem = str(error)
        losses = by_position(model, windows[:, : BLOCK + 1])
    parts = losses.view(-1, BLOCK).mean(dim=1)  # (parts,)
    return {"losses": losses, "parts": parts, "problem": problem}


def long_windows(training: Training, length: int) -> Tensor:
    """Windows of the text that it has learned, with one character more to predict. (windows, length + 1)"""
    assert isinstance(training.task, NextCharacter)
    windows = training.task.windows
    numbers = torch.tensor(windows.vocabulary.encode(windows.text))
    return numbers.unfold(0, length + 1, STRIDE)


@torch.no_grad()
def by_position(model: nn.Module, windows: Tensor) -> Tensor:
    """The mean loss at each position, in nats: (windows, length + 1) → (length,)"""
    logits = model(windows[:, :-1])  # (windows, length, vocabulary)
    return F.cross_entropy(logits.transpose(1, 2), windows[:, 1:], reduction="none").mean(dim=0)
