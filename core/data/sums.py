"""Rows of characters to be answered by rows of characters: sums, and rows of digits to reverse or to sort."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from core.data.reading import Notice, Reading, read
from core.data.task import Batch, Prediction
from core.experiments.seq2seq import END, PADDING, START, Seq2SeqSettings

TOKENS = ("[PAD]", "[START]", "[END]", *"0123456789", "+")
FIRST_DIGIT = TOKENS.index("0")
PLUS = TOKENS.index("+")
ROWS = 20_000  # that are drawn to train on reversing and sorting
UNSEEN = 1_000  # held-out rows at most: one mistake is a tenth of a percent
SEEN = 20_000  # of what is trained on, for measurements over the training data


def held_back(keys: Tensor) -> Tensor:
    """About every tenth key, always the same ones: whatever has such a key is never trained on. (n,) → (n,)

    Multiplicative hashing (Knuth 1973, volume 3, section 6.4), so that no digit can tell which.
    """
    return (keys * 2654435761 >> 16 & 0xFFFF) % 10 == 0


def digits_of(numbers: Tensor, count: int) -> Tensor:
    """(n,) → (n, count), the largest place first, zeros in front"""
    return numbers[:, None] // 10 ** torch.arange(count - 1, -1, -1) % 10


class Sums:
    """One of the exercises of :class:`Seq2SeqSettings`, as text: a source that is read and a target that is written.

    Held-out sources are never trained on; nor is a held-out sum with its two numbers changed round.
    """

    def __init__(self, settings: Seq2SeqSettings) -> None:
        self.exercise, self.digits, self.length = settings.exercise, settings.digits, settings.length
        self.reversed = settings.answer == "reversed"
        self.longest = settings.longest_target()
        self.tokens = len(TOKENS)
        self._base = 10**self.digits
        if self.exercise == "add":
            pairs = torch.arange(self._base**2)
            back = held_back(self._pair_keys(pairs))
            self._training, unseen = pairs[~back].int(), pairs[back]
            self._unseen = unseen[_spread(len(unseen), UNSEEN)]
        else:
            self._training = self._rows(settings.seed, held=False)
            self._unseen = self._rows(settings.seed + 2**31, held=True)[:UNSEEN]  # past every seed of a run

    def _pair_keys(self, pairs: Tensor) -> Tensor:
        first, second = pairs // self._base, pairs % self._base
        return torch.minimum(first, second) * self._base + torch.maximum(first, second)

    def _rows(self, seed: int, *, held: bool) -> Tensor:
        """Random rows of 1 to ``length`` digits, those that are held back or the others; -1 behind their ends."""
        generator = torch.Generator().manual_seed(seed)
        rows = torch.randint(0, 10, (ROWS, self.length), generator=generator)
        lengths = torch.randint(1, self.length + 1, (ROWS, 1), generator=generator)
        rows = rows.masked_fill(torch.arange(self.length) >= lengths, -1)
        keys = ((rows + 1) * 11 ** torch.arange(self.length)).sum(dim=1)
        return rows[held_back(keys) == held]

    def batch(self, generator: torch.Generator, settings: Seq2SeqSettings) -> Batch:
        """Sources drawn with replacement from what may be trained on."""
        places = torch.randint(0, len(self._training), (settings.batch_size,), generator=generator)
        return self._asked(self._training[places])

    def held_out(self, settings: Seq2SeqSettings) -> Batch:
        """Sources that are never trained on."""
        return self._asked(self._unseen)

    def training_data(self) -> Batch:
        """What training draws from; of very much, a part that is spread evenly over it."""
        return self._asked(self._training[_spread(len(self._training), SEEN)])

    def _asked(self, chosen: Tensor) -> Batch:
        """Pairs of numbers (n,), or rows of digits (n, length), as text."""
        if self.exercise == "add":
            first, second = chosen.long() // self._base, chosen.long() % self._base
            plus = torch.full((len(chosen), 1), PLUS)
            numbers = [FIRST_DIGIT + digits_of(one, self.digits) for one in (first, second)]
            return self._answered(torch.cat((numbers[0], plus, numbers[1]), dim=1))
        return self._answered((chosen + FIRST_DIGIT).masked_fill(chosen < 0, PADDING))

    def _answered(self, source: Tensor) -> Batch:
        """Sources (n, sources) with the targets that a decoder should write after its inputs (n, targets)."""
        targets = self._answers(source)  # (n, targets)
        return Batch(inputs=self.begun(targets), targets=targets, chosen=targets != PADDING, source=source)

    def _answers(self, source: Tensor) -> Tensor:
        """The right answers, ended and filled up. (n, sources) → (n, targets)"""
        if self.exercise == "add":
            places = 10 ** torch.arange(self.digits - 1, -1, -1)
            digits = source - FIRST_DIGIT
            sums = ((digits[:, : self.digits] + digits[:, -self.digits :]) * places).sum(dim=1)
            answers = FIRST_DIGIT + digits_of(sums, self.digits + 1)
            answers = answers.flip(1) if self.reversed else answers
            return torch.cat((answers, torch.full((len(answers), 1), END)), dim=1)
        there = source != PADDING  # padding stands behind every row
        places = torch.arange(source.shape[1])
        if self.exercise == "sort":
            order = source.masked_fill(~there, self.tokens).argsort(dim=1)
        else:
            order = (there.sum(dim=1, keepdim=True) - 1 - places).where(there, places)
        answers = source.gather(1, order)
        ends = torch.nn.functional.pad(there, (0, 1)).long().argmin(dim=1, keepdim=True)  # (n, 1): lengths
        return torch.nn.functional.pad(answers, (0, 1)).scatter(1, ends, END)

    @staticmethod
    def begun(targets: Tensor) -> Tensor:
        """What a decoder is given to write these: the start, then all but the last. (n, targets) → (n, targets)"""
        return torch.cat((torch.full((len(targets), 1), START), targets[:, :-1]), dim=1)

    def answer_length(self, reading: Reading) -> int:
        """How many tokens the right answer has, its end counted."""
        return int((self._answers(torch.tensor([reading.numbers])) != PADDING).sum())

    def answer(self, written: Sequence[str]) -> str:
        """What was written, as a person writes it: up to its end, the largest place first, no zeros in front."""
        kept = list(written[: written.index(TOKENS[END])] if TOKENS[END] in written else written)
        if self.exercise != "add":
            return "".join(kept)
        read = "".join(reversed(kept) if self.reversed else kept)
        return read.lstrip("0") or read[-1:]

    def baselines(self) -> dict[str, float]:
        """None: a guess that knows nothing is right about no whole answer."""
        return {}

    def names(self, numbers: Iterable[int] | Tensor) -> tuple[str, ...]:
        """What tokens are called."""
        return tuple(TOKENS[int(number)] for number in numbers)

    def read(self, text: str) -> Reading:
        """A sum or a row of digits, full-width ones too; spaces are skipped.

        Numbers of a sum that are too short get zeros in front, those that are too long keep their last digits; without
        a second number it is 0.
        """
        written = [c for c in unicodedata.normalize("NFKC", text) if not c.isspace()]
        known = {"+": PLUS} if self.exercise == "add" else {}
        known |= {digit: FIRST_DIGIT + place for place, digit in enumerate("0123456789")}
        if self.exercise != "add":
            return read([c for c in written if c not in ",+"], known.get, longest=self.length, keep="start", empty="0")
        found = read(written, known.get, longest=max(1, len(written)), keep="start", empty="0")
        numbers = [*re.split(r"\++", "".join(found.tokens)), ""][:2]
        kept = "+".join(one[-self.digits :].zfill(self.digits) for one in numbers)
        notices: list[Notice] = list(found.notices)
        if any(len(one.lstrip("0")) > self.digits for one in numbers) or "".join(found.tokens).count("+") != 1:
            notices.append({"code": "sum_read_as", "sum": kept})
        numbers_of = tuple(known[c] for c in kept)
        return Reading(
            tokens=tuple(kept), numbers=numbers_of, start=0, given=len(kept), special=0, notices=tuple(notices)
        )

    def predictions(self, logits: Tensor, reading: Reading, position: int | None = None) -> Sequence[Prediction]:
        """What is written at each place of the answer. ``logits`` (1, targets, vocabulary)"""
        right = self.names(self._answers(torch.tensor([reading.numbers]))[0])
        return [
            Prediction(
                kind="written",
                position=place,
                labels=TOKENS,
                logits=one,
                correct=right[place] if place < len(right) else TOKENS[PADDING],
            )
            for place, one in enumerate(logits[0])
        ]


def _spread(count: int, most: int) -> Tensor:
    """At most so many of ``count`` places, spread evenly."""
    kept = min(count, most)
    return torch.arange(kept) * count // kept
