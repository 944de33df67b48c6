"""A study on a page: started, followed, cancelled, kept. The page is a small script of the test's own."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from core.settings import SettingError
from core.ui import session
from tests.pages.conftest import FakePool, FakeStudy


def script(automatic: bool = False) -> None:
    """The page."""
    import streamlit as st

    from core.ui.study import study

    def draw(found: object, complete: bool) -> None:
        st.code(f"{found} {complete}")

    size = st.number_input("size", 1, 9, 1, key="size")
    study("sizes", {"size": size}, "trial", draw, label="Measure", automatic=automatic)


def opened(**options: Any) -> AppTest:
    """The page, open in a tab."""
    return AppTest.from_function(script, kwargs=options, default_timeout=20).run()


def drawn(test: AppTest) -> list[str]:
    """What the page shows of the findings."""
    assert not test.exception
    return [one.value for one in test.code]


def started(test: AppTest, pool: FakePool) -> FakeStudy:
    """Press the button."""
    test.button(key="trial_start").click().run()
    return pool.studies[-1]


def test_nothing_is_measured_before_it_is_asked_for(pool: FakePool) -> None:
    test = opened()
    assert (drawn(test), pool.studies) == ([], [])
    assert test.button(key="trial_start").label == "Measure"


def test_a_study_is_started_followed_and_kept(pool: FakePool) -> None:
    test = opened()
    study = started(test, pool)
    assert (study.name, study.options) == ("sizes", {"size": 1})
    assert drawn(test) == []
    study.fraction, study.partial = 0.4, "half"
    test.run()
    assert drawn(test) == ["half False"]
    assert "trial_start" not in {button.key for button in test.button}
    study.finish("all")
    test.run()
    assert drawn(test) == ["all True"]
    test.run()
    assert (drawn(test), len(pool.studies)) == (["all True"], 1)
    assert not test.caption
    assert test.button(key="trial_start").label == "Measure again"


def test_a_study_can_be_cancelled_and_begun_anew(pool: FakePool) -> None:
    test = opened()
    first = started(test, pool)
    first.fraction, first.partial = 0.4, "half"
    test.run()
    test.button(key="trial_cancel").click().run()
    assert first.status == "cancelled"
    assert drawn(test) == ["half False"]
    assert test.caption[0].value == "Cancelled at 40 %: what follows is incomplete."
    second = started(test, pool)
    assert second is not first
    assert pool.dropped == [first.id]
    assert drawn(test) == []


def test_findings_for_other_settings_are_said_to_be_so(pool: FakePool) -> None:
    test = opened()
    started(test, pool).finish("all")
    test.number_input(key="size").set_value(2).run()
    assert drawn(test) == ["all True"]
    assert test.caption[0].value == "The settings have changed since this was measured."
    assert started(test, pool).options == {"size": 2}


def test_an_automatic_study_follows_its_options_without_a_button(pool: FakePool) -> None:
    pool.found["sizes"] = "found"
    test = opened(automatic=True)
    assert drawn(test) == ["found True"]
    assert not test.button
    test.run()
    assert len(pool.studies) == 1
    test.number_input(key="size").set_value(2).run()
    assert [study.options["size"] for study in pool.studies] == [1, 2]
    assert drawn(test) == ["found True"]


def test_what_went_wrong_is_said_and_can_be_tried_again(pool: FakePool) -> None:
    test = opened(automatic=True)
    study = pool.studies[-1]
    study.status, study.problem = "failed", SettingError("{name} <b>is</b> too long", name="$x$")
    test.run()
    assert test.error[0].value == "\\$x\\$ <b>is</b> too long"
    assert len(pool.studies) == 1
    test.button(key="trial_start").click().run()
    assert len(pool.studies) == 2


def test_a_refusal_is_said_and_forgotten_with_the_next_attempt(pool: FakePool) -> None:
    test = opened()
    pool.full = True
    test.button(key="trial_start").click().run()
    assert test.error[0].value == "there are 7 already"
    pool.full = False
    started(test, pool)
    assert not test.error
    assert not test.exception


def test_a_study_lives_as_long_as_its_tab(pool: FakePool) -> None:
    test = opened()
    study = started(test, pool)
    own = test.session_state[session.STATE]
    assert own.studies == {"trial": study}
    session._let_go(own)
    assert pool.orphaned == [study.id]
