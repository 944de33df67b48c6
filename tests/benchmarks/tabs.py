"""A server, a Chromium, and screens on it, for the benchmarks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import launch
from tests.browser.screen import Screen


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def new_screen(browser: Browser, url: str) -> Screen:
    """A screen with a session of its own."""
    return Screen(browser.new_context(viewport={"width": 1280, "height": 720}, locale="en-US").new_page(), url)


def steps_of(server: str, run: str) -> int:
    """How many steps a run has made, asked without a page."""
    with httpx.stream("GET", f"{server}/api/stream/{run}", params={"from": 999_999}) as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                return int(json.loads(line.removeprefix("data:"))["step"])
    raise RuntimeError(f"the stream of run {run} says nothing")
