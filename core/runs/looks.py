"""A look, made and packed: what a run's model makes of a text, in the form that travels to the browser.

Statistics of heads and rollout are measured on the very maps that are sent (:mod:`core.inference.heads`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from core.capture import AttentionMap
from core.data.task import Prediction
from core.inference.checkpoint import Checkpoint
from core.inference.heads import rollout, statistics
from core.inference.look import Looked, look
from core.runs.requests import LookRequest
from core.runs.status import Status
from core.runs.wire import Floats, SmallCells, finite, pack_look, quantise, quantise_small


def look_frame(run: str, status: Status, seen: Checkpoint, request: LookRequest) -> bytes:
    """Look with a model in evaluation mode; the frame is described in :mod:`core.runs.wire`."""
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
    passed, reached = rollout(looked.maps)
    header = stamp | _content(looked) | _overview(looked) | {"shape": list(cells.shape)}
    header["rollout"] = None if passed is None else list(passed.shape)
    rolled = None if passed is None or reached is None else quantise_small(passed.numpy(), reached.numpy())
    return pack_look(header, _logits(looked.predictions), cells, [_cells(one) for one in looked.maps], rolled)


def _logits(predictions: Sequence[Prediction]) -> list[Floats]:
    return [one.logits.float().numpy() for one in predictions]


def _cells(shown: AttentionMap) -> SmallCells:
    return quantise_small(shown.weights[0].numpy(), shown.allowed[0].numpy())


def _overview(looked: Looked) -> dict[str, Any]:
    """What is told of every layer's heads."""
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
    streams = {"tokens": list(looked.reading.tokens)}
    return {"maps": entries, "streams": streams, "statistics": [_statistics(one) for one in looked.maps]}


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
    shown, reading, checks = looked.map, looked.reading, looked.checks
    return {
        "tokens": list(reading.tokens),
        "crop": {"start": reading.start, "given": reading.given},
        "special": reading.special,
        "notices": list(looked.notices),
        "layers": len(looked.maps),
        "layer": looked.layer,
        "heads": shown.weights.shape[1],
        "queries": shown.queries,
        "keys": shown.keys,
        "map": shown.name,
        "causal": looked.causal,
        "shares": None if looked.shares is None else dataclasses.asdict(looked.shares),
        "predictions": [_prediction(one) for one in looked.predictions],
        "checks": {
            "row_sum_error": finite(checks.row_sum_error),
            "future_weight": finite(checks.future_weight),
            "output_error": finite(checks.output_error),
        },
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
