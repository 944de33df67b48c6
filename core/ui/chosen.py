"""What is chosen on a page that has no experiment: a small group of settings, kept for the session and in the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.settings import changed, describe, difference, setting
from core.ui import address, forms, language, links
from core.ui.words import Sentence


@dataclass
class Chosen:
    """A page's view between two runs of its script. ``view`` is a group of settings."""

    page: str
    start: Any  # on which nothing has been chosen
    view: Any
    bare: Any  # what the address without parameters stood for when the page was last entered by it
    notices: list[Sentence] = field(default_factory=list)

    def change(self, name: str, value: Any) -> None:
        """Choose otherwise. Raises :class:`core.settings.SettingError`."""
        self.view = changed(self.view, {name: value})

    def control(self, name: str) -> None:
        """The control of a setting of the view."""
        forms.control(setting(self.view, name), getattr(self.view, name), self.change)

    def leave(self) -> None:
        """Write the address at the end of a run."""
        address.write(self.page, write(self.start, self.view) | language.parameters())


def enter(page: str, start: Any) -> Chosen:
    """What is chosen on the page, its address read when it has to be."""
    here: Chosen = st.session_state.setdefault(f"_page_{page}", Chosen(page, start, start, start))
    parameters = address.read(page)
    if parameters is None:
        return here
    if own := links.own(parameters):
        here.view, here.notices = read(start, own)
    elif address.history().entered:
        here.bare, here.notices = here.view, []
    else:
        here.view, here.notices = here.bare, []
    here.notices += language.notices()
    return here


def read(start: Any, parameters: Mapping[str, str]) -> tuple[Any, list[Sentence]]:
    """What a link chooses, and a notice for everything in it that cannot be."""
    notices: list[Sentence] = []
    view = links.taken(start, parameters, notices)
    known = {one.name for one in describe(start)} | links.ELSEWHERE
    if strange := [name for name in parameters if name not in known]:
        notices.append(links.unknown(strange))
    return view, notices


def write(start: Any, view: Any) -> dict[str, str]:
    """The parameters of the link; :func:`read` reads them back. A very long text is left out."""
    different = difference(start, view)
    found = {one.name: one.write(getattr(view, one.name)) for one in describe(view) if one.name in different}
    return {name: value for name, value in found.items() if len(value) <= links.LONGEST}
