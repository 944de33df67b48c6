"""A look, made and packed: what a run's model makes of a text, in the form that travels to the browser."""

from __future__ import annotations

import dataclasses
from typing import Any

from core.data.task import Prediction
from core.inference.checkpoint import Checkpoint
from core.inference.look import Looked, look
from core.runs.requests import LookRequest
from core.runs.status import Status
from core.runs.wire import finite, pack_look, quantise


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
    logits = [one.logits.float().numpy() for one in looked.predictions]
    return pack_look(stamp | _content(looked) | {"shape": list(cells.shape)}, logits, cells)


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
