"""The page of common mistakes, in a real browser: predict, train both, and read what tells them apart."""

from __future__ import annotations

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Visit


def test_a_mistake_is_predicted_trained_and_explained(visit: Visit) -> None:
    screen = visit()
    page = screen.page
    page.goto(f"{screen.server}/mistakes?mistake=positions&variant=before&seeds=1")
    for measure, answer in (("accuracy", "lower"), ("training_loss", "lower")):
        page.locator(f".st-key-predict_{measure}").get_by_role("radio", name=answer, exact=True).click()
    screen.button("twins_positions_before_start").first.click()
    table = page.get_by_role("table")
    expect(table).to_contain_text("accuracy on held-out sequences")
    rows = table.get_by_role("row").all_inner_texts()
    assert re.search(r"1\.00 → 0\.[89].*lower.*lower", rows[1], flags=re.DOTALL), rows
    assert re.search(r"higher.*lower", rows[2], flags=re.DOTALL), rows
    expect(page.get_by_text("Exposed by: accuracy on held-out sequences, training loss.")).to_be_visible()
    for key in ("twins_accuracy", "twins_training_loss", "twins_map_correct", "twins_map_broken"):
        expect(page.locator(f".st-key-{key} .attention-plot")).to_have_attribute("data-drawn", re.compile(r"[1-9]"))
    assert Axe().run(page, context=".st-key-twins_accuracy").response["violations"] == []

    page.get_by_role("link", name="Open the wrong one on its page").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("TinyTransformer")
    expect(page).to_have_url(re.compile(r"tiny-transformer\?.*positions=none"))
