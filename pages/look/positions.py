"""Positions: how a model knows the order of its tokens, and what happens when it does not."""

from core.settings import N_
from core.ui.positions.page import positions_page

positions_page(
    N_("Positions"),
    N_(
        "How a model knows the order of its tokens: sinusoidal, learned, RoPE, ALiBi, or not at all. Predict, then"
        " measure: every figure comes from code that has just run here."
    ),
)
