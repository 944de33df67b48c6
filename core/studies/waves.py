"""What each kind of positions looks like, taken from the code and the weights that the models use.

Sinusoidal (Vaswani et al. 2017, section 3.5) and learned positions are tables that are added; of those the table, and
how similar two of its rows are. RoPE (Su et al. 2021) and ALiBi (Press et al. 2021) act inside attention; of those what
they do to a score.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from core.inference.checkpoint import Checkpoint
from core.positions import LearnedPositions, SinusoidalPositions, distance_bias, rotated
from core.settings import N_, SettingError
from core.studies import Progress

LENGTH, WIDTH = 48, 64  # as MiniGPT's
HEADS = 4
ROPE_LENGTH = 64


def study(options: Mapping[str, Any], seen: Checkpoint | None) -> Generator[Progress, None, dict[str, Any]]:
    """``kind`` of positions → what can be shown of it.

    ``learned`` is about ``seen``, a model that was trained with such positions. Raises :class:`SettingError` where
    there is none.
    """
    kind = str(options["kind"])
    makers = {"sinusoidal": sinusoidal, "rope": rope, "alibi": alibi}
    if kind == "learned":
        found = learned(seen)
    elif kind in makers:
        found = makers[kind]()
    else:
        raise SettingError(N_("there is no picture of positions of kind “{kind}”"), kind=kind)
    yield Progress(fraction=1.0)
    return found


def sinusoidal() -> dict[str, Any]:
    """The formula's waves."""
    return _table(SinusoidalPositions(WIDTH).table(LENGTH))


def learned(seen: Checkpoint | None) -> dict[str, Any]:
    """The table of a trained model, and beside it what chance would make similar."""
    positions = None if seen is None else getattr(seen.model, "positions", None)
    if seen is None or not isinstance(positions, LearnedPositions):
        raise SettingError(N_("there is no trained model with learned positions here"))
    table = positions.table.weight.detach()
    return _table(table) | {"step": seen.step, "experiment": seen.experiment.title}


def _table(table: Tensor) -> dict[str, Any]:
    """``table`` (positions, width), the similarity of its rows, and its mean by distance."""
    similar = similarity(table)
    return {"table": table, "similarity": similar, "by_distance": by_distance(similar)}


def similarity(table: Tensor) -> Tensor:
    """The cosine of every two rows: (positions, positions)"""
    rows = F.normalize(table, dim=-1)
    return rows @ rows.T


def by_distance(similar: Tensor) -> list[float]:
    """The mean of every diagonal of (positions, positions), from distance 0 on."""
    return [float(similar.diagonal(offset).mean()) for offset in range(len(similar))]


def rope() -> dict[str, Any]:
    """The score of one query and one key, whatever they are, by their places: only the difference counts.

    ``spread`` is the largest difference of two scores at the same distance.
    """
    width = WIDTH // HEADS
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(width, generator=generator, dtype=torch.float64)
    key = query + 0.3 * torch.randn(width, generator=generator, dtype=torch.float64)  # a key that the query looks for
    queries, keys = (rotated(one.expand(ROPE_LENGTH, width)) for one in (query, key))  # at every place
    scores = queries @ keys.T * width**-0.5  # (places, places)
    diagonals = [scores.diagonal(-distance) for distance in range(ROPE_LENGTH)]
    return {
        "scores": scores,
        "by_distance": [float(one.mean()) for one in diagonals],
        "spread": max(float(one.max() - one.min()) for one in diagonals),
        "width": width,
    }


def alibi() -> dict[str, Any]:
    """What every head adds to its scores by distance, and the slopes."""
    bias = distance_bias(HEADS, LENGTH)[0]  # (heads, places, places)
    return {"heads": bias[:, -1].flip(-1), "slopes": -bias[:, 1, 0]}
