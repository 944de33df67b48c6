"""The moment and the past that the components of a page share, as modules by themselves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.test_modules import HOST, serve

Evaluate = Callable[..., Any]


@pytest.fixture
def modules(browser: Browser) -> Iterator[Evaluate]:
    """Runs a script in a page whose modules are fresh: ``await load("shared/moment.js")`` gives one."""
    page = browser.new_page()
    page.route(f"{HOST}/**", serve)
    page.goto(f"{HOST}/blank.html")

    def run(script: str, argument: Any = None) -> Any:
        source = f"async given => {{ const load = name => import(`{HOST}/${{name}}`); {script} }}"
        return page.evaluate(source, argument)

    yield run
    page.close()


def test_all_parts_of_a_page_hear_of_its_moment(modules: Evaluate) -> None:
    told = modules("""
      const { moment } = await load("shared/moment.js")
      const told = []
      const stop = moment("a").subscribe(now => told.push(["one", now.step, now.playing]))
      moment("a").subscribe(now => told.push(["other", now.step, now.playing]))
      moment("a").set(7)
      moment("a").set(7)
      moment("a").set(11, true)
      stop()
      moment("a").set(null)
      return [told, moment("a").get()]
    """)
    expected = [["one", 7, False], ["other", 7, False], ["one", 11, True], ["other", 11, True], ["other", None, False]]
    assert told == [expected, {"step": None, "playing": False}]


def test_another_run_begins_at_its_newest_and_so_does_one_that_was_left(modules: Evaluate) -> None:
    seen = modules("""
      const { moment } = await load("shared/moment.js")
      const stop = moment("a").subscribe(() => {})
      moment("a").set(7)
      const seen = [moment("a").get().step, moment("b").get().step]
      stop()
      const again = moment("a").subscribe(() => {})
      return [...seen, moment("a").get().step]
    """)
    assert seen == [7, None, None]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 17, 64, 100, 101])
def test_any_beginning_of_the_order_is_spread_over_all(modules: Evaluate, count: int) -> None:
    order = modules('return (await load("shared/past.js")).coarseToFine(given)', count)
    assert sorted(order) == list(range(count))
    for known in (2, 3, 5, 9, 17, 33):
        if known > count:
            break
        places = sorted(order[:known])
        widest = max(after - before for before, after in itertools.pairwise(places))
        assert widest <= math.ceil(2 * (count - 1) / (known - 1))


@pytest.mark.parametrize(
    ("snapshots", "step", "status", "steps"),
    [
        ([0, 4, 8], 11, "running", [0, 4, 8]),
        ([0, 4, 8], 11, "paused", [0, 4, 8, 11]),
        ([0, 4, 8], 8, "finished", [0, 4, 8]),
        ([0, 4, 8], 6, "running", [0, 4]),  # resumed from step 6: what came after is not true yet
        ([0], 0, "ready", [0]),
        ([], 1500, "stopped", []),  # from a file
    ],
)
def test_steps_that_can_be_looked_back_at(
    modules: Evaluate, snapshots: list[int], step: int, status: str, steps: list[int]
) -> None:
    course = {"snapshots": snapshots, "step": step, "status": status}
    assert modules('return (await load("shared/past.js")).pastSteps(given)', course) == steps
