"""Which pages there are, and where. Adding a page is one line here and its file."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from core.experiments import find
from core.i18n import ROOT
from core.settings import N_
from core.ui.language import _


@dataclass(frozen=True)
class Entry:
    """One page: its file under pages/, its name in the menu, its icon and what it is for."""

    file: str
    title: str
    icon: str
    about: str = ""

    @property
    def url(self) -> str:
        """The page's path: the file's name with dashes."""
        return self.file.rsplit("/", 1)[-1].replace("_", "-")

    def page(self) -> StreamlitPage:
        """The page as Streamlit knows it, in the language on screen."""
        return st.Page(
            ROOT / "pages" / f"{self.file}.py",
            title=_(self.title),
            icon=f":material/{self.icon}:",
            url_path=self.url,
            default=self.file == "home",
        )


def _training(experiment: str, icon: str) -> Entry:
    found = find(experiment)
    return Entry(f"train/{experiment}", found.title, icon, found.summary)


HOME = Entry("home", N_("Home"), "home")
TRAIN = (
    _training("tiny_transformer", "looks_3"),
    _training("mini_bert", "select"),
    _training("mini_gpt", "edit_note"),
    _training("seq2seq", "compare_arrows"),
)
LOOK = (
    Entry("look/attention_lab", N_("Attention lab"), "calculate"),
    Entry("look/architectures", N_("Architectures"), "account_tree"),
    Entry("look/positions", N_("Positions"), "format_list_numbered"),
)
TRY = (Entry("try/mistakes", N_("Common mistakes"), "healing"), Entry("try/runs", N_("Runs"), "stacked_line_chart"))
SECTIONS: dict[str, tuple[Entry, ...]] = {"": (HOME,), N_("Train"): TRAIN, N_("Look"): LOOK, N_("Try"): TRY}


def pages() -> dict[str, list[StreamlitPage]]:
    """The menu, section by section."""
    return {_(section) if section else "": [entry.page() for entry in entries] for section, entries in SECTIONS.items()}
