"""Starts Chromium: Playwright's own, else the system's. ``python -m tests.browser.chromium`` says which."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    # Chromium's own calls home would look like traffic of ours.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome")


def launch(playwright: Playwright) -> Browser:
    """Start a headless Chromium. Raises :class:`FileNotFoundError` when there is none."""
    if Path(playwright.chromium.executable_path).exists():
        return playwright.chromium.launch(args=FLAGS)
    for name in SYSTEM_NAMES:
        if path := shutil.which(name):
            return playwright.chromium.launch(executable_path=path, args=FLAGS)
    raise FileNotFoundError("no Chromium: neither Playwright's own nor " + ", ".join(SYSTEM_NAMES))


if __name__ == "__main__":
    with sync_playwright() as started:
        browser = launch(started)
        print(f"Chromium {browser.version}")
        browser.close()
