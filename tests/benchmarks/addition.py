"""How soon sums are added without a mistake, against the same model written with ``nn.Transformer``.

Both have one size, one recipe and the same batches, and are trained on one torch thread in turns. Every few steps both
write the held-out sums token by token; the time told is that of training alone, up to the first measurement at which
99.9 % of two-digit sums, or 99.5 % of three-digit sums, are right to the last digit.
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from core.data.sums import TOKENS
from core.data.task import Batch
from core.experiments import find
from core.experiments.seq2seq import END, PADDING, START, THREE_DIGITS, Seq2SeqSettings
from core.positions import SinusoidalPositions
from core.settings import Value, changed
from core.training.build import Training, build
from core.training.objectives import exact_match
from core.training.schedules import learning_rate

SEEDS = range(3)
EVERY = 25  # steps between two measurements
GOALS = {2: 0.999, 3: 0.995}  # digits -> share of held-out sums

STEPS = {2: 500, 3: THREE_DIGITS}  # digits -> as many as the fast recipe has, and as three digits take


def settings(digits: int, seed: int, answer: str = "reversed") -> Seq2SeqSettings:
    """The fast recipe for numbers of so many digits."""
    changes: dict[str, Value] = {"digits": digits, "steps": STEPS[digits], "seed": seed, "answer": answer}
    return changed(find("seq2seq").defaults("fast"), changes)


class Plain(nn.Module):
    """The model as one writes it with PyTorch's own parts and no further thought."""

    def __init__(self, settings: Seq2SeqSettings) -> None:
        super().__init__()
        width = settings.width
        self.source = nn.Embedding(len(TOKENS), width)
        self.target = nn.Embedding(len(TOKENS), width)
        for table in (self.source, self.target):
            nn.init.normal_(table.weight, std=width**-0.5)
        self.positions = SinusoidalPositions(width)
        self.transformer = nn.Transformer(
            width,
            settings.heads,
            settings.layers,
            settings.layers,
            settings.feed_forward,
            dropout=settings.dropout,
            activation=settings.activation,
            batch_first=True,
            norm_first=settings.pre_norm,
        )
        self.output = nn.Linear(width, len(TOKENS))
        self.factor = width**0.5

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        future = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        hidden = self.transformer(
            self.positions(self.source(source) * self.factor),
            self.positions(self.target(target) * self.factor),
            tgt_mask=future,
            tgt_is_causal=True,
        )
        logits: Tensor = self.output(hidden)
        return logits

    @torch.no_grad()
    def write(self, source: Tensor, longest: int) -> Tensor:
        """The likeliest tokens, one after another."""
        written = torch.full((len(source), 1), START)
        for _ in range(longest):
            written = torch.cat((written, self(source, written)[:, -1:].argmax(dim=-1)), dim=1)
        ended = ((written == END).cumsum(dim=1) - (written == END).long()) > 0
        return written.masked_fill(ended, PADDING)[:, 1:]


class PlainRun:
    """The plain model with its optimizer, fed the batches of a run of ours."""

    def __init__(self, twin: Training) -> None:
        torch.manual_seed(twin.settings.seed)
        self.settings, self.task, self.number = twin.settings, twin.task, 0
        self.model = Plain(self.settings)
        self.generator = torch.Generator().manual_seed(self.settings.seed)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), betas=(0.9, self.settings.beta2), weight_decay=self.settings.weight_decay
        )

    def step(self) -> None:
        """One step of the same recipe."""
        chosen = self.settings
        self.number += 1
        rate = learning_rate(chosen.schedule, chosen.learning_rate, self.number, chosen.steps, chosen.warmup_steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch: Batch = self.task.batch(self.generator, chosen)
        assert batch.source is not None
        self.model.train()
        loss = cross_entropy(self.model(batch.source, batch.inputs).flatten(0, 1), batch.targets.flatten())
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if chosen.gradient_clipping:
            nn.utils.clip_grad_norm_(self.model.parameters(), chosen.gradient_clipping)
        self.optimizer.step()


def measure() -> dict[str, Any]:
    """Both lengths of numbers, each with the recipe that the page calls fast."""
    torch.set_num_threads(1)
    return {f"{digits}_digits": compare(digits, goal) for digits, goal in GOALS.items()}


def compare(digits: int, goal: float) -> dict[str, Any]:
    """Train both from several seeds and take the medians."""
    own, plain, ratios = [], [], []
    for seed in SEEDS:
        print(f"  {digits} digits, seed {seed}", file=sys.stderr)
        training = build(find("seq2seq"), settings(digits, seed))
        ours, theirs = race(training, PlainRun(training), goal)
        own.append(ours)
        plain.append(theirs)
        if ours[1] is not None and theirs[1] is not None:
            ratios.append(ours[1] / theirs[1])
    return {
        "goal": goal,
        "own": summary(own),
        "nn_transformer": summary(plain),
        "ratio": round(median(ratios), 3) if ratios else None,
        "step_ratio": round(median(o[3] / p[3] for o, p in zip(own, plain, strict=True)), 3),
    }


Raced = tuple[int | None, float | None, float, float]  # steps and seconds to the goal, best share, seconds a step


def race(own: Training, plain: PlainRun, goal: float) -> tuple[Raced, Raced]:
    """Let both learn in turns until both are there, or their steps are over."""
    batch = own.task.held_out(own.settings)
    assert batch is not None
    runs: list[Training | PlainRun] = [own, plain]
    seconds, best = [0.0, 0.0], [0.0, 0.0]
    reached: list[tuple[int, float] | None] = [None, None]
    while own.number < own.settings.steps and None in reached:
        for which, run in enumerate(runs):
            began = perf_counter()
            for _ in range(EVERY):
                run.step()
            seconds[which] += perf_counter() - began
            run.model.eval()
            with torch.no_grad():
                best[which] = max(best[which], exact_match(run.model, batch))
            if reached[which] is None and best[which] >= goal:
                reached[which] = (run.number, seconds[which])
    found = [one or (None, None) for one in reached]
    told = [(*one, best[which], seconds[which] / own.number) for which, one in enumerate(found)]
    return told[0], told[1]


def summary(runs: list[Raced]) -> dict[str, Any]:
    """Medians of those that came to the goal, and how many did."""
    there = [(steps, seconds) for steps, seconds, _, _ in runs if steps is not None and seconds is not None]
    return {
        "reached": f"{len(there)} of {len(runs)}",
        "steps": median(steps for steps, _ in there) if there else None,
        "seconds": round(median(seconds for _, seconds in there), 2) if there else None,
        "worst_best_share": round(min(best for _, _, best, _ in runs), 4),
        "milliseconds_a_step": round(1000 * median(each for *_, each in runs), 2),
    }
