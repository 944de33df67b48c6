"""Runs live on whatever happens to page, connection or worker, and end when nobody is left to look."""

from __future__ import annotations

import httpx
from playwright.sync_api import expect

from tests.browser.app import App, has_torch
from tests.browser.conftest import Visit
from tests.browser.problems import Problems
from tests.browser.proxy import proxy_to
from tests.browser.screen import LONG, Screen


def test_run_goes_on_while_another_page_is_open(screen: Screen) -> None:
    screen.open("mini_gpt", steps=LONG)
    screen.write("有名")
    screen.train()
    run, step = screen.run, screen.steps
    screen.go_to("MiniBERT")
    assert screen.run != run
    screen.go_to("MiniGPT")
    screen.wait_for_status("running")
    assert screen.run == run
    assert len(screen.loss) > step
    expect(screen.sentence).to_have_value("有名")


def test_run_outlives_a_dropped_connection(visit: Visit, server: App, problems: Problems) -> None:
    with proxy_to(server.port) as proxy:
        screen = visit(proxy.url)
        screen.open("mini_gpt", steps=LONG)
        screen.train()
        run, step = screen.run, screen.steps
        problems.expect(r"ERR_|WebSocket|Failed to fetch")
        proxy.cut()
        screen.write_blindly("有名")
        expect(screen.look).to_have_attribute("data-state", "stale")
        proxy.restore()
        screen.wait_until_painted("有名")
        server.wait_until(lambda: screen.steps > step)
        screen.wait_for_status("running")
        assert screen.run == run
        assert len(screen.loss) > step


def test_closed_tab_ends_its_run(visit: Visit, cold_server: App) -> None:
    screen = visit(cold_server.url)
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    assert answer(cold_server, screen.run) == 200
    screen.page.close()
    cold_server.wait_until(lambda: answer(cold_server, screen.run) == 404)


def test_killed_workers_are_replaced_and_the_run_resumes(visit: Visit, cold_server: App, problems: Problems) -> None:
    screen = visit(cold_server.url)
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    cold_server.wait_until(lambda: screen.steps > 60)
    run, killed = screen.run, cold_server.workers()
    problems.expect(r"answered: (410|503) .*/api/look/")
    for worker in killed:
        worker.kill()
    screen.write("有名")
    before = screen.steps
    cold_server.wait_until(lambda: screen.steps > before)
    screen.wait_for_status("running")
    assert screen.run == run
    assert not {worker.pid for worker in killed} & {worker.pid for worker in cold_server.workers()}
    assert len(screen.loss) >= before


def test_server_never_loads_torch(visit: Visit, cold_server: App) -> None:
    screen = visit(cold_server.url)
    for experiment in ("tiny_transformer", "mini_bert", "mini_gpt"):
        screen.open(experiment, recipe="fast", steps=10)
        screen.train_to_end()
    assert any(has_torch(worker) for worker in cold_server.workers())
    assert not has_torch(cold_server.process)


def answer(app: App, run: str) -> int:
    """The status with which the server answers a look at the run."""
    return httpx.post(f"{app.url}/api/look/{run}", json={}).status_code
