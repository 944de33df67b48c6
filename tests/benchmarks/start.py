"""From the command that starts the app until the first map is painted in a Chromium that is already open."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from tests.benchmarks.tabs import chromium, new_screen
from tests.browser.app import running_app

ROUNDS = 5


def measure() -> dict[str, Any]:
    """Median seconds until the server answers, and until a deep link shows its maps."""
    answered, painted = [], []
    with chromium() as browser:
        for _ in range(ROUNDS):
            began = time.perf_counter()
            with running_app() as app:
                answered.append(time.perf_counter() - began)
                screen = new_screen(browser, app.url).open("mini_gpt")
                painted.append(time.perf_counter() - began)
                screen.page.context.close()
    return {"server_answers_seconds": round(median(answered), 2), "first_map_seconds": round(median(painted), 2)}
