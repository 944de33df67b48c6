"""The maps of a look as a file to keep: NumPy arrays, a long table, or JSON. Written by the server, without torch."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.runs.wire import Floats, Maps, unpack_maps
from core.settings import N_, SettingError

ABOUT = ("experiment", "step", "loss", "seed", "settings", "causal", "ablation", "notices", "maps", "streams")
COLUMNS = ("layer", "head", "query_position", "query", "key_position", "key", "weight")


@dataclass(frozen=True, kw_only=True)
class File:
    """A file that is being written: its name, its media type, its content piece by piece."""

    name: str
    media_type: str
    content: Iterator[bytes]


def check_format(kind: str) -> None:
    """Raise :class:`SettingError` when no file of this kind can be written."""
    if kind not in _WRITERS:
        choices = ", ".join(_WRITERS)
        raise SettingError(
            N_("{name} is one of {choices}, not “{value}”"), name="format", choices=choices, value=kind[:40]
        )


def file_of(frame: bytes, kind: str) -> File:
    """The maps of a frame (:func:`core.runs.wire.unpack_maps`) as a file. Raises :class:`SettingError`."""
    check_format(kind)
    seen = unpack_maps(frame)
    media_type, write = _WRITERS[kind]
    name = f"attention_{seen.header['experiment']}_step_{seen.header['step']}.{kind}"
    return File(name=name, media_type=media_type, content=write(seen))


def _npz(seen: Maps) -> Iterator[bytes]:
    """Arrays ``layer_0`` … (heads, queries, keys), NaN where masked; ``tokens``; ``about``, a JSON text."""
    arrays = {f"layer_{layer}": weights for layer, weights in enumerate(seen.weights)}
    about = json.dumps(_about(seen), ensure_ascii=False)
    file = io.BytesIO()
    tokens = np.array(seen.header["tokens"])
    np.savez_compressed(file, allow_pickle=False, tokens=tokens, about=np.array(about), **arrays)
    yield file.getvalue()


def _csv(seen: Maps) -> Iterator[bytes]:
    """A row a cell; the weight is empty where masked."""
    yield _table([COLUMNS])
    streams = seen.header["streams"]
    for entry, weights in zip(seen.header["maps"], seen.weights, strict=True):
        queries, keys = streams[entry["queries"]], streams[entry["keys"]]
        for head, rows in enumerate(weights):
            yield _table(
                (entry["layer"], head, query, queries[query], key, keys[key], "" if weight is None else weight)
                for query, row in enumerate(_plain(rows))
                for key, weight in enumerate(row)
            )


def _table(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _json(seen: Maps) -> Iterator[bytes]:
    """One object: ``about``, ``tokens`` and ``maps``, whose weights (heads, queries, keys) are null where masked."""
    start = json.dumps({"about": _about(seen), "tokens": seen.header["tokens"]}, ensure_ascii=False)
    yield f'{start[:-1]}, "maps": ['.encode()
    for place, (entry, weights) in enumerate(zip(seen.header["maps"], seen.weights, strict=True)):
        whole = entry | {"weights": [_plain(rows) for rows in weights]}
        yield (", " if place else "").encode() + json.dumps(whole, ensure_ascii=False).encode()
    yield b"]}\n"


def _about(seen: Maps) -> dict[str, Any]:
    return {name: seen.header[name] for name in ABOUT}


def _plain(rows: Floats) -> list[list[float | None]]:
    """Weights (queries, keys) in the nine digits that tell every float32 from its neighbours; None where masked."""
    return [[None if weight != weight else float(f"{weight:.9g}") for weight in row] for row in rows.tolist()]


_WRITERS: dict[str, tuple[str, Callable[[Maps], Iterator[bytes]]]] = {
    "npz": ("application/zip", _npz),
    "csv": ("text/csv; charset=utf-8", _csv),
    "json": ("application/json", _json),
}
