"""What the page of mistakes knows between two runs of its script: what is chosen, and what was predicted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from core.experiments.mistakes import MISTAKES, MOST_SEEDS, Mistake, Variant
from core.settings import N_, changed, choice, describe, difference, integer, text
from core.ui import address, language, links
from core.ui.words import Sentence, sentence

PAGE, STATE = "mistakes", "_page_mistakes"


@dataclass(frozen=True, kw_only=True)
class MistakeView:
    """Everything chosen on the page."""

    mistake: str = choice(
        next(iter(MISTAKES)),
        {name: one.title for name, one in MISTAKES.items()},
        N_("Mistake"),
        N_("Which mistake is made on purpose, beside its correction."),
    )
    variant: str = text(
        "", N_("Tried on"), N_("The setting in which both are trained: some mistakes only hurt in some.")
    )
    seeds: int = integer(
        2,
        1,
        MOST_SEEDS,
        N_("Seeds"),
        N_("How many pairs are trained, each from first weights of its own: some outcomes depend on them."),
    )


@dataclass
class Bench:
    """The page in one session."""

    view: MistakeView = field(default_factory=MistakeView)
    predictions: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)  # pair -> measure -> outcome
    notices: list[Sentence] = field(default_factory=list)

    @property
    def mistake(self) -> Mistake:
        """The mistake on screen."""
        return MISTAKES[self.view.mistake]

    @property
    def code(self) -> str:
        """The name of the pair on screen among its mistake's."""
        known = self.mistake.variants
        return self.view.variant if self.view.variant in known else next(iter(known))

    @property
    def variant(self) -> Variant:
        """The pair on screen."""
        return self.mistake.variants[self.code]

    @property
    def predicted(self) -> dict[str, str]:
        """What was predicted of it, by measure."""
        return self.predictions.setdefault((self.view.mistake, self.code), {})

    @property
    def key(self) -> str:
        """Of its study."""
        return f"twins_{self.view.mistake}_{self.code}"

    def change(self, **values: object) -> None:
        """Choose. Raises :class:`core.settings.SettingError`."""
        self.view = changed(self.view, values)


def enter() -> Bench:
    """The page's state, its address read when it has to be."""
    here: Bench = st.session_state.setdefault(STATE, Bench())
    parameters = address.read(PAGE)
    if parameters is not None:
        if links.own(parameters):
            here.view, here.notices = read(parameters)
        elif not address.history().entered:
            here.view, here.notices = MistakeView(), []
        else:
            here.notices = []
        here.notices += language.notices()
    return here


def read(parameters: Mapping[str, str]) -> tuple[MistakeView, list[Sentence]]:
    """What a link chooses, and a notice for everything in it that cannot be."""
    notices: list[Sentence] = []
    view = links.taken(MistakeView(), parameters, notices)
    known = MISTAKES[view.mistake].variants
    if view.variant and view.variant not in known:
        wrong = sentence(
            N_("{name} is one of {choices}, not “{value}”"),
            name="variant",
            choices=", ".join(known),
            value=view.variant,
        )
        notices.append(links.replaced(wrong, next(iter(known))))
        view = changed(view, {"variant": ""})
    names = {one.name for one in describe(MistakeView)} | links.ELSEWHERE
    if strange := [name for name in parameters if name not in names]:
        notices.append(links.unknown(strange))
    return view, notices


def write(here: Bench) -> dict[str, str]:
    """The parameters of the link; :func:`read` reads them back. The first variant is left out."""
    standard = next(iter(here.mistake.variants))
    view = changed(here.view, {"variant": "" if here.code == standard else here.code})
    start = MistakeView()
    return {
        one.name: one.write(getattr(view, one.name)) for one in describe(view) if one.name in difference(start, view)
    }
