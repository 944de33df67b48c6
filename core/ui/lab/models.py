"""Which models the lab can open: pre-trained ones of the owner's folder, this tab's own runs, and those that ship.

A code names a model in links: ``pretrained.NAME``, ``own.EXPERIMENT`` or ``shipped.EXPERIMENT``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.experiments import Experiment, catalogue
from core.experiments.pretrained import EXAMPLE, NAME, OTHER_EXAMPLE, PRETRAINED, models, read_settings
from core.runs.run import Run
from core.settings import N_, SettingError
from core.ui import session
from core.ui.corpus import opening
from core.ui.words import Sentence, problem, sentence

FAVOURITE = "shipped.mini_gpt"
OWN, SHIPPED = "own", "shipped"


@dataclass(frozen=True)
class Example:
    """A sentence to begin with, and the query and the key to ask about, named by their tokens."""

    text: str
    words: tuple[str, str] | None = None


@dataclass(frozen=True)
class Model:
    """One model that can be chosen."""

    code: str
    title: Sentence
    experiment: Experiment
    settings: Any  # None when the folder holds no BERT
    run: Run | None  # not for a pre-trained one, which is loaded when it is opened
    trouble: Sentence | None = None

    @property
    def examples(self) -> tuple[Example, ...]:
        """Sentences to begin with, the first one first."""
        if self.experiment is PRETRAINED:
            return Example(EXAMPLE, ("it", "animal")), Example(OTHER_EXAMPLE, ("it", "animal"))
        return (Example(opening(self.experiment, self.settings)),)

    @property
    def layers(self) -> int:
        """How many layers of attention it has."""
        return len(self.attention_layers())

    def attention_layers(self) -> tuple[str, ...]:
        """They by their names."""
        return ("0",) if self.settings is None else tuple(self.settings.attention_layers())

    def alike(self, one: int, other: int) -> bool:
        """Whether two layers join the same tokens: of an encoder–decoder, whether they are of one kind."""
        kinds = [name.rpartition(" ")[0] for name in self.attention_layers()]
        return kinds[one] == kinds[other]

    @property
    def heads(self) -> int:
        """How many heads a layer has."""
        return int(getattr(self.settings, "heads", 1))

    @property
    def causal_mask(self) -> bool:
        """Whether it was trained with a causal mask: an encoder–decoder in its decoder."""
        return bool(getattr(self.settings, "causal_mask", self.experiment.answers))

    @property
    def has_positions(self) -> bool:
        """Whether positions are added to its tokens."""
        return getattr(self.settings, "positions", "learned") != "none"


def available() -> dict[str, Model]:
    """Every model by its code, in the order in which they are offered."""
    found = [*_pretrained(), *_own(), *_shipped()]
    return {model.code: model for model in found}


def first(offered: dict[str, Model]) -> str:
    """The code of the model that is shown when none is chosen."""
    ready = [code for code, model in offered.items() if model.code.startswith(NAME) and model.trouble is None]
    if ready:
        return ready[0]
    return FAVOURITE if FAVOURITE in offered else next(iter(offered), "")


def opened(model: Model) -> tuple[Run | None, Sentence | None]:
    """The model's run, loaded when it is opened for the first time; or why there is none."""
    if model.trouble is not None or model.experiment is not PRETRAINED:
        return model.run, model.trouble
    try:
        run = session.pool().pretrained(model.code.removeprefix(f"{NAME}."))
    except SettingError as error:
        return None, problem(error)
    if run is not None and run.problem is not None:
        if isinstance(run.problem, SettingError):
            return None, problem(run.problem)
        return None, sentence(N_("This model could not be loaded."))
    return run, None


def _pretrained() -> list[Model]:
    found = []
    for name, folder in models().items():
        title = sentence(N_("{name} (pre-trained)"), name=name)
        try:
            settings, trouble = read_settings(folder), None
        except SettingError as error:
            settings, trouble = None, problem(error)
        found.append(Model(f"{NAME}.{name}", title, PRETRAINED, settings, None, trouble))
    return found


def _own() -> list[Model]:
    found = []
    for name, experiment in catalogue().items():
        run = session.runs().by_page.get(name)
        if run is not None and session.pool().find(run.id) is not None:
            title = sentence(N_("{name} (your run)"), name=sentence(experiment.title))
            found.append(Model(f"{OWN}.{name}", title, experiment, run.settings, run))
    return found


def _shipped() -> list[Model]:
    found = []
    for name, experiment in catalogue().items():
        run = session.pool().shipped(name)
        if run is not None:
            title = sentence(N_("{name} (shipped)"), name=sentence(experiment.title))
            found.append(Model(f"{SHIPPED}.{name}", title, experiment, run.settings, run))
    return found
