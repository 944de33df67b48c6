"""Which order of writing is learned sooner: sums from the right, ones first, or from the left, as they are read.

Told are the steps until 99 % of the held-out sums are right to the last digit, seed by seed; both orders of a seed
begin with the same weights and are asked the same sums. None stands for a run that ended before.
"""

from __future__ import annotations

import sys
from statistics import median
from typing import Any

import torch

from core.experiments import find
from core.training.build import build
from core.training.objectives import exact_match
from tests.benchmarks.addition import EVERY, SEEDS, STEPS, settings

GOAL = 0.99  # share of held-out sums


def measure() -> dict[str, Any]:
    """Both lengths of numbers in both orders."""
    torch.set_num_threads(1)
    return {f"{digits}_digits": {order: steps(digits, order) for order in ("reversed", "forwards")} for digits in STEPS}


def steps(digits: int, order: str) -> dict[str, Any]:
    """From several seeds."""
    print(f"  {digits} digits, {order}", file=sys.stderr)
    needed = [until(digits, order, seed) for seed in SEEDS]
    there = [one for one in needed if one is not None]
    return {"steps": needed, "median": median(there) if there else None}


def until(digits: int, order: str, seed: int) -> int | None:
    """After how many steps one run is there."""
    training = build(find("seq2seq"), settings(digits, seed, order))
    batch = training.task.held_out(training.settings)
    assert batch is not None
    while training.number < training.settings.steps:
        for _ in range(EVERY):
            training.step()
        training.model.eval()
        with torch.no_grad():
            if exact_match(training.model, batch) >= GOAL:
                return training.number
    return None
