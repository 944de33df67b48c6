"""What the Trainer and the looks need of a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import torch
from torch import Tensor

from core.data.reading import Reading


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Sequences to learn from.

    ``inputs`` (batch, length); ``targets`` (batch,) or (batch, length) by task; ``chosen`` (batch, length) marks the
    positions that count, where not all do. ``source`` (batch, sources) is what an encoder reads, where ``inputs`` are a
    decoder's.
    """

    inputs: Tensor
    targets: Tensor
    chosen: Tensor | None = None
    source: Tensor | None = None

    @property
    def tokens(self) -> int:
        """How many tokens the model reads in this batch."""
        return self.inputs.numel() + (0 if self.source is None else self.source.numel())

    def rows(self, places: Tensor) -> Batch:
        """Some of the sequences, by their places or as a mask."""
        parts = (self.chosen, self.source)
        chosen, source = (None if part is None else part[places] for part in parts)
        return Batch(inputs=self.inputs[places], targets=self.targets[places], chosen=chosen, source=source)


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """One distribution that the model gives: ``logits`` (n,) over ``labels``, at one position or for all of them."""

    kind: Literal["class", "blank", "next", "visible", "written"]
    position: int | None
    labels: tuple[str, ...]
    logits: Tensor
    correct: str | None = None
    trained: bool = True  # whether training ever asks for this: a visible character's distribution may mean nothing

    @property
    def likeliest(self) -> str:
        """The label that the model would say."""
        return self.labels[int(self.logits.argmax())]


class Task(Protocol):
    """A source of batches that also knows how to read a text and how to name what the model says of it."""

    tokens: int  # how many different tokens the model can be given, [MASK] not counted

    def batch(self, generator: torch.Generator, settings: Any) -> Batch:
        """A random batch of training data, drawn with ``generator`` alone."""

    def held_out(self, settings: Any) -> Batch | None:
        """Data that training never sees, always the same; None when nothing is held out."""

    def training_data(self) -> Batch:
        """Everything that training draws from, always the same."""

    def baselines(self) -> dict[str, float]:
        """What guesses without a model reach, by names such as ``unigram_loss`` and ``majority_accuracy``."""

    def read(self, text: str) -> Reading:
        """What the model reads of a text."""

    def predictions(self, logits: Tensor, reading: Reading, position: int | None = None) -> Sequence[Prediction]:
        """What ``logits``, the model's answer to the reading (a batch of one), say; ``position`` is asked for too."""
