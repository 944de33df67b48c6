"""What the page of runs knows between two runs of its script, and what its buttons do. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.experiments import Experiment, find
from core.settings import N_, changed
from core.ui import corpus, session
from core.ui.language import _
from core.ui.session import KeptRun
from core.ui.words import Sentence, sentence

if TYPE_CHECKING:
    from core.ui.runs.sweep import Sweep, Texts

STATE = "_page_runs"
LONGEST_NAME = 60  # characters


@dataclass
class Deleted:
    """A run that was deleted last, with what it takes to bring it back."""

    kept: KeptRun
    place: int  # among the kept ones
    page: str | None  # the page whose own it was
    trained: bool  # whether it was training


@dataclass
class Shelf:
    """The page of runs in one session."""

    chosen: list[str] = field(default_factory=list)  # ids of the runs that are marked in the table, as they stand there
    measure: str = "training_loss"
    deleted: list[Deleted] = field(default_factory=list)
    told: Sentence | None = None  # what the last button did
    trouble: Sentence | None = None  # why the last one could not do it
    views: dict[str, Any] = field(default_factory=dict)  # experiment -> how two of its runs are looked at
    everything: bool = False  # whether all settings of two runs are listed, or only those that differ
    notices: list[Sentence] = field(default_factory=list)  # what was wrong with the link
    drawn: list[str] = field(default_factory=list)  # the ids of the rows on screen
    sweep: Sweep | None = None  # the last one
    texts: Texts | None = None  # what a run wrote at several temperatures
    brought: int = 0  # how many checkpoints have been brought
    refused: Sentence | None = None  # why the last one was not taken
    not_taken: dict[str, Sentence] = field(default_factory=dict)  # run id -> why its weights could not be taken away

    def view(self, experiment: Experiment, settings: Any) -> Any:
        """How two runs of an experiment are looked at; at first with the sentence that their corpus opens with."""
        if experiment.name not in self.views:
            offered = {"prompt": corpus.opening(experiment, settings)}
            self.views[experiment.name] = changed(experiment.view(), offered)
        return self.views[experiment.name]

    def change_view(self, experiment: Experiment, **changes: Any) -> None:
        """Look in another way. Raises :class:`core.settings.SettingError`."""
        self.views[experiment.name] = changed(self.views[experiment.name], changes)


def shelf() -> Shelf:
    """The page of runs in this session."""
    found: Shelf = st.session_state.setdefault(STATE, Shelf())
    return found


def name_of(kept: KeptRun) -> str:
    """What a run is called, as plain words."""
    return kept.name or f"{_(find(kept.run.experiment).title)} {kept.number}"


def listed() -> list[KeptRun]:
    """Every run of the tab, newest first."""
    return session.runs().listed()[::-1]


def chosen(here: Shelf) -> list[KeptRun]:
    """The runs that are marked, newest first. What is gone meanwhile is no longer marked."""
    return [one for one in listed() if one.run.id in here.chosen]


def rename(here: Shelf, kept: KeptRun, name: str) -> None:
    """Call a run by a person's own words; without any it is called by its number again."""
    kept.name = " ".join(name.split())[:LONGEST_NAME]
    here.told, here.trouble = None, None


def delete(here: Shelf) -> None:
    """Take the marked runs from the table. They can be brought back until others are deleted."""
    forget_deleted(here)
    own = session.runs()
    for kept in chosen(here):
        page = next((page for page, run in own.by_page.items() if run is kept.run), None)
        here.deleted.append(Deleted(kept, own.kept.index(kept), page, kept.run.status == "running"))
        if here.deleted[-1].trained:
            kept.run.control("pause")
    for one in here.deleted:
        if one.page is not None:
            del own.by_page[one.page]
        own.kept.remove(one.kept)
        own.spared.append(one.kept.run)
    here.chosen, here.trouble = [], None
    names = ", ".join(name_of(one.kept) for one in here.deleted)
    here.told = sentence(N_("Deleted: {names}."), names=names)


def undo(here: Shelf) -> None:
    """Bring back what was deleted last; what trained goes on."""
    own = session.runs()
    for one in reversed(here.deleted):
        own.kept.insert(min(one.place, len(own.kept)), one.kept)
        if one.page is not None:
            own.by_page.setdefault(one.page, one.kept.run)
        if one.trained:
            one.kept.run.control("train")
    here.chosen = [one.kept.run.id for one in here.deleted]
    own.spared.clear()
    here.deleted, here.told = [], None


def forget_deleted(here: Shelf) -> None:
    """What was deleted before can no longer be brought back."""
    for one in here.deleted:
        session.runs().let_go(one.kept)
    session.runs().spared.clear()
    here.deleted = []
