"""How soon the ``fast`` recipe reaches the loss at which the document's recipe ends in plain PyTorch.

Both are trained on one torch thread, in turns, from several seeds. The loss is that of the whole corpus in evaluation
mode. Only training is timed: neither imports, nor building, nor evaluating. Beside it stands the share that each step's
arithmetic has of this core's matrix-multiply peak, measured in the same run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.utils.flop_counter import FlopCounterMode

from core.data.task import Batch
from core.experiments import Experiment, catalogue
from core.settings import changed
from core.training.build import Training, build
from tests.benchmarks.plain_pytorch import RUNS, Plain

SEEDS = range(5)
EVERY = 5  # steps between two evaluations of the fast run


def measure() -> dict[str, Any]:
    """Every model's figures."""
    torch.set_num_threads(1)
    return {name: compare(catalogue()[name]) for name in RUNS}


def compare(experiment: Experiment) -> dict[str, Any]:
    """Train both ways in turns and take the median ratio."""
    plain_runs, fast_runs, peaks = [], [], []
    for seed in SEEDS:
        print(f"  {experiment.name}, seed {seed}", file=sys.stderr)
        peaks.append(matrix_multiply_peak())
        data = start(experiment, seed).task.training_data()
        plain_runs.append(train_plain(RUNS[experiment.name](seed), data))
        fast_runs.append(train_fast(start(experiment, seed), data))
    target = median(loss for _, loss in plain_runs)
    reached = [time_to(target, run) for run in fast_runs]
    ratios = [fast[1] / plain[0] for fast, plain in zip(reached, plain_runs, strict=True) if fast]
    operations, plain_steps = operations_of_a_step(experiment), RUNS[experiment.name](0).steps
    plain_step = median(seconds for seconds, _ in plain_runs) / plain_steps
    fast_step = median(run[-1][1] / run[-1][0] for run in fast_runs)
    return {
        "target_loss": round(target, 5),
        "plain_seconds": round(median(seconds for seconds, _ in plain_runs), 3),
        "fast_seconds": round(median(fast[1] for fast in reached if fast), 3) if ratios else None,
        "fast_steps": median(fast[0] for fast in reached if fast) if ratios else None,
        "ratio": round(median(ratios), 3) if ratios else None,
        "reached": f"{len(ratios)} of {len(fast_runs)}",
        "gigaflop_a_step": round(operations / 1e9, 3),
        "peak_gigaflops": round(median(peaks) / 1e9, 1),
        "share_of_peak": round(operations / fast_step / median(peaks), 3),
        "plain_share_of_peak": round(plain_operations(experiment) / plain_step / median(peaks), 3),
    }


def start(experiment: Experiment, seed: int) -> Training:
    """A run of the fast recipe, long enough to reach the target late."""
    return build(experiment, changed(experiment.defaults("fast"), {"seed": seed}))


def train_plain(run: Plain, data: Batch) -> tuple[float, float]:
    """Seconds of training, and the loss in the end."""
    run.model.train()
    began = perf_counter()
    for _ in range(run.steps):
        run.step()
    seconds = perf_counter() - began
    run.model.eval()
    return seconds, whole_corpus_loss(run.model, data)


def train_fast(training: Training, data: Batch) -> list[tuple[int, float, float]]:
    """Step, seconds of training so far, and loss, every few steps."""
    seconds, history = 0.0, []
    while training.number < training.settings.steps:
        training.model.train()
        began = perf_counter()
        for _ in range(EVERY):
            training.step()
        seconds += perf_counter() - began
        training.model.eval()
        history.append((training.number, seconds, whole_corpus_loss(training.model, data)))
    return history


@torch.no_grad()
def whole_corpus_loss(model: Callable[[Tensor], Tensor], data: Batch) -> float:
    """The mean cross-entropy over everything that is trained on."""
    logits, targets = model(data.inputs), data.targets
    if data.chosen is not None:
        logits, targets = logits[data.chosen], targets[data.chosen]
    return cross_entropy(logits.flatten(0, -2), targets.flatten()).item()


def time_to(target: float, history: list[tuple[int, float, float]]) -> tuple[int, float] | None:
    """Steps and seconds until the loss was down at the target; None when it never was."""
    return next(((step, seconds) for step, seconds, loss in history if loss <= target), None)


def operations_of_a_step(experiment: Experiment) -> int:
    """Floating-point operations of one step of the fast recipe, forwards and backwards."""
    training = start(experiment, 0)
    with FlopCounterMode(display=False) as counter:
        training.step()
    return counter.get_total_flops()


def plain_operations(experiment: Experiment) -> int:
    """Floating-point operations of one step of the document's recipe."""
    run = RUNS[experiment.name](0)
    with FlopCounterMode(display=False) as counter:
        run.step()
    return counter.get_total_flops()


def matrix_multiply_peak(size: int = 1024, repeats: int = 10) -> float:
    """The fastest square multiplication seen, in floating-point operations a second."""
    left, right = torch.rand(size, size), torch.rand(size, size)
    fastest = float("inf")
    for _ in range(repeats):
        began = perf_counter()
        torch.mm(left, right)
        fastest = min(fastest, perf_counter() - began)
    return 2 * size**3 / fastest
