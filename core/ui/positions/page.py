"""The page of positions: one part at a time, each begun by a prediction."""

from __future__ import annotations

from dataclasses import dataclass

from core.settings import N_, choice, integer, text
from core.ui.parts import Part, parts_page
from core.ui.positions.order import order
from core.ui.positions.stretch import stretch
from core.ui.positions.waves import waves

PAGE = "positions"
PARTS = {
    "waves": Part(waves, ("kind",)),
    "order": Part(order, ("change", "prompt")),
    "stretch": Part(stretch, ("seed",)),
}


@dataclass(frozen=True, kw_only=True)
class PositionsView:
    """Everything chosen on the page."""

    part: str = choice(
        "waves",
        {
            "waves": N_("What they look like"),
            "order": N_("Permute a sentence"),
            "stretch": N_("Past the trained length"),
        },
        N_("Part"),
        N_("Each part asks for a prediction and then measures."),
    )
    kind: str = choice(
        "sinusoidal",
        {"sinusoidal": N_("sinusoidal"), "learned": N_("learned"), "rope": "RoPE", "alibi": "ALiBi"},
        N_("Positions"),
        N_("Every kind can be chosen in the settings of the models, and none as well."),
    )
    prompt: str = text("dogs chase black cats", N_("Sentence"), N_("Words are permuted; without spaces, characters."))
    change: str = choice(
        "swap",
        {"swap": N_("first ↔ last"), "reverse": N_("reverse")},
        N_("Permutation"),
        N_("What is done to the order of the tokens."),
    )
    seed: int = integer(0, 0, 2**31 - 1, N_("Seed"), N_("Fixes the first weights and the batches."))


def positions_page(title: str, prose: str) -> None:
    """Draw the page; ``title`` and ``prose`` are marked strings."""
    parts_page(PAGE, PositionsView(), PARTS, title, prose)
