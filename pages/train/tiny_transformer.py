"""TinyTransformer: a question about digits, such as whether there is a 3 among them."""

from core.settings import N_
from core.ui.training_page import training_page

training_page(
    "tiny_transformer",
    N_(
        "From random digits an encoder learns to answer a question: is there a 3 among them? Change a digit and see"
        " where each head looks and what the model answers."
    ),
    in_sight=["question", "readout", "learning_rate", "dropout"],
)
