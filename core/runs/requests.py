"""What one may ask of a run: to look at a sentence, to write on, to change. Shared by page, server and worker.

The limits here only keep a question bounded. What a model cannot read (unknown characters, a sentence longer than its
block, a layer it does not have) is the engine's to mend and to say in a notice.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from core.settings import N_, SettingError, Value, changed, setting

Group = TypeVar("Group")

TEXT_LIMIT = 4096  # characters that are sent of a text however long; the rest is only counted
LARGEST = 2**31 - 1
MOST_HEADS = 288  # 18 layers of attention with 16 heads each: every head of the largest model
MOST_KEYS = 128  # the longest block
MOST_STEPS = 16
MOST_LETTERS = 64  # of a token


@dataclass(frozen=True, kw_only=True)
class LookRequest:
    """Read this text and show what every head of a layer attends to.

    ``ablate`` are heads, as (layer, head), whose output is set to 0 (zero ablation; Michel et al. 2019,
    arXiv:1905.10650). Nobody may attend to the key positions in ``without_keys``: the weights on the others
    are renormalised.
    """

    text: str = ""
    given: int | None = None  # the length of what was typed, when only its beginning was sent
    layer: int = 0
    step: int | None = None  # a step of the run's past; None: the newest
    causal_mask: bool | None = None  # None: as the model was trained
    position: int | None = None  # a token whose own distribution is asked for too, counted from 0
    ablate: tuple[tuple[int, int], ...] = ()
    without_keys: tuple[int, ...] = ()

    @classmethod
    def from_json(cls, fields: object) -> LookRequest:
        """Read a request that came from outside. Raises :class:`SettingError`."""
        given = _mapping(fields)
        text, length = _text_and_length(given)
        return cls(
            text=text,
            given=length,
            layer=_integer(given, "layer", 0, 0, LARGEST) or 0,
            step=_integer(given, "step", None, 0, LARGEST),
            causal_mask=_switch(given, "causal_mask"),
            position=_integer(given, "position", None, 0, LARGEST),
            ablate=_pairs(given, "ablate", MOST_HEADS),
            without_keys=_integers(given, "without_keys", MOST_KEYS),
        )

    def to_json(self) -> dict[str, Any]:
        """The request as plain values; :meth:`from_json` reads it back unchanged."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, kw_only=True)
class GenerateRequest:
    """Read this prompt and write on, once greedily and once by drawing."""

    prompt: str = ""
    temperature: float = 0.8
    top_k: int = 0
    top_p: float = 1.0
    samples: int = 1
    tokens: int = 60
    seed: int = 0
    causal_mask: bool | None = None
    step: int | None = None
    ablate: tuple[tuple[int, int], ...] = ()  # heads that are silent while it writes, as in a look

    @classmethod
    def from_json(cls, fields: object) -> GenerateRequest:
        """Read a request that came from outside. Raises :class:`SettingError`."""
        given = _mapping(fields)
        return cls(
            prompt=_text(given, "prompt")[-TEXT_LIMIT:],  # what the model writes on depends on the end alone
            temperature=_number(given, "temperature", 0.8, 0.0, 100.0),
            top_k=_integer(given, "top_k", 0, 0, LARGEST) or 0,
            top_p=_number(given, "top_p", 1.0, 0.0, 1.0),
            samples=_integer(given, "samples", 1, 1, 8) or 1,
            tokens=_integer(given, "tokens", 60, 1, 1000) or 60,
            seed=_integer(given, "seed", 0, 0, LARGEST) or 0,
            causal_mask=_switch(given, "causal_mask"),
            step=_integer(given, "step", None, 0, LARGEST),
            ablate=_pairs(given, "ablate", MOST_HEADS),
        )

    def to_json(self) -> dict[str, Any]:
        """The request as plain values; :meth:`from_json` reads it back unchanged."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, kw_only=True)
class PastRequest:
    """Read this text by several steps of the run's past, every head of every layer; no step means the newest.

    A step without a snapshot of its own is answered by the newest snapshot before it.
    """

    text: str = ""
    given: int | None = None
    causal_mask: bool | None = None
    steps: tuple[int, ...] = ()

    @classmethod
    def from_json(cls, fields: object) -> PastRequest:
        """Read a request that came from outside. Raises :class:`SettingError`."""
        given = _mapping(fields)
        text, length = _text_and_length(given)
        return cls(
            text=text,
            given=length,
            causal_mask=_switch(given, "causal_mask"),
            steps=_integers(given, "steps", MOST_STEPS),
        )

    def to_json(self) -> dict[str, Any]:
        """The request as plain values; :meth:`from_json` reads it back unchanged."""
        return dataclasses.asdict(self)


@dataclass(frozen=True, kw_only=True)
class LabRequest:
    """Read this text and spell out attention's formula in one head, changed as the switches say.

    ``cell`` is the query and the key (positions, counted from 0) whose weight is asked of every head. Without one,
    ``words`` names a query and a key by their tokens; without either, the head's largest weight chooses.
    """

    text: str = ""
    given: int | None = None  # the length of what was typed, when only its beginning was sent
    layer: int = 0
    head: int = 0
    causal_mask: bool | None = None  # of all three: None, as the model was trained
    scaled: bool | None = None
    positions: bool | None = None
    step: int | None = None
    cell: tuple[int, int] | None = None
    words: tuple[str, str] | None = None

    @classmethod
    def from_json(cls, fields: object) -> LabRequest:
        """Read a request that came from outside. Raises :class:`SettingError`."""
        look, given = LookRequest.from_json(fields), _mapping(fields)
        cell, words = _pair(given, "cell"), _pair(given, "words")
        return cls(
            text=look.text,
            given=look.given,
            layer=look.layer,
            head=_integer(given, "head", 0, 0, LARGEST) or 0,
            causal_mask=look.causal_mask,
            scaled=_switch(given, "scaled"),
            positions=_switch(given, "positions"),
            step=look.step,
            cell=None if cell is None else (_place(cell, "query"), _place(cell, "key")),
            words=None if words is None else (_text(words, "query")[:MOST_LETTERS], _text(words, "key")[:MOST_LETTERS]),
        )

    def to_json(self) -> dict[str, Any]:
        """The request as plain values; :meth:`from_json` reads it back unchanged."""
        return dataclasses.asdict(self)


class NoRun(LookupError):
    """There is no such run (any more)."""


class WorkerGone(RuntimeError):
    """The worker process that was asked died before it answered; another one takes over its runs."""


def changed_live(settings: Group, changes: Mapping[str, Value]) -> Group:
    """A copy of the settings with some live ones changed. Raises :class:`SettingError` for any other."""
    for name in changes:
        if not setting(settings, name).live:
            raise SettingError(N_("{name} can only change with a new run"), name=name)
    return changed(settings, changes)


def _mapping(fields: object) -> Mapping[str, object]:
    if isinstance(fields, Mapping):
        return fields
    raise SettingError(N_("a request is an object with named fields"))


def _pair(fields: Mapping[str, object], name: str) -> dict[str, object] | None:
    """A query and a key, written as a list of two."""
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, list | tuple) and len(value) == 2:
        return {"query": value[0], "key": value[1]}
    raise SettingError(N_("{name} is a query and a key, not “{value}”"), name=name, value=_short(value))


def _place(pair: Mapping[str, object], name: str) -> int:
    place = _integer(pair, name, None, 0, LARGEST)
    if place is None:
        raise SettingError(N_("{name} is a whole number, not “{value}”"), name=name, value="null")
    return place


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise SettingError(N_("{name} is text, not “{value}”"), name=name, value=_short(value))
    # Half of a surrogate pair is no character: JSON can hold one, UTF-8 cannot.
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _text_and_length(fields: Mapping[str, object]) -> tuple[str, int | None]:
    """The beginning of the text that is read, and the length of the whole where it is known."""
    text, length = _text(fields, "text"), _integer(fields, "given", None, 0, LARGEST)
    if len(text) > TEXT_LIMIT:
        text, length = text[:TEXT_LIMIT], max(length or 0, len(text))
    return text, length


def _integer(fields: Mapping[str, object], name: str, default: int | None, low: int, high: int) -> int | None:
    value = fields.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int):
        raise SettingError(N_("{name} is a whole number, not “{value}”"), name=name, value=_short(value))
    _between(name, value, low, high)
    return value


def _list(fields: Mapping[str, object], name: str, most: int) -> Sequence[object]:
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise SettingError(N_("{name} is a list, not “{value}”"), name=name, value=_short(value))
    if len(value) > most:
        raise SettingError(
            N_("{name} has at most {maximum} entries, not {value}"), name=name, maximum=most, value=len(value)
        )
    return value


def _integers(fields: Mapping[str, object], name: str, most: int) -> tuple[int, ...]:
    return tuple(_whole(name, one) for one in _list(fields, name, most))


def _pairs(fields: Mapping[str, object], name: str, most: int) -> tuple[tuple[int, int], ...]:
    pairs = []
    for pair in _list(fields, name, most):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise SettingError(N_("{name} lists pairs of layer and head, not “{value}”"), name=name, value=_short(pair))
        pairs.append((_whole(name, pair[0]), _whole(name, pair[1])))
    return tuple(pairs)


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SettingError(N_("{name} lists whole numbers, not “{value}”"), name=name, value=_short(value))
    _between(name, value, 0, LARGEST)
    return value


def _number(fields: Mapping[str, object], name: str, default: float, low: float, high: float) -> float:
    value = fields.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SettingError(N_("{name} is a number, not “{value}”"), name=name, value=_short(value))
    _between(name, value, low, high)
    return float(value)


def _between(name: str, value: float, low: float, high: float) -> None:
    if (isinstance(value, float) and not math.isfinite(value)) or not low <= value <= high:
        raise SettingError(
            N_("{name} lies between {minimum} and {maximum}, not {value}"),
            name=name,
            minimum=f"{low:.10g}",
            maximum=f"{high:.10g}",
            value=_short(value),
        )


def _switch(fields: Mapping[str, object], name: str) -> bool | None:
    value = fields.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise SettingError(N_("{name} is on or off (true or false), not “{value}”"), name=name, value=_short(value))


def _short(value: object) -> str:
    """A value as an error may quote it: short, and free of what cannot be written in UTF-8."""
    if isinstance(value, dict | list | tuple):
        return "{…}" if isinstance(value, dict) else "[…]"
    if isinstance(value, int) and abs(value) > 10**20:  # Python refuses to write thousands of digits in decimals
        return f"{value:#x}"[:12] + "…"
    return str(value)[:40].encode("utf-8", "replace").decode("utf-8")
