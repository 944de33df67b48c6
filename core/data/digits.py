"""Sequences of random digits and a question about each."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from core.data.baselines import majority_share
from core.data.reading import Reading, read
from core.data.task import Batch, Prediction
from core.experiments.tiny_transformer import TinyTransformerSettings

HELD_OUT = 256  # fresh sequences; an evaluation then costs about one step of training
DIGITS = 10
CLS = "[CLS]"  # stands before the digits where the answer is read off it (Devlin et al. 2018)


def contains_three(sequences: Tensor) -> Tensor:
    """Is there a 3? (batch, length) → (batch,)"""
    return (sequences == 3).any(dim=1)


def two_threes(sequences: Tensor) -> Tensor:
    """Are there at least two 3s? (batch, length) → (batch,)"""
    return (sequences == 3).sum(dim=1) >= 2


def three_before_seven(sequences: Tensor) -> Tensor:
    """Is there a 3 before the first 7? Without a 7, any 3 counts. (batch, length) → (batch,)"""
    before_any_seven = (sequences == 7).cumsum(dim=1) == 0
    return ((sequences == 3) & before_any_seven).any(dim=1)


QUESTIONS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {  # code -> answer, the digits that matter
    "contains_3": (contains_three, (3,)),
    "two_3s": (two_threes, (3,)),
    "3_before_7": (three_before_seven, (3, 7)),
}


class Digits:
    """A yes-or-no question about random digits; class 1 is yes.

    The training sequences are drawn from the seed of the run, the held-out ones from a stream that no run's training
    data come from.
    """

    def __init__(self, settings: TinyTransformerSettings) -> None:
        self.length = settings.length
        self.answer, self.matter = QUESTIONS[settings.question]
        self.cls = settings.readout == "cls"
        self.tokens = DIGITS + self.cls
        self._training = self._draw(settings.sequences, settings.seed)
        self._held_out = self._draw(HELD_OUT, settings.seed + 2**31)  # past every seed that a run can have

    def _draw(self, count: int, seed: int) -> Batch:
        digits = torch.randint(0, DIGITS, (count, self.length), generator=torch.Generator().manual_seed(seed))
        targets = self.answer(digits).long()
        if self.cls:
            digits = torch.cat((torch.full((count, 1), DIGITS), digits), dim=1)
        return Batch(inputs=digits, targets=targets)

    def batch(self, generator: torch.Generator, settings: TinyTransformerSettings) -> Batch:
        """Sequences drawn with replacement from the training data."""
        data = self._training
        rows = torch.randint(0, len(data.inputs), (settings.batch_size,), generator=generator)
        return Batch(inputs=data.inputs[rows], targets=data.targets[rows])

    def held_out(self, settings: TinyTransformerSettings) -> Batch:
        """Fresh random sequences."""
        return self._held_out

    def unseen_digits(self) -> Tensor:
        """The held-out sequences as the model reads them. (batch, length)"""
        return self._held_out.inputs

    def training_data(self) -> Batch:
        """Every sequence that training draws from."""
        return self._training

    def baselines(self) -> dict[str, float]:
        """The accuracy of always giving the more frequent answer, on the held-out sequences, and its class."""
        answers = self._held_out.targets.tolist()
        return {"majority_accuracy": majority_share(answers), "majority_answer": float(2 * sum(answers) > len(answers))}

    def read(self, text: str) -> Reading:
        """Digits, full-width ones too; spaces and commas between them are skipped."""
        written = [c for c in unicodedata.normalize("NFKC", text) if not c.isspace() and c != ","]
        return read(
            written,
            lambda token: int(token) if token in "0123456789" else None,
            longest=self.length,
            keep="start",
            empty="0",
            before=((CLS, DIGITS),) if self.cls else (),
        )

    def predictions(self, logits: Tensor, reading: Reading, position: int | None = None) -> Sequence[Prediction]:
        """The probabilities of no and yes."""
        digits = [number for number in reading.numbers if number < DIGITS]
        correct = "yes" if self.answer(torch.tensor([digits])).item() else "no"
        return [Prediction(kind="class", position=None, labels=("no", "yes"), logits=logits[0], correct=correct)]
