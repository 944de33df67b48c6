"""How fast a run gets on, of its own time: pauses do not count, the turns of other runs do."""

from __future__ import annotations

import math

MEMORY = 3.0  # seconds after which an older step counts for 1/e in the pace


class Pace:
    """Steps a second, smoothed, and the seconds spent."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self._since: float | None = None
        self._steps = 0.0
        self._spent = 0.0

    def begin(self, now: float) -> None:
        """The run goes on; means nothing when it already does."""
        if self._since is None:
            self._since = now

    def step(self, now: float) -> None:
        """A step was made."""
        elapsed = now - (self._since if self._since is not None else now)
        fade = math.exp(-elapsed / MEMORY)
        self._since = now
        self._steps = self._steps * fade + 1
        self._spent = self._spent * fade + elapsed
        self.seconds += elapsed

    def rest(self) -> None:
        """The run pauses or ends: time stands still until :meth:`begin`."""
        self._since = None

    @property
    def per_second(self) -> float | None:
        """Steps a second; None before the first step."""
        return self._steps / self._spent if self._spent > 0 else None

    def left(self, steps: int) -> float | None:
        """The seconds that so many steps will take; None before the first step."""
        pace = self.per_second
        return None if pace is None else max(0, steps) / pace
