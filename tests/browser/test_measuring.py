"""The pages that measure, in a real browser: predict, measure, zoom, and the figure stays in place."""

from __future__ import annotations

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit


def plot(page: Page, key: str) -> Locator:
    """A figure that has been drawn."""
    found = page.locator(f".st-key-{key} .attention-plot")
    expect(found).to_have_attribute("data-drawn", re.compile(r"[1-9]"))
    return found


def verdict(page: Page) -> Locator:
    """What was said beside what was measured, right or not."""
    return page.get_by_test_id("stAlert")


def predict(page: Page, key: str, answer: str) -> None:
    """Answer the question."""
    page.locator(f".st-key-{key}").get_by_role("radio", name=answer, exact=True).click()


def x_range(stage: Locator) -> list[float]:
    """From where to where a figure is shown."""
    return list(stage.evaluate("stage => [...stage._fullLayout.xaxis.range]"))


def zoom(page: Page, stage: Locator) -> list[float]:
    """Drag over the middle of a figure; returns what is shown then."""
    before = x_range(stage)
    area = stage.locator(".nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.3 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], y, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "([stage, low]) => stage._fullLayout.xaxis.range[0] > low", arg=[stage.element_handle(), before[0]]
    )
    return x_range(stage)


def test_architectures_are_predicted_and_measured(visit: Visit) -> None:
    screen = visit()
    page = screen.page
    page.goto(f"{screen.server}/architectures")
    predict(page, "masks_guess", "21")
    masks = plot(page, "masks_map")
    expect(verdict(page)).to_contain_text("You said: 21. Measured: 21.")
    expect(masks.locator(".plot-stage")).to_have_attribute("aria-label", re.compile(r"Decoder: 21 / 36"))
    found = Axe().run(page, context=".st-key-masks_map")
    assert found.response["violations"] == []

    page.goto(f"{screen.server}/architectures?part=recall&length=8")
    predict(page, "recall_guess", "several of them")
    screen.button("recall_start").first.click()
    curve = plot(page, "recall_curve")
    stage = curve.locator(".plot-stage")
    stage.evaluate("stage => void (stage.known = true)")
    zoomed = zoom(page, stage)
    expect(verdict(page)).to_contain_text(re.compile(r"Measured: several of them\.[^…]*attention: 100 %"))
    assert stage.evaluate("stage => stage.known")
    assert x_range(stage) == zoomed
    with page.expect_download() as taken:
        curve.locator(".save-image").click()
        page.get_by_role("menuitem", name="Picture (SVG)").click()
    assert taken.value.suggested_filename == "recall_curve.svg"
    assert "Accuracy at length 8" in taken.value.path().read_text(encoding="utf-8")


def test_positions_are_predicted_and_measured(visit: Visit) -> None:
    screen = visit()
    page = screen.page
    page.goto(f"{screen.server}/positions?kind=learned")
    predict(page, "waves_guess", "both alike")
    expect(verdict(page)).to_contain_text("Measured: both alike.")
    plot(page, "waves_maps")

    page.goto(f"{screen.server}/positions?part=order")
    predict(page, "order_guess", "not at all (rounding alone)")
    expect(verdict(page)).to_contain_text("they move with their tokens")
    sentence = screen.widget("prompt").get_by_role("textbox")
    sentence.fill("天地玄黄")
    sentence.press("Enter")
    expect(page.get_by_text("黄 地 玄 天")).to_be_visible()
    plot(page, "order_bars")
    expect(page).to_have_url(re.compile("prompt="))
