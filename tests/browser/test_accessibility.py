"""What axe, the common checker of accessibility rules, finds on the pages: nothing that keeps anybody out."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from core.experiments import catalogue
from tests.browser.screen import Screen


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("experiment", catalogue())
def test_no_serious_barrier(screen: Screen, experiment: str, language: str) -> None:
    screen.open(experiment, recipe="fast", steps=30, language=language)
    screen.train_to_end()
    assert barriers(screen) == []


def test_home_has_no_serious_barrier(screen: Screen) -> None:
    screen.page.goto(screen.server)
    expect(screen.look).to_have_attribute("data-state", "ok", timeout=60_000)
    assert barriers(screen) == []


def test_a_barrier_is_found(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.sentence.evaluate("box => box.removeAttribute('aria-label')")
    screen.sentence.evaluate("box => box.removeAttribute('title')")
    assert barriers(screen) == ["label"]


def barriers(screen: Screen) -> list[str]:
    """The rules that are broken seriously."""
    found = Axe().run(screen.page).response["violations"]
    return [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")]
