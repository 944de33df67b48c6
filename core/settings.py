"""One typed, bounded description of a setting.

A group of settings is a frozen dataclass whose fields are made by :func:`integer`, :func:`number`, :func:`choice`,
:func:`switch` and :func:`text`. The same field draws the control on the page, is the parameter of the link and the
option of the command line, and says what is allowed. Nothing here knows torch or Streamlit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

Value = bool | int | float | str
Kind = Literal["integer", "number", "choice", "switch", "text"]
Group = TypeVar("Group")


def N_(message: str) -> str:
    """Mark a string for translation where it is written; it is translated where it is shown."""
    return message


class SettingError(ValueError):
    """A value that a setting cannot take: a translatable sentence and the words that fill it."""

    def __init__(self, message: str, **fields: object) -> None:
        super().__init__(message.format(**fields))
        self.message = message
        self.fields = fields


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is known of one setting: its limits, its words, and when a change of it takes effect."""

    name: str
    kind: Kind
    default: Value
    label: str
    help: str
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    choices: Mapping[str, str] = dataclasses.field(default_factory=dict)  # code -> label
    logarithmic: bool = False
    live: bool = False  # takes effect at the next step; otherwise at the next reset
    linked: bool = True  # part of the form and of the link; a whole text is not

    def parse(self, written: str) -> Value:
        """Read the value from a link or a command line. Raises :class:`SettingError`."""
        written = written.strip() if self.kind != "text" else written
        if self.kind == "text":
            return self.validate(written)
        if self.kind == "switch":
            words = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}
            if written.lower() in words:
                return words[written.lower()]
            raise SettingError(N_("{name} is on or off (true or false), not “{value}”"), name=self.name, value=written)
        if self.kind == "choice":
            return self.validate(written)
        try:
            return self.validate(int(written) if self.kind == "integer" else float(written))
        except SettingError:
            raise
        except ValueError:
            wanted = N_("{name} is a whole number, not “{value}”")
            if self.kind == "number":
                wanted = N_("{name} is a number, not “{value}”")
            raise SettingError(wanted, name=self.name, value=written) from None

    def validate(self, value: Any) -> Value:
        """Return the value in the setting's own type. Raises :class:`SettingError` when it is not allowed."""
        if self.kind == "text":
            return str(value)
        if self.kind == "switch":
            return bool(value)
        if self.kind == "choice":
            if value in self.choices:
                return str(value)
            allowed = ", ".join(self.choices)
            raise SettingError(
                N_("{name} is one of {choices}, not “{value}”"), name=self.name, choices=allowed, value=value
            )
        return self._bounded(value)

    def _bounded(self, value: float) -> Value:
        assert self.minimum is not None and self.maximum is not None
        if not self.minimum <= value <= self.maximum:  # nor is "not a number" between them
            raise SettingError(
                N_("{name} lies between {minimum} and {maximum}, not {value}"),
                name=self.name,
                minimum=f"{self.minimum:.10g}",
                maximum=f"{self.maximum:.10g}",
                value=f"{value:.10g}" if isinstance(value, float) else str(value)[:20],
            )
        return int(value) if self.kind == "integer" else float(value)

    def write(self, value: Value) -> str:
        """The value as a link or a command line holds it; :meth:`parse` reads it back unchanged."""
        if self.kind == "switch":
            return "true" if value else "false"
        return repr(value) if self.kind == "number" else str(value)


def _field(kind: Kind, default: Value, words: tuple[str, str], **limits: Any) -> Any:
    label, help_text = words
    return field(default=default, metadata={"kind": kind, "label": label, "help": help_text, **limits})


def integer(
    default: int, minimum: int, maximum: int, label: str, help: str, *, step: int = 1, live: bool = False
) -> Any:
    """A whole number within limits."""
    return _field("integer", default, (label, help), minimum=minimum, maximum=maximum, step=step, live=live)


def number(
    default: float,
    minimum: float,
    maximum: float,
    label: str,
    help: str,
    *,
    step: float = 0.01,
    logarithmic: bool = False,
    live: bool = False,
) -> Any:
    """A real number within limits."""
    return _field(
        "number",
        default,
        (label, help),
        minimum=minimum,
        maximum=maximum,
        step=step,
        logarithmic=logarithmic,
        live=live,
    )


def choice(default: str, choices: Mapping[str, str], label: str, help: str, *, live: bool = False) -> Any:
    """One of a few codes, each with a label of its own."""
    return _field("choice", default, (label, help), choices=choices, live=live)


def switch(default: bool, label: str, help: str, *, live: bool = False) -> Any:
    """On or off."""
    return _field("switch", default, (label, help), live=live)


def text(default: str, label: str, help: str, *, linked: bool = True) -> Any:
    """Free text. What is too long for a link, or has a panel of its own, is not ``linked``."""
    return _field("text", default, (label, help), linked=linked)


def describe(group: Any) -> tuple[Setting, ...]:
    """The settings of a group (the dataclass or an instance of it), in the order in which they are written."""
    defaults = group if isinstance(group, type) else type(group)
    return tuple(
        Setting(name=one.name, default=getattr(defaults, one.name), **one.metadata) for one in dataclasses.fields(group)
    )


def setting(group: Any, name: str) -> Setting:
    """One setting of a group by its name. Raises :class:`SettingError` when there is none."""
    for candidate in describe(group):
        if candidate.name == name:
            return candidate
    known = ", ".join(candidate.name for candidate in describe(group))
    raise SettingError(N_("there is no setting “{name}”; there are {known}"), name=name, known=known)


def values(group: Any) -> dict[str, Value]:
    """The group as a plain dictionary, for JSON and for comparing."""
    return {candidate.name: getattr(group, candidate.name) for candidate in describe(group)}


def changed(base: Group, changes: Mapping[str, Any]) -> Group:
    """A copy of the group with some values changed, each validated. Raises :class:`SettingError`."""
    checked = {name: setting(base, name).validate(value) for name, value in changes.items()}
    return dataclasses.replace(base, **checked)  # type: ignore[type-var]


def difference(base: Any, other: Any, names: Iterable[str] | None = None) -> dict[str, tuple[Value, Value]]:
    """The settings in which two groups of one class differ: name -> (value in base, value in other)."""
    chosen = names if names is not None else values(base)
    return {n: (getattr(base, n), getattr(other, n)) for n in chosen if getattr(base, n) != getattr(other, n)}
