"""In which state a run is, and what an action makes of it: the same rule on the server and in the worker.

The server applies it at once, so that the page shows the button that fits; the worker applies it for real.
"""

from __future__ import annotations

from typing import Literal

Status = Literal["ready", "running", "paused", "finished", "stopped", "failed", "lost"]
Action = Literal["train", "pause", "step", "stop"]

OVER: frozenset[Status] = frozenset({"finished", "stopped", "failed"})


def after(status: Status, action: Action, *, steps_left: bool) -> Status:
    """The state after an action; unchanged where the action means nothing. A finished run with steps left goes on."""
    open_again = status in ("ready", "paused") or (status == "finished" and steps_left)
    if action == "train" and open_again:
        return "running"
    if action == "step" and open_again:
        return "paused"
    if action == "pause" and status == "running":
        return "paused"
    if action == "stop" and status not in OVER:
        return "stopped"
    return status
