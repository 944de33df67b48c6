"""The formula of one head, worked out and packed in the form that travels to the browser.

A frame of :mod:`core.runs.wire` whose payload is float32 numbers: the header's ``arrays`` name them and give their
shapes, in the order in which they follow one another. Masked scores are minus infinity, a weight that a head cannot
have is not a number.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import torch

from core.inference.checkpoint import Checkpoint
from core.inference.lab import Worked, work_out
from core.runs.requests import LabRequest
from core.runs.status import Status
from core.runs.wire import Floats, finite, pack, unpack


def lab_frame(run: str, status: Status, seen: Checkpoint, request: LabRequest) -> bytes:
    """Work the formula out with a model in evaluation mode."""
    worked = work_out(seen.model, seen.task, seen.settings, request)
    arrays = {name: tensor.float().numpy() for name, tensor in _arrays(worked).items()}
    header = {
        "kind": "lab",
        "run": run,
        "step": seen.step,
        "loss": finite(seen.loss),
        "seed": seen.settings.seed,
        "status": status,
        "arrays": [{"name": name, "shape": list(array.shape)} for name, array in arrays.items()],
    }
    numbers = (np.ascontiguousarray(array, dtype="<f4").tobytes() for array in arrays.values())
    return pack(header | _content(worked), b"".join(numbers))


def unpack_lab(frame: bytes) -> tuple[dict[str, Any], dict[str, Floats]]:
    """The header and the arrays, for Python that needs what the browser sees."""
    header, payload = unpack(frame)
    arrays, start = {}, 0
    for one in header["arrays"]:
        count = int(np.prod(one["shape"]))
        arrays[one["name"]] = np.frombuffer(payload, "<f4", count, start).reshape(one["shape"])
        start += 4 * count
    return header, arrays


def _arrays(worked: Worked) -> dict[str, torch.Tensor]:
    return {
        "query": worked.query,
        "key": worked.key,
        "value": worked.value,
        "scores": worked.scores,
        "scaled": worked.scaled_scores,
        "masked": worked.scaled_scores.masked_fill(~worked.allowed, -torch.inf),
        "weights": worked.weights,
        "mixed": worked.mixed,
        "share": worked.share,
        "at_cell": worked.at_cell,
    }


def _content(worked: Worked) -> dict[str, Any]:
    reading, shown, query = worked.reading, worked.map, worked.cell[0]
    open_keys = int(worked.allowed[query].sum())
    return {
        "tokens": list(reading.tokens),
        "streams": {name: list(tokens) for name, tokens in worked.streams.items()},
        "queries": shown.queries,
        "keys": shown.keys,
        "maps": [{"queries": one.queries, "keys": one.keys} for one in worked.maps],
        "answer": None if worked.answer is None else dataclasses.asdict(worked.answer),
        "crop": {"start": reading.start, "given": reading.given},
        "special": reading.special,
        "notices": list(worked.notices),
        "layers": len(worked.maps),
        "layer": worked.layer,
        "heads": shown.weights.shape[1],
        "head": worked.head,
        "map": shown.name,
        "scale": worked.scale,
        "causal_mask": worked.causal_mask,
        "causal": worked.causal,
        "scaled": worked.scaled,
        "positions": worked.positions,
        "has_positions": worked.has_positions,
        "cell": list(worked.cell),
        "uniform": 1 / open_keys if open_keys else None,
        "laws": {name: finite(value) for name, value in dataclasses.asdict(worked.laws).items()},
    }
