"""A run in memory: model, data, optimizer and randomness, built from settings alone."""

from __future__ import annotations

import math
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from core.data.task import Task
from core.experiments import Experiment
from core.layers import set_dropout
from core.training.objectives import Objective
from core.training.optimizers import optimizers
from core.training.schedules import learning_rate


class NonFiniteLoss(ArithmeticError):
    """The loss of a step was infinite or not a number; the weights were left as they were before it."""

    def __init__(self, step: int) -> None:
        super().__init__(f"the loss of step {step} is not a finite number")
        self.step = step


@dataclass(frozen=True, kw_only=True)
class Step:
    """What one step of the optimizer tells. ``number`` counts from 1; ``tokens`` is all that the model has read."""

    number: int
    loss: float
    learning_rate: float
    tokens: int
    metrics: dict[str, float] = field(default_factory=dict)


class Training:
    """One run. The same settings give the same run, whatever else happens in the process.

    Initialisation and dropout draw from torch's global generator, which is put aside and back around each step; batches
    and masks draw from ``generator``. Replace ``settings`` to change a live setting from the next step on.
    """

    def __init__(self, experiment: Experiment, settings: Any) -> None:
        self.experiment = experiment
        self.settings = settings
        self.task: Task = pkgutil.resolve_name(experiment.task)(settings)
        self.objective: Objective = pkgutil.resolve_name(experiment.objective)
        self.generator = torch.Generator().manual_seed(settings.seed)
        self._randomness = torch.Generator().manual_seed(settings.seed).get_state()
        with self._own_randomness():
            self.model: nn.Module = pkgutil.resolve_name(experiment.model)(settings, self.task.tokens)
        self.optimizers = optimizers(self.model, self.settings)
        self.number = 0
        self.tokens = 0

    @contextmanager
    def _own_randomness(self) -> Iterator[None]:
        others = torch.get_rng_state()
        torch.set_rng_state(self._randomness)
        try:
            yield
        finally:
            self._randomness = torch.get_rng_state()
            torch.set_rng_state(others)

    def step(self) -> Step:
        """Take one step of the optimizer. Raises :class:`NonFiniteLoss`; the weights then stay as they were."""
        settings = self.settings
        self.model.train()
        set_dropout(self.model, settings.dropout)
        with self._own_randomness():
            loss, tokens = self._gradients()
        if not math.isfinite(loss):
            self._clear()
            raise NonFiniteLoss(self.number + 1)
        if settings.gradient_clipping:
            nn.utils.clip_grad_norm_(self.model.parameters(), settings.gradient_clipping)
        rate = learning_rate(
            settings.schedule, settings.learning_rate, self.number + 1, settings.steps, settings.warmup_steps
        )
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        self._clear()
        self.number += 1
        self.tokens += tokens
        return Step(number=self.number, loss=loss, learning_rate=rate, tokens=self.tokens)

    def _gradients(self) -> tuple[float, int]:
        """Add up the gradients of the step's batches; returns their mean loss and how many tokens they had."""
        total, tokens = 0.0, 0
        for _ in range(self.settings.gradient_accumulation):
            batch = self.task.batch(self.generator, self.settings)
            loss = self.objective.loss(self.model, batch, self.settings) / self.settings.gradient_accumulation
            loss.backward()
            total += loss.item()
            tokens += batch.tokens
        return total, tokens

    def _clear(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)

    @torch.inference_mode()
    def evaluate(self) -> dict[str, float]:
        """The loss on held-out data, where there is any, and the experiment's metrics, in evaluation mode."""
        self.model.eval()
        return self.objective.evaluate(self.model, self.task, self.settings)

    @torch.inference_mode()
    def corpus_loss(self) -> float:
        """The loss over all of the training data in evaluation mode: what recipes are compared by."""
        self.model.eval()
        return self.objective.loss(self.model, self.task.training_data(), self.settings).item()

    def state(self) -> dict[str, Tensor]:
        """Everything that the next step depends on, flat, for a file."""
        flat = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for which, optimizer in enumerate(self.optimizers):
            for index, state in optimizer.state_dict()["state"].items():
                flat.update({f"optimizer.{which}.{index}.{key}": tensor for key, tensor in state.items()})
        counters = torch.tensor([self.number, self.tokens])
        return flat | {"randomness": self._randomness, "batches": self.generator.get_state(), "counters": counters}

    def restore(self, flat: dict[str, Tensor]) -> None:
        """Go on from :meth:`state`: the following steps are exactly those that would have followed."""
        self.model.load_state_dict({n.removeprefix("model."): t for n, t in flat.items() if n.startswith("model.")})
        for which, optimizer in enumerate(self.optimizers):
            whole = optimizer.state_dict()
            whole["state"] = {}
            for name, tensor in flat.items():
                if name.startswith(f"optimizer.{which}."):
                    index, key = name.split(".")[2:]
                    whole["state"].setdefault(int(index), {})[key] = tensor
            optimizer.load_state_dict(whole)
        self._randomness = flat["randomness"]
        self.generator.set_state(flat["batches"])
        self.number, self.tokens = (int(value) for value in flat["counters"])


def build(experiment: Experiment, settings: Any) -> Training:
    """A run at step 0. Raises :class:`core.settings.SettingError` when the settings do not fit together."""
    settings.check()
    return Training(experiment, settings)
