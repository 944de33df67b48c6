"""A text cut into windows: to predict the next character, or to fill in hidden ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch
from torch import Tensor

from core.data import corpora
from core.data.baselines import bigram_loss, majority_share, uniform_loss, unigram_loss
from core.data.reading import Reading, read
from core.data.task import Batch, Prediction
from core.data.vocabulary import Vocabulary
from core.experiments.mini_bert import MiniBERTSettings
from core.experiments.mini_gpt import MiniGPTSettings
from core.settings import N_, SettingError

MASK = "[MASK]"
FIXED = 20171206  # seeds the masks of evaluations: the same characters are hidden every time


class Windows:
    """A text's training part and held-out part as windows of a fixed length."""

    def __init__(self, text: str, length: int, held_out: float) -> None:
        """Raises :class:`SettingError` when a part is too short for one window (2 characters when held out)."""
        self.text = text
        self.vocabulary = Vocabulary(text)
        numbers = torch.tensor(self.vocabulary.encode(text))
        kept = len(numbers) - round(len(numbers) * held_out)
        if kept < length:
            raise SettingError(
                N_("the text has {given} characters to train on; this block needs at least {minimum}"),
                given=kept,
                minimum=length,
            )
        self.training = numbers[:kept].unfold(0, length, 1)  # (windows, length)
        rest = numbers[kept:]
        self.held_out = rest.unfold(0, min(length, len(rest)), 1) if len(rest) > 1 else None

    def draw(self, batch_size: int, generator: torch.Generator) -> Tensor:
        """Random training windows. (batch, length)"""
        return self.training[torch.randint(0, len(self.training), (batch_size,), generator=generator)]


def text_baselines(windows: Windows) -> dict[str, float]:
    """Losses of guesses that use no context or one character of it."""
    return {
        "uniform_loss": uniform_loss(len(windows.vocabulary)),
        "unigram_loss": unigram_loss(windows.text),
        "bigram_loss": bigram_loss(windows.text),
    }


class NextCharacter:
    """Every character of a window is predicted from those before it."""

    def __init__(self, settings: MiniGPTSettings) -> None:
        self.block = settings.block
        self.windows = Windows(corpora.chosen(settings), settings.block + 1, settings.held_out)
        self.vocabulary = self.windows.vocabulary
        self.tokens = len(self.vocabulary)

    @property
    def corpus(self) -> str:
        """The whole text, held-out part included."""
        return self.windows.text

    @staticmethod
    def shifted(windows: Tensor) -> Batch:
        """Inputs and, one character on, targets: (batch, length + 1) → two of (batch, length)."""
        return Batch(inputs=windows[:, :-1], targets=windows[:, 1:])

    def batch(self, generator: torch.Generator, settings: MiniGPTSettings) -> Batch:
        """Random windows of the training part."""
        return self.shifted(self.windows.draw(settings.batch_size, generator))

    def held_out(self, settings: MiniGPTSettings) -> Batch | None:
        """Every window of the held-out part."""
        return None if self.windows.held_out is None else self.shifted(self.windows.held_out)

    def training_data(self) -> Batch:
        """Every window of the training part."""
        return self.shifted(self.windows.training)

    def baselines(self) -> dict[str, float]:
        """The losses of guessing without context, by frequency, and by the character before; counted on the text."""
        return text_baselines(self.windows)

    def number(self, character: str) -> int | None:
        """The number of a character, None when the text does not have it."""
        return self.vocabulary.encode(character)[0] if character in self.vocabulary else None

    def read(self, text: str) -> Reading:
        """The last ``block`` known characters: what comes next depends on the end."""
        return read(list(text), self.number, longest=self.block, keep="end", empty=self.corpus[0])

    def predictions(self, logits: Tensor, reading: Reading, position: int | None = None) -> Sequence[Prediction]:
        """The next character after the last one. ``logits`` (1, length, vocabulary)"""
        last = logits.shape[1] - 1
        return [
            Prediction(kind="next", position=last, labels=tuple(self.vocabulary.characters), logits=logits[0, last])
        ]


class MaskedCharacters:
    """Some characters of a window are replaced by [MASK] and have to be filled in."""

    def __init__(self, settings: MiniBERTSettings) -> None:
        self.block = settings.block
        self.windows = Windows(corpora.chosen(settings), settings.block, settings.held_out)
        self.vocabulary = self.windows.vocabulary
        self.tokens = len(self.vocabulary)
        self.mask = self.tokens  # the number after the last character
        self.trains_visible = settings.mask_share < 1.0  # then some characters to predict are left in sight

    def choose(self, windows: Tensor, rate: float, generator: torch.Generator) -> Tensor:
        """Choose each character with probability ``rate``; where that chooses none at all, choose one."""
        chosen = torch.rand(windows.shape, generator=generator) < rate
        if not chosen.any():
            chosen.view(-1)[torch.randint(0, chosen.numel(), (1,), generator=generator)] = True
        return chosen

    def hide(
        self,
        windows: Tensor,
        rate: float,
        generator: torch.Generator,
        *,
        mask_share: float = 1.0,
        random_share: float = 0.0,
    ) -> Batch:
        """Choose characters to predict, and hide them (Devlin et al. 2018, section 3.1).

        Of the chosen ones a share becomes [MASK], a share a random character, and the rest stays as it is.
        """
        chosen = self.choose(windows, rate, generator)
        inputs = windows.masked_fill(chosen, self.mask)
        if mask_share < 1.0:
            draw = torch.rand(windows.shape, generator=generator)
            swapped = torch.randint(0, self.tokens, windows.shape, generator=generator)
            others = torch.where(draw < mask_share + random_share, swapped, windows)
            inputs = torch.where(chosen & (draw >= mask_share), others, inputs)
        return Batch(inputs=inputs, targets=windows, chosen=chosen)

    def batch(self, generator: torch.Generator, settings: MiniBERTSettings) -> Batch:
        """Random windows of the training part with fresh masks."""
        return self.hide(
            self.windows.draw(settings.batch_size, generator),
            settings.mask_rate,
            generator,
            mask_share=settings.mask_share,
            random_share=settings.random_share,
        )

    def held_out(self, settings: MiniBERTSettings) -> Batch | None:
        """Every window of the held-out part, always with the same 15 % hidden."""
        return None if self.windows.held_out is None else self.fixed(self.windows.held_out)

    def training_data(self) -> Batch:
        """Every window of the training part, always with the same 15 % hidden."""
        return self.fixed(self.windows.training)

    def fixed(self, windows: Tensor) -> Batch:
        """Hide 15 % (Devlin et al. 2018), the same characters every time, whatever the run trains with."""
        return self.hide(windows, 0.15, torch.Generator().manual_seed(FIXED))

    def baselines(self) -> dict[str, float]:
        """The losses of guessing without context and by frequency, and the accuracy of the most frequent character."""
        known = text_baselines(self.windows)
        del known["bigram_loss"]  # a masked character is seen from both sides: not a fair comparison
        return known | {"majority_accuracy": majority_share(self.windows.text)}

    def number(self, token: str) -> int | None:
        """The number of a character or of [MASK], None when the text does not have it."""
        if token == MASK:
            return self.mask
        return self.vocabulary.encode(token)[0] if token in self.vocabulary else None

    def read(self, text: str) -> Reading:
        """Characters and blanks; a blank is written ``_`` or ``[MASK]``. The first ``block`` are kept."""
        parts = re.split(r"(\[MASK\]|_)", text)
        tokens = [t for n, part in enumerate(parts) for t in ([MASK] if n % 2 else list(part))]
        return read(tokens, self.number, longest=self.block, keep="start", empty=MASK)

    def predictions(self, logits: Tensor, reading: Reading, position: int | None = None) -> Sequence[Prediction]:
        """The characters for each blank, and for the visible one at ``position``. ``logits`` (1, length, vocabulary)"""
        labels = tuple(self.vocabulary.characters)
        blanks = [position for position, token in enumerate(reading.tokens) if token == MASK]
        found = [Prediction(kind="blank", position=p, labels=labels, logits=logits[0, p]) for p in blanks]
        if position is not None and position < len(reading.tokens) and position not in blanks:
            visible = Prediction(
                kind="visible",
                position=position,
                labels=labels,
                logits=logits[0, position],
                correct=reading.tokens[position],
                trained=self.trains_visible,
            )
            found.append(visible)
        return found
