"""What an entry of the catalogue says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.settings import N_, SettingError, Value, changed


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A model, what it learns, and every setting of both.

    ``model``, ``task`` and ``objective`` are import paths (``module:name``) that the Trainer resolves; the face never
    does. ``recipes`` hold what a recipe changes in the defaults of ``settings``.
    """

    name: str
    order: int
    title: str
    summary: str
    model: str
    task: str
    objective: str
    settings: type[Any]  # a frozen dataclass: what training depends on
    view: type[Any]  # a frozen dataclass: what looking depends on (sentence, layer, head, temperature …)
    recipes: Mapping[str, Mapping[str, Value]]
    metrics: Mapping[str, str] = field(default_factory=dict)  # metric -> label, beyond the two losses
    generates: bool = False  # writes on from a text
    answers: bool = False  # writes an answer to a text

    def defaults(self, recipe: str = "document") -> Any:
        """The settings of a recipe. Raises :class:`SettingError` when there is no such recipe."""
        if recipe not in self.recipes:
            known = ", ".join(self.recipes)
            raise SettingError(N_("there is no recipe “{name}”; there are {known}"), name=recipe, known=known)
        return changed(self.settings(), self.recipes[recipe])
