"""What is chosen on the page of mistakes: the mistake, the pair that it is tried on, and how many seeds."""

from __future__ import annotations

from dataclasses import dataclass

from core.experiments.mistakes import MOST_SEEDS, Mistake, Variant
from core.experiments.mistakes_made import MISTAKES
from core.settings import N_, choice, integer, setting, text
from core.ui import chosen, links
from core.ui.chosen import Chosen
from core.ui.words import sentence

PAGE = "mistakes"


@dataclass(frozen=True, kw_only=True)
class MistakeView:
    """Everything chosen on the page. Without a ``variant`` it is the mistake's first."""

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


@dataclass(frozen=True)
class Bench:
    """The page in one session, while its script runs."""

    chosen: Chosen

    @property
    def view(self) -> MistakeView:
        """What is chosen."""
        view: MistakeView = self.chosen.view
        return view

    @property
    def mistake(self) -> Mistake:
        """The mistake on screen."""
        return MISTAKES[self.view.mistake]

    @property
    def code(self) -> str:
        """The name of the pair on screen among its mistake's."""
        return self.view.variant or next(iter(self.mistake.variants))

    @property
    def variant(self) -> Variant:
        """The pair on screen."""
        return self.mistake.variants[self.code]

    @property
    def key(self) -> str:
        """Of its study."""
        return f"twins_{self.view.mistake}_{self.code}"

    def turn(self, mistake: str) -> None:
        """Another mistake, with its own first variant."""
        self.chosen.change("mistake", mistake)
        self.chosen.change("variant", "")

    def try_on(self, code: str) -> None:
        """Another pair. The first one has no name in the link."""
        self.chosen.change("variant", "" if code == next(iter(self.mistake.variants)) else code)


def enter() -> Bench:
    """The page's choices. A pair that its mistake does not have is replaced, and said."""
    here = Bench(chosen.enter(PAGE, MistakeView()))
    known = here.mistake.variants
    if (asked := here.view.variant) and asked not in known:
        wrong = sentence(
            N_("{name} is one of {choices}, not “{value}”"),
            name=setting(here.view, "variant").name,
            choices=", ".join(known),
            value=asked,
        )
        here.chosen.notices.append(links.replaced(wrong, next(iter(known))))
        here.chosen.change("variant", "")
    return here
