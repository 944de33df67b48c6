"""Pages that ask for a prediction and then measure: opened by a link, given findings, read for the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from streamlit.testing.v1 import AppTest

from core import studies
from core.i18n import translate
from core.runs.studying import plain
from tests.pages.conftest import App, FakePool

Open = Callable[..., AppTest]


def by_link(app: App, page: str, **parameters: str) -> AppTest:
    """Open a page, by the path of its file, with the parameters of a link."""
    test = app(**parameters)
    test.query_params.clear()
    test.query_params.update(parameters)
    return test.switch_page(page).run()


def found(name: str, options: Mapping[str, Any]) -> Any:
    """What a study really finds, as the page is told."""
    work = studies.find(name)(options, None)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return plain(end.value)


def told(test: AppTest) -> str:
    """The verdict, right or not."""
    assert not test.exception
    (verdict,) = [one.value for one in test.success] + [one.value for one in test.info]
    return str(verdict)


def asks_first(test: AppTest, pool: FakePool, language: str) -> None:
    """Nothing is wrong with the page, and nothing was measured before a prediction."""
    assert not test.exception
    assert not test.warning
    assert translate(language, "Predict first; then it is measured.") in [one.value for one in test.caption]
    assert pool.studies == []
