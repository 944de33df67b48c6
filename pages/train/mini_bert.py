"""MiniBERT: fills in hidden characters, reading both sides."""

from core.settings import N_
from core.ui.training_page import training_page

training_page(
    "mini_bert",
    N_(
        "Characters of a text are hidden, and an encoder learns to fill them in from both sides. Type _ for a"
        " blank and see which characters the model would put there."
    ),
    in_sight=["learning_rate", "mask_rate", "mask_share", "random_share"],
)
