"""Every run of this tab: compared, renamed, swept, taken away and brought back."""

from core.settings import N_
from core.ui.runs.page import runs_page

runs_page(
    N_("Runs"),
    N_(
        "Every run of this tab, with its settings and what it has come to. Draw the curves of several over each other,"
        " or put two side by side and let both read one sentence."
    ),
)
