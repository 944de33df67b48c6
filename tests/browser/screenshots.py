"""Pictures of the real app: ``python -m tests.browser.screenshots`` retakes the README's.

With a folder as its argument it takes every page instead, trained, at two sizes, in both languages and both themes.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, expect, sync_playwright

from core.experiments import catalogue
from core.i18n import LANGUAGES
from tests.browser.app import ROOT, running_app
from tests.browser.chromium import launch
from tests.browser.screen import Screen

README = ROOT / "assets" / "screenshot.png"
SIZES = ((1280, 720), (1920, 1080))
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main() -> None:
    """Start the app and take the pictures that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="take every page and put the pictures here")
    folder: Path | None = parser.parse_args().folder
    with running_app() as app, sync_playwright() as playwright:
        browser = launch(playwright)
        if folder is None:
            trained(browser, app.url, "mini_gpt", (1280, 1120), "en", "light").page.screenshot(path=README)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            take_all(browser, app.url, folder)
        browser.close()


def take_all(browser: Browser, url: str, folder: Path) -> None:
    """Every page, in every way it can look."""
    for size, language, theme in itertools.product(SIZES, LANGUAGES, THEMES):
        ending = f"{size[0]}-{language}-{theme}.png"
        home = tab(browser, url, size, theme)
        home.page.goto(f"{url}/?language={language}")
        home.page.get_by_role("heading", level=1).wait_for()
        finish(home, folder / f"home-{ending}")
        for experiment in catalogue():
            finish(trained(browser, url, experiment, size, language, theme), folder / f"{experiment}-{ending}")


def trained(
    browser: Browser,
    url: str,
    experiment: str,
    size: tuple[int, int],
    language: str,
    theme: Literal["light", "dark"],
) -> Screen:
    """A page whose run has finished and whose maps show it."""
    screen = tab(browser, url, size, theme)
    screen.open(experiment, recipe="fast", language=language)
    screen.train_to_end()
    if catalogue()[experiment].generates:
        written = screen.look.locator(".generated")
        expect(written).to_have_attribute("data-step", screen.chart.get_attribute("data-step") or "")
    screen.page.mouse.move(0, 0)
    screen.page.wait_for_timeout(1_000)  # until no button is hovered any more
    return screen


def tab(browser: Browser, url: str, size: tuple[int, int], theme: Literal["light", "dark"]) -> Screen:
    """A tab of its own."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=theme)
    return Screen(context.new_page(), url)


def finish(screen: Screen, path: Path) -> None:
    """Take the picture and close the tab."""
    screen.page.screenshot(path=path)
    screen.page.context.close()


if __name__ == "__main__":
    main()
