"""Servers, a browser, and screens that must end without a complaint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.app import App, running_app
from tests.browser.chromium import launch
from tests.browser.problems import Problems
from tests.browser.screen import Screen

Visit = Callable[..., Screen]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for all browser tests, gone before any other test runs: its event loop is not theirs."""
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture(scope="package")
def server() -> Iterator[App]:
    """One server for the tests that do not need it fresh. Runs that tests leave behind soon stop."""
    with running_app(ATTENTION_LIVE_GRACE="3", ATTENTION_LIVE_DROP="30") as app:
        yield app


@pytest.fixture
def tabs() -> Iterator[ExitStack]:
    """Closes the tabs of a test."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def cold_server(tabs: ExitStack) -> Iterator[App]:
    """A server that nobody has visited yet, and that gives runs up quickly."""
    with running_app(ATTENTION_LIVE_GRACE="1", ATTENTION_LIVE_DROP="3") as app:
        yield app
        tabs.close()  # before their server goes: a page without one complains


@pytest.fixture
def problems() -> Iterator[Problems]:
    """Everything the browser complains about; none of it may be left unexpected."""
    collected = Problems()
    yield collected
    assert collected.unexpected == []


@pytest.fixture(scope="package")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """One window for all tabs: what Chromium has read and compiled for one, it need not for the next."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-US")
    yield context
    context.close()


@pytest.fixture
def visit(window: BrowserContext, server: App, problems: Problems, tabs: ExitStack) -> Visit:
    """Makes a screen of its own session: ``visit()`` on the shared server, ``visit(url)`` on another."""

    def new_screen(url: str = server.url) -> Screen:
        page = window.new_page()
        tabs.callback(page.close)
        problems.watch(page)
        return Screen(page, url)

    return new_screen


@pytest.fixture
def screen(visit: Visit) -> Screen:
    """A screen on the shared server."""
    return visit()
