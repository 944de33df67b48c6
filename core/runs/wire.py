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
SMALL_UNIT = 254  # the same two where a byte a cell must do: in maps of many layers or many steps
SMALL_MASKED = 255
LARGEST_FRAME = 1 << 30

Floats = npt.NDArray[np.float32]
Cells = npt.NDArray[np.uint16]
SmallCells = npt.NDArray[np.uint8]


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
    cells = np.rint(_weights(weights) * UNIT).astype("<u2")
    return np.where(np.broadcast_to(np.asarray(allowed, dtype=bool), cells.shape), cells, np.uint16(MASKED))


def quantise_small(weights: npt.ArrayLike, allowed: npt.ArrayLike) -> SmallCells:
    """As :func:`quantise`, in a byte: steps of 1/254."""
    cells = np.rint(_weights(weights) * SMALL_UNIT).astype(np.uint8)
    return np.where(np.broadcast_to(np.asarray(allowed, dtype=bool), cells.shape), cells, np.uint8(SMALL_MASKED))


def _weights(given: npt.ArrayLike) -> Floats:
    """Whatever it is, as numbers in [0, 1]."""
    numbers = np.nan_to_num(np.asarray(given, dtype=np.float32), nan=0.0, posinf=1.0, neginf=0.0)
    return np.clip(numbers, 0.0, 1.0)


def restore(cells: Cells) -> Floats:
    """What :func:`quantise` was given, to within half a step; NaN where the cell is masked."""
    return np.where(cells == MASKED, np.float32("nan"), cells.astype(np.float32) / np.float32(UNIT))


def restore_small(cells: SmallCells) -> Floats:
    """What :func:`quantise_small` was given, to within half a step; NaN where the cell is masked."""
    return np.where(cells == SMALL_MASKED, np.float32("nan"), cells.astype(np.float32) / np.float32(SMALL_UNIT))


def only_past(cells: Cells | SmallCells) -> bool:
    """Whether no query of these maps (…, queries, keys) may see a later key: half of the cells say nothing then."""
    queries, keys = cells.shape[-2:]
    later = cells[..., *np.triu_indices(queries, 1, keys)]
    return queries == keys and bool((later == _masked(cells)).all())


def _masked(cells: Cells | SmallCells) -> int:
    return MASKED if cells.dtype.itemsize == 2 else SMALL_MASKED


def _sent(cells: Cells | SmallCells, past: bool) -> bytes:
    """Cells row by row: all of them, or those at and before each query."""
    part = cells[..., *np.tril_indices(cells.shape[-1])] if past else cells
    return np.ascontiguousarray(part, dtype=part.dtype.newbyteorder("<")).tobytes()


@dataclass(frozen=True)
class Looked:
    """A look's frame, read: the header as it stands, the logits of every prediction, the weights of every head.

    Weights and rollout are NaN where masked.
    """

    header: dict[str, Any]
    logits: list[Floats]
    weights: Floats  # (heads, queries, keys) of the layer that was asked for
    overview: list[Floats]  # of every entry of header["maps"] (heads, queries, keys), in steps of 1/254
    rollout: Floats | None  # (layers, queries, keys), in steps of 1/254
    baseline: list[Floats] | None  # the logits without the ablation, where there is one


def pack_look(
    header: Mapping[str, Any],
    logits: Sequence[Floats],
    cells: Cells,
    overview: Sequence[SmallCells] = (),
    rollout: SmallCells | None = None,
    baseline: Sequence[Floats] = (),
) -> bytes:
    """The frame of a look.

    Its payload: the logits of every prediction one after another, the cells of the map that was asked for, those of
    every entry of ``header["maps"]`` and of the rollout (where ``header["rollout"]`` gives its shape) in a byte each,
    and, where ``header["ablation"]`` tells of one, from the next multiple of 4 on the logits without it. Of maps whose
    queries see no later key (:func:`only_past`), which the header then says of each, the cells after them are not sent.
    """
    maps: list[Cells | SmallCells] = [cells, *overview, *([] if rollout is None else [rollout])]
    past = [only_past(one) for one in maps]
    payload = _floats(logits) + b"".join(map(_sent, maps, past))
    return pack({**header, "only_past": past}, _padded(payload) + _floats(baseline) if baseline else payload)


def unpack_look(frame: bytes) -> Looked:
    """Read the frame of a look, for Python that needs what the browser sees."""
    header, payload = unpack(frame)
    reader = _Reader(payload)
    sizes = [one["size"] for one in header["predictions"]]
    logits = [reader.floats(size) for size in sizes]
    own, *others = header["only_past"]
    weights = restore(reader.cells(header["shape"], "<u2", own))
    overview, rollout = reader.overview(header, others)
    reader.align()
    baseline = [reader.floats(size) for size in sizes] if header.get("ablation") else None
    return Looked(header, logits, weights, overview, rollout, baseline)


@dataclass(frozen=True)
class Past:
    """A past frame, read: of every step in ``header["frames"]`` its maps (NaN where masked) and its logits."""

    header: dict[str, Any]
    maps: list[list[Floats]]  # of every entry of header["maps"] (heads, queries, keys), in steps of 1/254
    rollout: list[Floats]  # (layers, queries, keys), in steps of 1/254; empty where there is none
    logits: list[list[Floats]]


def pack_past(header: Mapping[str, Any], frames: Sequence[tuple[Sequence[SmallCells], Sequence[Floats]]]) -> bytes:
    """The frame of a run's past.

    Its payload: of every step the cells of every entry of ``header["maps"]`` and of the rollout (where
    ``header["rollout"]`` gives its shape) in a byte each, as a look's, and, from the next multiple of 4 on, the logits
    of every prediction.
    """
    past = [all(map(only_past, maps)) for maps in zip(*(cells for cells, _ in frames), strict=True)]
    steps = [_padded(b"".join(map(_sent, cells, past))) + _floats(logits) for cells, logits in frames]
    return pack({**header, "only_past": past}, b"".join(steps))


def unpack_past(frame: bytes) -> Past:
    """Read the frame of a run's past, for Python that needs what the browser sees."""
    header, payload = unpack(frame)
    reader = _Reader(payload)
    read = Past(header, [], [], [])
    for _ in header["frames"]:
        maps, rollout = reader.overview(header, header["only_past"])
        read.maps.append(maps)
        if rollout is not None:
            read.rollout.append(rollout)
        reader.align()
        read.logits.append([reader.floats(one["size"]) for one in header["predictions"]])
    return read


@dataclass(frozen=True)
class Maps:
    """A frame of whole maps, read: of every entry of ``header["maps"]`` the weights, NaN where masked."""

    header: dict[str, Any]
    weights: list[Floats]  # (heads, queries, keys)


def pack_maps(header: Mapping[str, Any], weights: Sequence[Floats]) -> bytes:
    """The frame of a look's maps, not rounded: the weights of every entry of ``header["maps"]`` one after another."""
    return pack(header, _floats(weights))


def unpack_maps(frame: bytes) -> Maps:
    """Read the frame of a look's maps."""
    header, payload = unpack(frame)
    reader = _Reader(payload)
    return Maps(header, [reader.take(one["shape"], "<f4") for one in header["maps"]])


def _floats(arrays: Sequence[Floats]) -> bytes:
    return b"".join(np.ascontiguousarray(one, dtype="<f4").tobytes() for one in arrays)


def _padded(payload: bytes) -> bytes:
    """A multiple of 4 bytes, so that a browser can lay floats behind it."""
    return payload + b"\0" * (-len(payload) % 4)


class _Reader:
    """Takes arrays from a payload, one after another."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._place = 0

    def take(self, shape: Sequence[int], kind: str) -> npt.NDArray[Any]:
        array = np.frombuffer(self._payload, kind, count=math.prod(shape), offset=self._place)
        self._place += array.nbytes
        return array.reshape(shape)

    def cells(self, shape: Sequence[int], kind: str, past: bool) -> npt.NDArray[Any]:
        """What :func:`_sent` wrote."""
        if not past:
            return self.take(shape, kind)
        *heads, side, _ = shape
        cells = np.full(shape, MASKED if kind == "<u2" else SMALL_MASKED, dtype=kind)
        cells[..., *np.tril_indices(side)] = self.take([*heads, side * (side + 1) // 2], kind)
        return cells

    def overview(self, header: Mapping[str, Any], past: Sequence[bool]) -> tuple[list[Floats], Floats | None]:
        """A byte a cell: of every entry of ``header["maps"]``, then of the rollout where there is one."""
        rollout = header.get("rollout")
        shapes = [one["shape"] for one in header.get("maps", [])] + ([rollout] if rollout else [])
        maps = [restore_small(self.cells(shape, "u1", half)) for shape, half in zip(shapes, past, strict=True)]
        last = maps.pop() if rollout else None
        return maps, last

    def floats(self, size: int) -> Floats:
        return self.take([size], "<f4")

    def align(self) -> None:
        self._place += -self._place % 4
