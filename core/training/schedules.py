"""How the learning rate changes along a run."""

from __future__ import annotations

import math


def learning_rate(schedule: str, peak: float, step: int, steps: int, warmup_steps: int) -> float:
    """The learning rate of a step, counted from 1.

    ``constant`` is the peak throughout. ``warmup`` rises linearly to the peak over ``warmup_steps`` and stays there;
    ``cosine`` then falls along half a cosine (Loshchilov & Hutter 2016, arXiv:1608.03983) to zero just after the end.
    """
    if schedule == "constant":
        return peak
    if step < warmup_steps:
        return peak * step / warmup_steps
    if schedule == "warmup":
        return peak
    progress = (step - warmup_steps) / max(1, steps + 1 - warmup_steps)
    return peak * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
