"""One course, many watchers: an event is written once, and whoever has fallen behind is helped to catch up."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.runs.history import History

DIGITS = 6  # significant digits of a number that is only drawn


@dataclass(frozen=True)
class Place:
    """How far a watcher has followed: the version it has seen, the steps it knows, the cuts there had been."""

    version: int
    steps: int
    cuts: int


@dataclass(frozen=True)
class Event:
    """What a watcher is sent, and its place afterwards."""

    data: bytes
    place: Place


class Broadcast:
    """The server-sent events of a history that grows. ``state`` gives what else an event tells.

    Told from any thread; watched from event loops. ``lock`` is the one under which history and state change.
    """

    def __init__(self, history: History, state: Callable[[], dict[str, Any]], lock: threading.RLock) -> None:
        self._history = history
        self._state = state
        self._lock = lock
        self._watchers: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._version = 0
        self._last: tuple[int, Event] | None = None  # the newest event and the version it follows
        self.closed = False

    @property
    def watchers(self) -> int:
        """How many are watching."""
        return len(self._watchers)

    def tell(self, start: int | None = None, *, snapshots: bool = False) -> None:
        """Something happened: the steps after ``start``, or only the state has changed; other ``snapshots`` too."""
        with self._lock:
            before = self._version
            self._version += 1
            start = self._end if start is None else start
            event = self._event(start, about=start == 0, snapshots=snapshots) if self._watchers else None
            self._last = None if event is None else (before, event)
            self._wake()

    def close(self) -> None:
        """Let every stream end, for good."""
        with self._lock:
            self.closed = True
            self._wake()

    @contextmanager
    def watching(self, woken: asyncio.Event | None = None) -> Iterator[asyncio.Event]:
        """An event of the running loop that is set whenever there may be something new; one's own, or a new one."""
        woken = asyncio.Event() if woken is None else woken
        with self._lock:
            self._watchers[woken] = asyncio.get_running_loop()
        try:
            yield woken
        finally:
            with self._lock:
                del self._watchers[woken]

    def catch_up(self, steps: int) -> Event:
        """Everything after so many steps, and what never changes."""
        with self._lock:
            return self._event(steps, about=True, snapshots=True)

    def following(self, place: Place) -> Event | None:
        """What a watcher at that place is sent next; None when it knows everything.

        Who keeps up is sent the very bytes that everybody else is sent; who has fallen behind gets an event of its own,
        from the start if the history was cut meanwhile.
        """
        with self._lock:
            if place.version == self._version:
                return None
            if self._last is not None and self._last[0] == place.version:
                return self._last[1]
            steps = place.steps if place.cuts == self._history.cuts else 0
            return self._event(steps, about=steps == 0, snapshots=True)

    @property
    def _end(self) -> int:
        return len(self._history.loss)

    def _wake(self) -> None:
        for woken, loop in self._watchers.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)

    def _event(self, start: int, *, about: bool, snapshots: bool) -> Event:
        content = self._history.since(start)
        drawn = {name: [_rounded(value) for value in content[name]] for name in ("loss", "learning_rate")}
        seldom = (self._history.about if about else {}) | ({"snapshots": self._history.snapshots} if snapshots else {})
        written = json.dumps(content | drawn | seldom | self._state(), ensure_ascii=False, separators=(",", ":"))
        place = Place(self._version, self._end, self._history.cuts)
        return Event(f"id: {place.steps}\ndata: {written}\n\n".encode(), place)


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
