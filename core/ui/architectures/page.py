"""The page of architectures: one part at a time, each begun by a prediction."""

from __future__ import annotations

from dataclasses import dataclass

from core.settings import N_, choice, integer
from core.ui.architectures.length import length
from core.ui.architectures.masks import masks
from core.ui.architectures.recall import recall
from core.ui.architectures.sizes import sizes
from core.ui.parts import Part, parts_page

PAGE = "architectures"
PARTS = {
    "masks": Part(masks, ("tokens", "padding")),
    "recall": Part(recall, ("length", "seed")),
    "length": Part(length),
    "sizes": Part(sizes),
}


@dataclass(frozen=True, kw_only=True)
class ArchitecturesView:
    """Everything chosen on the page."""

    part: str = choice(
        "masks",
        {
            "masks": N_("Masks"),
            "recall": N_("RNN, CNN, attention"),
            "length": N_("As length grows"),
            "sizes": N_("BERT counted"),
        },
        N_("Part"),
        N_("Each part asks for a prediction and then measures."),
    )
    tokens: int = integer(6, 2, 16, N_("Tokens"), N_("How many tokens the sequence has."))
    padding: int = integer(0, 0, 15, N_("Padding"), N_("How many of the last tokens only fill the batch up."))
    length: str = choice(
        "32",
        {"8": "8", "16": "16", "32": "32", "64": "64"},
        N_("Length"),
        N_("How far back the first symbol is when the last has been read."),
    )
    seed: int = integer(0, 0, 2**31 - 1, N_("Seed"), N_("Fixes the first weights and the sequences."))


def architectures_page(title: str, prose: str) -> None:
    """Draw the page; ``title`` and ``prose`` are marked strings."""
    parts_page(PAGE, ArchitecturesView(), PARTS, title, prose)
