"""MiniGPT: writes on from left to right, one character after another."""

from core.settings import N_
from core.ui.training_page import training_page

training_page(
    "mini_gpt",
    N_(
        "A decoder learns to predict the next character of a text. The causal mask hides what comes later:"
        " switching it acts on the maps at once and on training from the next step."
    ),
    in_sight=["learning_rate", "causal_mask"],
)
