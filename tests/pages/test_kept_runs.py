"""What a page trained before stays with the tab; what it keeps is kept alive, and within limits."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.experiments import find
from core.ui import session
from core.ui.session import KeptRun, Runs
from tests.pages.conftest import App, FakePool, go


def own(test: AppTest) -> Runs:
    """The runs of the tab."""
    found: Runs = test.session_state[session.STATE]
    return found


def test_a_run_that_learned_something_outlives_its_reset(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.button(key="train").click().run()
    first = pool.run
    first.step = 30
    test.button(key="reset").click().run()
    test.button(key="reset").click().run()
    _, untrained, current = pool.started
    assert (pool.archived, pool.dropped) == ([first.id], [untrained.id])
    assert [one.run.id for one in own(test).listed()] == [first.id]
    assert set(own(test).held) == {first.id, current.id}
    pool.touched.clear()
    go(test, "mini_bert")
    assert {first.id, current.id} <= set(pool.touched)


def test_runs_are_numbered_experiment_by_experiment(pool: FakePool) -> None:
    own = Runs()
    runs = [pool.start(name, find(name).defaults()) for name in ("mini_gpt", "mini_bert", "mini_gpt")]
    hidden = own.keep(pool.start("mini_gpt", find("mini_gpt").defaults()), "a twin", listed=False)  # type: ignore[arg-type]
    kept = [own.keep(run) for run in runs]  # type: ignore[arg-type]
    assert [one.number for one in kept] == [1, 1, 2]
    assert own.keep(runs[0], "best") is kept[0]  # type: ignore[arg-type]
    assert (kept[0].name, own.keep(runs[0]).name) == ("best", "best")  # type: ignore[arg-type]
    assert own.listed() == kept
    assert hidden.run.id in own.held


def test_of_too_many_runs_the_oldest_goes_that_nobody_needs(pool: FakePool) -> None:
    own = Runs()
    settings = find("mini_gpt").defaults()
    kept: list[KeptRun] = []
    for place in range(session.MOST_KEPT):
        run = pool.start("mini_gpt", settings)
        run.status = "running" if place == 1 else "finished"
        if place == 0:
            own.by_page["mini_gpt"] = run  # type: ignore[assignment]
        kept.append(own.keep(run))  # type: ignore[arg-type]
    assert pool.dropped == []
    own.keep(pool.start("mini_gpt", settings))  # type: ignore[arg-type]
    assert pool.dropped == [kept[2].run.id]
    own.let_go(kept[0])
    assert pool.dropped == [kept[2].run.id]  # its page shows it still


def test_a_tab_that_closes_lets_go_of_all_it_keeps(pool: FakePool) -> None:
    own = Runs()
    settings = find("mini_gpt").defaults()
    own.by_page["mini_gpt"] = pool.start("mini_gpt", settings)  # type: ignore[assignment]
    own.keep(pool.start("mini_gpt", settings))  # type: ignore[arg-type]
    session._let_go(own)
    assert pool.orphaned == ["run-1", "run-2"]
