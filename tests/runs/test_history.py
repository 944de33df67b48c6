"""A history is the same however its reports were cut, and after a run went back to an earlier step."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from core.runs.history import History, Report


def report(start: int, end: int) -> Report:
    """Steps start + 1 to end of a course in which everything can be told from the step."""
    steps = range(start + 1, end + 1)
    return Report(
        run="run",
        start=start,
        loss=[1 / step for step in steps],
        learning_rate=[step / 7 for step in steps],
        evaluations=[{"step": step, "accuracy": step / 11} for step in steps if step % 5 == 0],
        marks=[{"step": step, "setting": "dropout", "value": step / 13} for step in steps if step % 3 == 0],
        step=end,
        steps=101,
        status="running",
        reason=None,
        tokens=17 * end,
        steps_per_second=None,
        seconds=0.0,
        seconds_left=None,
    )


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 13)), min_size=1))
def test_reports_add_up_to_the_last_course(moves: list[tuple[int, int]]) -> None:
    history, end, cuts = History(), 0, 0
    for place, length in moves:
        start = min(place, end)  # a resumed run goes back, it never jumps ahead
        cuts += start < end
        end = start + length
        history.absorb(report(start, end))
    straight = History()
    straight.absorb(report(0, end))
    assert history.since(0) == straight.since(0)
    assert history.cuts == cuts


@given(st.integers(0, 40), st.integers(0, 50))
def test_what_a_client_knows_and_what_came_since_are_everything(end: int, known: int) -> None:
    history, client = History(), History()
    history.absorb(report(0, end))
    client.absorb(report(0, known))  # it may know more: of a course that was cut since
    news = history.since(known)
    assert news["from"] <= known
    kept = client.since(0)
    for name in ("loss", "learning_rate"):
        assert kept[name][: news["from"]] + news[name] == history.since(0)[name]
    for name in ("evaluations", "marks"):
        assert [one for one in kept[name] if one["step"] <= news["from"]] + news[name] == history.since(0)[name]


def test_what_seldom_changes_is_kept_until_it_does() -> None:
    history = History()
    history.absorb(dataclasses.replace(report(0, 3), about={"parameters": 17}, snapshots=[0, 2]))
    history.absorb(report(3, 5))
    assert (history.about, history.snapshots) == ({"parameters": 17}, [0, 2])
    history.absorb(dataclasses.replace(report(5, 7), snapshots=[0, 4]))
    assert (history.about, history.snapshots) == ({"parameters": 17}, [0, 4])
