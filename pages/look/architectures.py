"""Architectures: their masks, their sizes, and what sets attention apart from what came before."""

from core.settings import N_
from core.ui.architectures.page import architectures_page

architectures_page(
    N_("Architectures"),
    N_(
        "Encoder, decoder and both; attention beside an RNN and a CNN. Predict, then measure: every figure comes from"
        " code that has just run here."
    ),
)
