"""Sequences of digits and a question about them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import torch
from torch import Tensor

from core.data.reading import Reading, read
from core.data.task import Batch, Prediction
from core.experiments.tiny_transformer import TinyTransformerSettings

HELD_OUT = 256  # fresh sequences; an evaluation then costs about one step of training


class ContainsThree:
    """Is there a 3? Random digits; class 1 is yes.

    The training sequences are drawn from the seed of the run, the held-out ones from another stream of the same seed.
    """

    tokens = 10

    def __init__(self, settings: TinyTransformerSettings) -> None:
        self.length = settings.length
        draw = torch.Generator().manual_seed(settings.seed)
        self.inputs = torch.randint(0, self.tokens, (settings.sequences, self.length), generator=draw)
        self.targets = self.answer(self.inputs)
        fresh = torch.Generator().manual_seed(settings.seed + 2**31)  # past every seed that a run can have
        unseen = torch.randint(0, self.tokens, (HELD_OUT, self.length), generator=fresh)
        self._held_out = Batch(inputs=unseen, targets=self.answer(unseen))

    @staticmethod
    def answer(sequences: Tensor) -> Tensor:
        """The right class of each sequence: (batch, length) → (batch,)."""
        return (sequences == 3).any(dim=1).long()

    def batch(self, generator: torch.Generator, settings: TinyTransformerSettings) -> Batch:
        """Sequences drawn with replacement from the training data."""
        rows = torch.randint(0, len(self.inputs), (settings.batch_size,), generator=generator)
        return Batch(inputs=self.inputs[rows], targets=self.targets[rows])

    def held_out(self, settings: TinyTransformerSettings) -> Batch:
        """Fresh random sequences."""
        return self._held_out

    def training_data(self) -> Batch:
        """Every sequence that training draws from."""
        return Batch(inputs=self.inputs, targets=self.targets)

    def read(self, text: str) -> Reading:
        """Digits, full-width ones too; spaces and commas between them are skipped."""
        written = [c for c in unicodedata.normalize("NFKC", text) if not c.isspace() and c != ","]
        return read(
            written,
            lambda token: int(token) if token in "0123456789" else None,
            longest=self.length,
            keep="start",
            empty="0",
        )

    def predictions(self, logits: Tensor, reading: Reading) -> Sequence[Prediction]:
        """The probabilities of no and yes."""
        correct = "yes" if 3 in reading.numbers else "no"
        return [Prediction(kind="class", position=None, labels=("no", "yes"), logits=logits[0], correct=correct)]
