"""Encoder–decoder: reads a sum and writes its answer, one digit after another."""

from core.settings import N_
from core.ui.training_page import training_page

training_page(
    "seq2seq",
    N_(
        "An encoder reads a sum, a decoder writes the answer token by token. Type another sum and see what each digit"
        " looks at: in the sum (encoder), in what is written already (decoder), and from there into the sum (cross)."
    ),
    in_sight=["exercise", "digits", "answer", "learning_rate"],
)
