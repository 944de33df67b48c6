"""Frames: a JSON header followed by raw numbers, the same on a worker's pipes and as the body of a look.

``uint32 header length | header JSON, padded with spaces to a multiple of 4 | payload``, little endian. On a pipe the
whole frame is preceded by its own length as a uint32. JSON alone would turn every weight into digits, and pickles
would tie both ends to Python.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt

UNIT = 65534  # a weight of 1
MASKED = 65535  # a cell that the model was not allowed to attend to
LARGEST_FRAME = 1 << 30

Floats = npt.NDArray[np.float32]
Cells = npt.NDArray[np.uint16]


def pack(header: Mapping[str, Any], payload: bytes = b"") -> bytes:
    """Make a frame. The header holds no NaN or infinity: :func:`finite` turns them into null first."""
    written = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
    written += b" " * (-(4 + len(written)) % 4)
    return struct.pack("<I", len(written)) + written + payload


def unpack(frame: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the payload of a frame. Raises ValueError when the bytes are no frame."""
    if len(frame) < 4 or len(frame) < 4 + struct.unpack_from("<I", frame)[0]:
        raise ValueError("the frame is shorter than its header says")
    end = 4 + struct.unpack_from("<I", frame)[0]
    header = json.loads(frame[4:end])
    return dict(header), frame[end:]


def send(stream: IO[bytes], frame: bytes) -> None:
    """Write a frame to a pipe."""
    stream.write(struct.pack("<I", len(frame)) + frame)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read the next frame from a pipe; None at its end, in the middle of a frame too (the other side is gone)."""
    length = stream.read(4)
    if len(length) < 4:
        return None
    size = struct.unpack("<I", length)[0]
    if size > LARGEST_FRAME:
        raise ValueError("what came through the pipe is no frame")
    frame = stream.read(size)
    return frame if len(frame) == size else None


def finite(value: float | None) -> float | None:
    """The number, or None for NaN and the infinities, which JSON cannot hold."""
    return float(value) if value is not None and math.isfinite(value) else None


def quantise(weights: npt.ArrayLike, allowed: npt.ArrayLike) -> Cells:
    """Weights in [0, 1] as uint16 in steps of 1/65534; cells that are not allowed are marked as masked."""
    numbers = np.nan_to_num(np.asarray(weights, dtype=np.float32), nan=0.0, posinf=1.0, neginf=0.0)
    cells = np.rint(np.clip(numbers, 0.0, 1.0) * UNIT).astype("<u2")
    return np.where(np.broadcast_to(np.asarray(allowed, dtype=bool), cells.shape), cells, np.uint16(MASKED))


def restore(cells: Cells) -> Floats:
    """What :func:`quantise` was given, to within half a step; NaN where the cell is masked."""
    return np.where(cells == MASKED, np.float32("nan"), cells.astype(np.float32) / np.float32(UNIT))


@dataclass(frozen=True)
class Looked:
    """A look's frame, read: the header as it stands, the logits of every prediction, the weights of every head."""

    header: dict[str, Any]
    logits: list[Floats]
    weights: Floats  # (heads, queries, keys), NaN where masked


def pack_look(header: Mapping[str, Any], logits: Sequence[Floats], cells: Cells) -> bytes:
    """The frame of a look: the logits of every prediction one after another, then the cells of the map."""
    numbers = [np.ascontiguousarray(one, dtype="<f4").tobytes() for one in logits]
    return pack(header, b"".join(numbers) + np.ascontiguousarray(cells, dtype="<u2").tobytes())


def unpack_look(frame: bytes) -> Looked:
    """Read the frame of a look, for Python that needs what the browser sees."""
    header, payload = unpack(frame)
    logits, start = [], 0
    for prediction in header["predictions"]:
        logits.append(np.frombuffer(payload, dtype="<f4", count=prediction["size"], offset=start))
        start += 4 * prediction["size"]
    cells = np.frombuffer(payload, dtype="<u2", offset=start).reshape(header["shape"])
    return Looked(header, logits, restore(cells))
