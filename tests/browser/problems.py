"""What a browser complains about: errors in the console, exceptions, failed requests. A test ends without any."""

from __future__ import annotations

import re

from playwright.sync_api import ConsoleMessage, Error, Page, Request, Response

# On a deep link Streamlit's own front end asks for these beside the page first, before it finds the server's root.
PROBE = re.compile(r"/[\w-]+/_stcore/(health|host-config)$")


class Problems:
    """Collects complaints of every page of a test."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._expected: list[re.Pattern[str]] = []

    def watch(self, page: Page) -> None:
        """Listen to a page from now on."""
        page.on("console", self._console)
        page.on("pageerror", self._exception)
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)

    def expect(self, pattern: str) -> None:
        """Do not count complaints that match: the test causes them on purpose."""
        self._expected.append(re.compile(pattern))

    @property
    def unexpected(self) -> list[str]:
        """What nobody expected."""
        return [one for one in self._seen if not any(pattern.search(one) for pattern in self._expected)]

    def _console(self, message: ConsoleMessage) -> None:
        address = message.location.get("url", "") if message.location else ""
        # Failed requests are told by the two listeners below, with their status.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._seen.append(f"console: {message.text} {address}")

    def _exception(self, error: Error) -> None:
        self._seen.append(f"exception: {error.message}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # called off by the page itself: an older look, a closed stream
            self._seen.append(f"failed: {request.url} {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and not (response.status == 404 and PROBE.search(response.url)):
            self._seen.append(f"answered: {response.status} {response.url}")
