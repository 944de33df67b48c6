"""A trip over the page of runs, in Chromium: table, curves, comparison, names, files, a sweep."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.problems import Problems
from tests.browser.screen import Screen

ROW = 35  # pixels of the table


def mark(screen: Screen, *rows: int) -> None:
    """Click the boxes of rows, counted from 0."""
    box = screen.page.locator(".stDataFrame canvas").first.bounding_box()
    assert box is not None
    for row in rows:
        screen.page.mouse.click(box["x"] + 15, box["y"] + ROW * (row + 1.5))


def lines(screen: Screen, *names: str) -> None:
    """Wait until these runs, and no others, are drawn."""
    overlay = screen.widget("overlay")
    for name in names:
        expect(overlay.get_by_text(name).first).to_be_visible()
    expect(overlay.locator(".js-plotly-plot")).to_be_visible()


def test_runs_are_compared_named_deleted_swept_and_taken_home(
    screen: Screen, server: App, problems: Problems, tmp_path: Path
) -> None:
    screen.open("mini_gpt", steps=20).train_to_end()
    screen.button("new_seed").click()
    screen.wait_for_status("ready")
    screen.train_to_end()
    page = screen.page
    page.get_by_role("navigation").get_by_role("button").nth(2).click()
    page.get_by_role("menuitem", name="Runs").click()
    lines(screen, "MiniGPT 1", "MiniGPT 2")

    mark(screen, 0, 1)  # two side by side read one sentence
    expect(page.get_by_text("1 of").first).to_be_visible()
    for key in ("look", "second_look"):
        expect(screen.widget(key).locator(".attention-look")).to_have_attribute("data-state", "ok")

    mark(screen, 1)  # one is renamed, deleted, and comes back
    name = screen.widget("run_name").get_by_role("textbox")
    name.fill("first try")
    name.press("Enter")
    lines(screen, "first try")
    screen.button("delete_runs").click()
    expect(page.get_by_text("Deleted: first try.")).to_be_visible()
    screen.button("undo_delete").click()
    lines(screen, "first try")

    screen.button("take_away").first.click()  # its checkpoint goes out and comes in
    with page.expect_download() as downloaded:
        screen.button("take_checkpoint").first.click()
    assert downloaded.value.suggested_filename == "first_try.safetensors"
    file = tmp_path / "brought home.safetensors"
    downloaded.value.save_as(file)
    page.keyboard.press("Escape")
    screen.button("bring_back").first.click()
    screen.widget("bring_back").page.locator("input[type=file]").set_input_files(file)
    lines(screen, "brought home")

    screen.button("take_away").first.click()  # a checkpoint that cannot be made says why
    for worker in server.workers():
        worker.suspend()
    screen.button("take_checkpoint").first.click()
    problems.expect(r"answered: (410|503) .*/api/")
    expect(screen.button("take_checkpoint")).to_be_disabled()  # it waits
    for worker in server.workers():
        worker.kill()
    expect(page.get_by_text("The process that holds this run has died.")).to_be_visible()
    expect(page.get_by_test_id("stDownloadButtonError")).to_be_hidden()
    page.keyboard.press("Escape")

    screen.button("sweep_panel").first.click()  # a run for every value, of what is marked
    screen.button("sweep_start").first.click()
    expect(screen.button("sweep_remove")).to_be_visible()
    expect(screen.widget("sweep_chart").locator(".js-plotly-plot")).to_be_visible()
    lines(screen, "Heads 1", "Heads 8")
