"""Looks, made and packed: what a run's model makes of a text, now or in its past, as it travels to the browser.

Statistics of heads and rollout are measured on the very maps that are sent (:mod:`core.inference.heads`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from core.ablation import Ablation
from core.capture import AttentionMap
from core.data.task import Prediction
from core.inference.checkpoint import Checkpoint
from core.inference.heads import rollout, statistics
from core.inference.look import Looked, look
from core.inference.losses import Losses
from core.runs.requests import LARGEST, LookRequest, PastRequest
from core.runs.status import Status
from core.runs.wire import Floats, SmallCells, finite, pack_look, pack_maps, pack_past, quantise, quantise_small

PAST_BYTES = 2 << 20  # of cells in one frame of the past: what is left is asked for again


def look_frame(run: str, status: Status, seen: Checkpoint, request: LookRequest, losses: Losses) -> bytes:
    """Look with a model in evaluation mode; the frame is described in :mod:`core.runs.wire`.

    ``losses`` remembers what ablations of this run cost.
    """
    looked = look(seen.model, seen.task, seen.settings, request)
    cells = quantise(looked.map.weights[0].numpy(), looked.map.allowed[0].numpy())
    stamp = {
        "kind": "look",
        "run": run,
        "step": seen.step,
        "loss": finite(seen.loss),
        "seed": seen.settings.seed,
        "status": status,
    }
    rolled = _rollout(looked)
    header = stamp | _content(looked) | _maps(looked, rolled) | {"shape": list(cells.shape)}
    header["statistics"] = [_statistics(one) for one in looked.maps]
    header["ablation"] = _ablation(seen, looked, losses) if looked.ablation else None
    overview = [_cells(one) for one in looked.maps]
    return pack_look(header, _logits(looked.predictions), cells, overview, rolled, _logits(looked.baseline))


def _ablation(seen: Checkpoint, looked: Looked, losses: Losses) -> dict[str, Any]:
    """What was taken away, and the loss over the training data with all heads and with the ablation."""
    whole = losses.of(seen, Ablation(), looked.causal)
    without = losses.of(seen, looked.ablation, looked.causal)
    return _taken_away(looked.ablation) | {
        "loss": whole and finite(whole.value),
        "loss_without": without and finite(without.value),
        "loss_kind": whole and ("whole corpus" if whole.whole else "part of the corpus"),
    }


def _taken_away(ablation: Ablation) -> dict[str, Any]:
    return {"heads": [list(one) for one in sorted(ablation.heads)], "keys": sorted(ablation.keys)}


def past_frame(run: str, view: Callable[[int], Checkpoint], request: PastRequest) -> bytes:
    """Look with what ``view`` gives for each step, each snapshot once, as far as there is room.

    Tokens, maps and predictions are the same at every step; the frame is described in :mod:`core.runs.wire`.
    """
    asked = LookRequest(text=request.text, given=request.given, causal_mask=request.causal_mask)
    header: dict[str, Any] = {}
    told: list[dict[str, Any]] = []
    frames: list[tuple[list[SmallCells], list[Floats]]] = []
    left: list[int] = []
    size = 0  # of a step's cells
    for step in request.steps or (LARGEST,):
        seen = view(step)
        if any(one["step"] == seen.step for one in told):
            continue
        if told and (len(told) + 1) * size > PAST_BYTES:
            left.append(step)
            continue
        looked = look(seen.model, seen.task, seen.settings, asked, measure_shares=False)
        statistics = [_statistics(one) for one in looked.maps]
        told.append({"step": seen.step, "loss": finite(seen.loss), "statistics": statistics})
        if "tokens" not in looked.streams:  # what the model itself writes is another at every step
            told[-1]["streams"] = _streams(looked)
        rolled = _rollout(looked)
        cells = [*(_cells(one) for one in looked.maps), *([] if rolled is None else [rolled])]
        frames.append((cells, _logits(looked.predictions)))
        size = sum(one.nbytes for one in cells)
        header = {"seed": seen.settings.seed} | _text(looked) | _maps(looked, rolled)
    return pack_past({"kind": "past", "run": run} | header | {"frames": told, "left": left}, frames)


def maps_frame(run: str, seen: Checkpoint, request: LookRequest) -> bytes:
    """Every map of a look with its exact weights, and what they were made with: what a file needs."""
    looked = look(seen.model, seen.task, seen.settings, request, measure_shares=False)
    header = {
        "kind": "maps",
        "run": run,
        "experiment": seen.experiment.name,
        "step": seen.step,
        "loss": finite(seen.loss),
        "seed": seen.settings.seed,
        "settings": dataclasses.asdict(seen.settings),
        "causal": looked.causal,
        "ablation": _taken_away(looked.ablation) if looked.ablation else None,
    }
    weights = [one.weights.masked_fill(~one.allowed, torch.nan)[0].float().numpy() for one in looked.maps]
    return pack_maps(header | _text(looked) | _maps(looked), weights)


def _logits(predictions: Sequence[Prediction]) -> list[Floats]:
    return [one.logits.float().numpy() for one in predictions]


def _cells(shown: AttentionMap) -> SmallCells:
    return quantise_small(shown.weights[0].numpy(), shown.allowed[0].numpy())


def _rollout(looked: Looked) -> SmallCells | None:
    passed, reached = rollout(looked.maps, looked.ablation.heads)
    return None if passed is None or reached is None else quantise_small(passed.numpy(), reached.numpy())


def _maps(looked: Looked, rolled: SmallCells | None = None) -> dict[str, Any]:
    """Which maps there are, the tokens of the streams that they join, and the shape of their rollout."""
    entries = [
        {
            "name": shown.name,
            "layer": layer,
            "queries": shown.queries,
            "keys": shown.keys,
            "shape": list(shown.weights.shape[1:]),
        }
        for layer, shown in enumerate(looked.maps)
    ]
    return {"maps": entries, "streams": _streams(looked), "rollout": None if rolled is None else list(rolled.shape)}


def _streams(looked: Looked) -> dict[str, list[str]]:
    return {name: list(tokens) for name, tokens in looked.streams.items()}


def _statistics(shown: AttentionMap) -> dict[str, Any]:
    measured = statistics(shown)
    return {
        "entropy": _numbers(measured.entropy),
        "distance": _numbers(measured.distance),
        "previous": _numbers(measured.previous),
        "first": _numbers(measured.first),
        "self": _numbers(measured.same),
        "uniform_entropy": finite(measured.uniform_entropy),
    }


def _numbers(values: Tensor) -> list[float | None]:
    """One number a head, short in JSON; null for what is none."""
    return [None if (number := finite(value)) is None else round(number, 6) for value in values.tolist()]


def _content(looked: Looked) -> dict[str, Any]:
    shown, checks = looked.map, looked.checks
    return _text(looked) | {
        "layers": len(looked.maps),
        "layer": looked.layer,
        "heads": shown.weights.shape[1],
        "queries": shown.queries,
        "keys": shown.keys,
        "map": shown.name,
        "causal": looked.causal,
        "shares": None if looked.shares is None else dataclasses.asdict(looked.shares),
        "checks": {
            "row_sum_error": finite(checks.row_sum_error),
            "future_weight": finite(checks.future_weight),
            "output_error": finite(checks.output_error),
        },
    }


def _text(looked: Looked) -> dict[str, Any]:
    """What was read, and what the model is asked of it."""
    reading = looked.reading
    return {
        "tokens": list(reading.tokens),
        "crop": {"start": reading.start, "given": reading.given},
        "special": reading.special,
        "notices": list(looked.notices),
        "predictions": [_prediction(one) for one in looked.predictions],
    }


def _prediction(one: Prediction) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "position": one.position,
        "labels": list(one.labels),
        "size": len(one.labels),
        "correct": one.correct,
        "trained": one.trained,
    }
