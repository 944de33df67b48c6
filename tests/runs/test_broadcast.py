"""Every watcher ends with the same course, however fast it reads and whatever is cut meanwhile."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.runs.broadcast import Broadcast, Event, Place
from core.runs.history import History
from tests.runs.test_history import report

WATCHERS = 3
tellings = st.tuples(st.just("tell"), st.integers(0, 40), st.integers(0, 5))
readings = st.tuples(st.just("read"), st.integers(0, WATCHERS - 1), st.just(0))


class Watcher:
    """The chart in a browser: cuts back to ``from``, then appends."""

    def __init__(self, event: Event) -> None:
        self.loss: list[float] = []
        self.state: dict[str, Any] = {}
        self.place: Place = event.place
        self.hear(event)

    def hear(self, event: Event) -> None:
        self.state = json.loads(event.data.decode().partition("data: ")[2])
        assert self.state["from"] <= len(self.loss)
        self.loss = self.loss[: self.state["from"]] + self.state["loss"]
        self.place = event.place


def read(broadcast: Broadcast, watcher: Watcher) -> None:
    """Let a watcher read what there is."""
    while (event := broadcast.following(watcher.place)) is not None:
        watcher.hear(event)


@given(st.lists(tellings | readings, max_size=41))
def test_all_watchers_end_with_the_same_course(happenings: list[tuple[str, int, int]]) -> None:
    asyncio.run(watch(happenings))


async def watch(happenings: list[tuple[str, int, int]]) -> None:
    """Let things happen, then let everybody read to the end."""
    history, told = History(), 0
    broadcast = Broadcast(history, lambda: {"told": told}, threading.RLock())
    with broadcast.watching() as woken:
        watchers = [Watcher(broadcast.catch_up(0)) for _ in range(WATCHERS)]
        for kind, which, length in happenings:
            if kind == "read":
                read(broadcast, watchers[which])
                continue
            start, told = min(which, len(history.loss)), told + 1
            news = report(start, start + length)
            history.absorb(news)
            broadcast.tell(news.start)
        for watcher in watchers:
            read(broadcast, watcher)
        await asyncio.sleep(0)
        assert woken.is_set() == (told > 0)
    expected = json.loads(broadcast.catch_up(0).data.decode().partition("data: ")[2])
    assert [watcher.loss for watcher in watchers] == [expected["loss"]] * WATCHERS
    assert [watcher.state["told"] for watcher in watchers] == [told] * WATCHERS


def test_who_keeps_up_is_sent_the_very_same_bytes() -> None:
    async def scene() -> None:
        history = History()
        broadcast = Broadcast(history, dict, threading.RLock())
        with broadcast.watching():
            places = [broadcast.catch_up(0).place for _ in range(WATCHERS)]
            history.absorb(report(0, 7))
            broadcast.tell(0)
            events = [broadcast.following(place) for place in places]
        assert events[0] is not None
        assert all(event is events[0] for event in events)

    asyncio.run(scene())


def test_what_never_changes_is_told_to_newcomers_only() -> None:
    async def scene() -> None:
        history = History()
        broadcast = Broadcast(history, dict, threading.RLock())
        with broadcast.watching():
            watcher = Watcher(broadcast.catch_up(0))  # there is nothing to know yet
            first = dataclasses.replace(report(0, 3), about={"parameters": 17}, snapshots=[0, 2])
            for news in (first, report(3, 5), dataclasses.replace(report(5, 7), snapshots=[0, 4])):
                history.absorb(news)
                broadcast.tell(news.start, snapshots=news.snapshots is not None)
                read(broadcast, watcher)
                assert ("parameters" in watcher.state) == (news is first)
                assert watcher.state.get("snapshots") == news.snapshots
        state = Watcher(broadcast.catch_up(0)).state
        assert (state["parameters"], state["snapshots"]) == (17, [0, 4])

    asyncio.run(scene())
