"""What a page knows between two runs of its script, kept apart from its widgets and apart from other pages.

Widgets have the same keys on every page (links and tests rely on it), and Streamlit forgets a widget that is not
drawn. So the page's own state is the truth: a widget is aligned with it before it is drawn, and a person's change
reaches it by the widget's callback, which Streamlit calls before the script runs. Nothing else writes either of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.experiments import Experiment, find
from core.settings import changed
from core.ui import address, language, links
from core.ui.words import Sentence


@dataclass
class Page:
    """One experiment's page in one session."""

    experiment: Experiment
    choice: links.Choice
    bare: links.Choice  # what the address without parameters stood for when the page was last entered by it
    notices: list[Sentence] = field(default_factory=list)  # what was wrong with the link
    told: Sentence | None = None  # what the last button did
    shows_shipped: bool | None = None  # whether the shipped checkpoint is looked at; None: as the settings decide
    draft: str = ""  # the text that is being prepared as a corpus
    own_text: str = ""  # the text that was taken as the corpus last; the settings hold it while it is the corpus
    trouble: Sentence | None = None  # why a text could not be taken
    clicked: tuple[int, int] | None = None  # layer and head of the small map that was clicked last

    @property
    def settings(self) -> Any:
        """The training settings as the controls show them."""
        return self.choice.settings

    @property
    def view(self) -> Any:
        """The view settings as the controls show them."""
        return self.choice.view

    def change_settings(self, changes: Mapping[str, Any]) -> None:
        """Put other training settings on the controls. Raises :class:`core.settings.SettingError`."""
        settings = changed(self.settings, changes)
        if getattr(settings, "corpus", "") == links.OWN:
            settings = changed(settings, {"own_text": self.own_text})
        self.choice = links.Choice(self.choice.recipe, links.without_text(settings), self.view)

    def change_view(self, changes: Mapping[str, Any]) -> None:
        """Look in another way. Raises :class:`core.settings.SettingError`."""
        self.choice = links.Choice(self.choice.recipe, self.settings, changed(self.view, changes))

    def choose_recipe(self, recipe: str) -> None:
        """Take from a recipe what recipes differ in; the rest (seed, corpus, shape of the model …) stays."""
        named = {name for values in self.experiment.recipes.values() for name in values}
        standard = self.experiment.defaults(recipe)
        changes = {name: getattr(standard, name) for name in named}
        self.choice = links.Choice(recipe, changed(self.settings, changes), self.view)


def state(name: str) -> Page:
    """The page of an experiment in this session."""
    key = f"_page_{name}"
    if key not in st.session_state:
        experiment = find(name)
        start = links.standard(experiment)
        st.session_state[key] = Page(experiment, start, start)
    found: Page = st.session_state[key]
    return found


def enter(name: str) -> Page:
    """The page, its address read when it has to be."""
    page = state(name)
    parameters = address.read(name)
    if parameters is None:
        return page
    own = links.own(parameters)
    if own:
        page.choice, page.notices = links.read(page.experiment, own, page.own_text)
        page.shows_shipped = None
    elif address.history().entered:
        page.bare, page.notices = page.choice, []
    else:
        page.choice, page.notices = page.bare, []
    page.notices += language.notices()
    return page


def leave(page: Page) -> None:
    """Write the address at the end of a run."""
    address.write(page.experiment.name, links.write(page.experiment, page.choice) | language.parameters())
