"""The words of the component ``time``, in the language on screen."""

from __future__ import annotations

from core.ui.language import _


def labels() -> dict[str, str]:
    """Everything that the browser writes on the scrubber. Places in braces are filled there."""
    return {
        "slider": _("Step of the training that is looked at"),
        "play": _("Play the training (space bar)"),
        "pause": _("Pause (space bar)"),
        "next": _("Next snapshot (space bar)"),
        "speed": _("Speed"),
        "newest": _("Go to the newest step"),
        "newest_short": _("newest"),
        "at": _("step {step}"),
        "at_newest": _("newest: step {step}"),
        "loss": _("loss {loss}"),
        "some": _("{have} of {all} snapshots read"),
        "full": _("{have} of {all} snapshots fit into memory"),
        "not_yet": _("What the run learns can be looked back at here, step by step."),
        "from_file": _("These weights come from a file: their past was not kept."),
        "no_run": _("There is no run to look back at yet."),
    }
