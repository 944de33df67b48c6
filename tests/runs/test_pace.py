"""The pace is of the run's own time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.pace import Pace
from core.runs.status import OVER, Action, Status, after


@given(
    st.floats(0.001, 3.0),
    st.lists(st.tuples(st.integers(1, 17), st.floats(0, 1000)), min_size=1),
)
def test_a_steady_run_shows_its_pace_and_pauses_do_not_count(each: float, stretches: list[tuple[int, float]]) -> None:
    pace, now, steps = Pace(), 0.0, 0
    for count, pause in stretches:
        pace.begin(now)
        for _ in range(count):
            now += each
            pace.step(now)
        steps += count
        pace.rest()
        now += pause
    assert pace.per_second == pytest.approx(1 / each, rel=1e-6)
    assert pace.seconds == pytest.approx(steps * each, rel=1e-6)
    assert pace.left(23) == pytest.approx(23 * each, rel=1e-6)


def test_before_the_first_step_nothing_is_claimed() -> None:
    pace = Pace()
    pace.begin(5.0)
    assert (pace.per_second, pace.left(7), pace.seconds) == (None, None, 0.0)


@given(st.floats(0.01, 0.1), st.floats(0.2, 1.0))
def test_the_pace_follows_a_change(quick: float, slow: float) -> None:
    pace = Pace()
    pace.begin(0.0)
    now = 0.0
    for each, count in ((quick, 101), (slow, 101)):
        for _ in range(count):
            now += each
            pace.step(now)
    assert pace.per_second == pytest.approx(1 / slow, rel=0.01)


actions: st.SearchStrategy[Action] = st.sampled_from(["train", "pause", "step", "stop"])


@given(st.sampled_from(["stopped", "failed"]), actions, st.booleans())
def test_what_is_over_for_good_stays_so(status: Status, action: Action, steps_left: bool) -> None:
    assert after(status, action, steps_left=steps_left) == status


@given(actions, st.booleans())
def test_a_finished_run_goes_on_only_with_steps_left(action: Action, steps_left: bool) -> None:
    goes_on = after("finished", action, steps_left=steps_left) not in OVER
    assert goes_on == (steps_left and action in ("train", "step"))
