"""The training loop: a generator of steps, so that whoever pulls it decides when to go on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from core.training.build import Step, Training

EVALUATIONS = 20  # along a run, however long it is


def evaluate_every(steps: int) -> int:
    """How many steps lie between two evaluations of a run of ``steps``."""
    return max(5, steps // EVALUATIONS)


def train(training: Training, steps: int | None = None) -> Iterator[Step]:
    """Yield the steps of a run until it has ``steps`` of them (by default what its settings say, even if they change).

    Every few steps and at the end a step carries the metrics of an evaluation. Raises
    :class:`~core.training.build.NonFiniteLoss`.
    """
    while training.number < (wanted := training.settings.steps if steps is None else steps):
        step = training.step()
        if step.number % evaluate_every(wanted) == 0 or step.number == wanted:
            step = dataclasses.replace(step, metrics=training.evaluate())
        yield step
