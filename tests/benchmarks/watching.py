"""What it costs to be watched: a run's speed with a page open against without, the server's share of a core, memory.

A run begins on an open page, its pace is taken, the page is closed and its pace is taken again before the server gives
the run up. Several rounds; the ratio is taken within each.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import httpx
import psutil
from playwright.sync_api import Browser

from tests.benchmarks.tabs import chromium, new_screen, steps_of
from tests.browser.app import App, running_app
from tests.browser.screen import LONG

ROUNDS = 5
SECONDS = 6.0  # each pace is taken over so long
MANY = 40  # readers of one run's stream: a class


def measure() -> dict[str, Any]:
    """Ratio of steps a second, the server's share of a core, and resident memory."""
    # Long enough to measure an unwatched run, then soon gone, so that it is alone again in the next round.
    patience = {"ATTENTION_LIVE_GRACE": f"{SECONDS + 3:g}", "ATTENTION_LIVE_DROP": f"{SECONDS + 3.5:g}"}
    with running_app(**patience) as app, chromium() as browser:
        idle = app.process.memory_info().rss
        rounds = [one_round(app, browser) for _ in range(ROUNDS)]
        share, workers = crowd(app, browser)
        return {
            "steps_per_second_watched": round(median(watched for watched, _, _ in rounds), 1),
            "steps_per_second_unwatched": round(median(unwatched for _, unwatched, _ in rounds), 1),
            "ratio": round(median(watched / unwatched for watched, unwatched, _ in rounds), 3),
            "server_core_share_one_page": round(median(cpu for _, _, cpu in rounds), 4),
            f"server_core_share_{MANY}_readers_more": round(share, 4),
            "idle_server_megabytes": round(idle / 1e6),
            "server_megabytes_after_all": round(app.process.memory_info().rss / 1e6),
            "worker_megabytes": round(max(workers) / 1e6),
        }


def one_round(app: App, browser: Browser) -> tuple[float, float, float]:
    """Steps a second with the page open and after it was closed, and the server's share of a core while it was open."""
    screen = new_screen(browser, app.url)
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    screen.wait_for_status("running")
    run = screen.run
    screen.page.wait_for_timeout(2_000)  # let the page settle
    began = cpu_seconds(app.process)
    watched = pace(app, run, screen.page.wait_for_timeout)
    share = (cpu_seconds(app.process) - began) / SECONDS
    screen.page.context.close()
    time.sleep(1)
    unwatched = pace(app, run, lambda milliseconds: time.sleep(milliseconds / 1000))
    print(f"  watched {watched:.1f}, unwatched {unwatched:.1f} steps/s", file=sys.stderr)
    app.wait_until(lambda: gone(app, run))
    return watched, unwatched, share


def pace(app: App, run: str, wait: Callable[[float], object]) -> float:
    """Steps a second of a run."""
    began, first = time.perf_counter(), steps_of(app.url, run)
    wait(SECONDS * 1000)
    return (steps_of(app.url, run) - first) / (time.perf_counter() - began)


def crowd(app: App, browser: Browser) -> tuple[float, list[int]]:
    """The server's share of a core while many read the stream of one run, and the memory of the workers."""
    screen = new_screen(browser, app.url)
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    screen.wait_for_status("running")
    screen.page.context.close()
    began = cpu_seconds(app.process)
    read_by_many(f"{app.url}/api/stream/{screen.run}")
    share = (cpu_seconds(app.process) - began) / SECONDS
    return share, [worker.memory_info().rss for worker in app.workers()]


def read_by_many(stream: str) -> None:
    """Read one stream over many connections for a while."""

    async def read(client: httpx.AsyncClient) -> None:
        async with client.stream("GET", stream) as answer:
            async for _ in answer.aiter_raw():
                pass

    async def all_of_them() -> None:
        limits = httpx.Limits(max_connections=MANY)
        async with httpx.AsyncClient(timeout=None, limits=limits) as client:
            reading = [asyncio.ensure_future(read(client)) for _ in range(MANY)]
            await asyncio.wait(reading, timeout=SECONDS)
            for task in reading:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)

    # In a thread of its own: this one's event loop is Playwright's.
    thread = threading.Thread(target=lambda: asyncio.run(all_of_them()))
    thread.start()
    thread.join()


def cpu_seconds(process: psutil.Process) -> float:
    """The processor time of a process so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def gone(app: App, run: str) -> bool:
    """Whether the server has given the run up."""
    return httpx.post(f"{app.url}/api/look/{run}", json={}).status_code == 404
