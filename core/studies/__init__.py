"""Studies: work of a few seconds that a page asks for, done in a worker between the turns of its runs.

A module of this package that defines ``study`` is one; its name is the module's, and nothing has to be registered::

    def study(options: Mapping[str, Any], seen: Checkpoint | None) -> Generator[Progress, None, Any]:
        for done in range(10):
            ...  # some 20 ms of work
            yield Progress(fraction=(done + 1) / 10, partial={"losses": losses})
        return {"losses": losses}

Every ``yield`` lets others have their turn, so 20 to 50 ms should lie between two of them. What is yielded and returned
goes to the page as JSON: tensors and arrays become lists, what is not finite becomes null. A
:class:`~core.settings.SettingError` ends the study with its sentence. ``seen`` is a copy of the model of the run that
was asked about, in evaluation mode; None where there is none. A study has a randomness of its own, so that
``torch.manual_seed`` in it touches no run; context variables and the gradient mode are its own too.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.settings import N_, SettingError

if TYPE_CHECKING:
    from core.inference.checkpoint import Checkpoint

    Study = Callable[[Mapping[str, Any], Checkpoint | None], Generator["Progress", None, Any]]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a study is, from 0 to 1, and what can be shown already; None: nothing new."""

    fraction: float
    partial: Any = None


def names() -> list[str]:
    """The modules that may hold a study."""
    return [entry.name for entry in pkgutil.iter_modules(__path__)]


def find(name: str) -> Study:
    """The study of that name; its module is imported now. Raises :class:`SettingError` when there is none."""
    found: Any = pkgutil.resolve_name(f"{__name__}.{name}") if name in names() else None
    if not hasattr(found, "study"):
        raise SettingError(N_("there is no study “{name}”"), name=name)
    made: Study = found.study
    return made
