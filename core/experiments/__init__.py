"""The catalogue: what can be trained, with every setting, its limits and its defaults. Free of torch.

A module of this package that defines ``EXPERIMENT`` is an entry; nothing else has to be registered.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from core.experiments.experiment import Experiment
from core.settings import N_, SettingError

__all__ = ["Experiment", "catalogue", "find"]


@cache
def catalogue() -> dict[str, Experiment]:
    """Every experiment by its name, in the order in which they are taught."""
    modules = (importlib.import_module(f"{__name__}.{entry.name}") for entry in pkgutil.iter_modules(__path__))
    found: list[Experiment] = [module.EXPERIMENT for module in modules if hasattr(module, "EXPERIMENT")]
    return {experiment.name: experiment for experiment in sorted(found, key=lambda experiment: experiment.order)}


def find(name: str) -> Experiment:
    """The experiment of that name. Raises :class:`SettingError` when there is none."""
    if name in catalogue():
        return catalogue()[name]
    known = ", ".join(catalogue())
    raise SettingError(N_("there is no experiment “{name}”; there are {known}"), name=name, known=known)
