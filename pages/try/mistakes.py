"""Common mistakes, made on purpose beside their corrections."""

from core.settings import N_
from core.ui.mistakes.page import mistakes_page

mistakes_page(
    N_("Common mistakes"),
    N_(
        "The mistakes that everybody makes once, each trained beside its correction. Predict what it does to each"
        " measure; some do nothing at all, and one of the losses often lies."
    ),
)
