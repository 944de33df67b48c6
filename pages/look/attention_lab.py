"""The attention lab: the formula on a sentence, every step of it as a map."""

from core.settings import N_
from core.ui.lab.page import attention_lab

attention_lab(
    N_("Attention lab"),
    N_(
        "The formula of attention on a sentence, step by step in one head. Every map comes from one forward pass of the"
        " model, and any cell is spelled out with its numbers."
    ),
)
