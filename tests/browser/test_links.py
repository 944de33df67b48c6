"""Links hold a page's whole state, on a server that nobody has visited before too."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from tests.browser.app import App
from tests.browser.conftest import Visit
from tests.browser.screen import LONG, Screen


def test_deep_link_on_a_cold_server(visit: Visit, cold_server: App) -> None:
    screen = visit(cold_server.url)
    screen.open("mini_bert", mask_rate="0.4", prompt="知之_知之", layer="1", head="2", lang="zh", seed="11")
    expect(screen.sentence).to_have_value("知之_知之")
    expect(screen.grid).to_have_attribute("data-painted-layer", "1")
    expect(screen.grid).to_have_attribute("data-painted-seed", "11")
    expect(screen.zoom).to_have_attribute("data-head", "2")
    expect(screen.button("train")).to_contain_text("训练")
    expect(screen.widget("mask_rate").get_by_role("slider")).to_have_value("0.4")


def test_state_is_in_the_address(screen: Screen, visit: Visit) -> None:
    screen.open("mini_gpt", seed=3)
    screen.write("有无相生")
    screen.choose("layer", "1")
    expect(screen.grid).to_have_attribute("data-painted-layer", "1")
    screen.wait_for_parameter("prompt", "有无相生")
    screen.wait_for_parameter("layer", "1")
    assert screen.parameters == {"prompt": "有无相生", "layer": "1", "seed": "3"}
    copy = visit()
    copy.page.goto(screen.page.url)
    copy.wait_until_painted("有无相生")
    np.testing.assert_array_equal(copy.maps, screen.maps)


def test_bad_values_are_named_and_replaced(screen: Screen) -> None:
    screen.open("mini_gpt", temperature="hot", seed="-1", heads="5", recipe="best", colour="blue")
    for wrong in ("“hot”", "-1", "5", "“best”", "colour"):
        expect(screen.page.get_by_role("alert").filter(has_text=wrong).first).to_be_visible()
    assert screen.maps.shape[0] == 4


def test_language_changes_without_losing_the_run(screen: Screen) -> None:
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    run, step = screen.run, screen.steps
    screen.choose("language", "简体中文")
    expect(screen.button("pause")).to_contain_text("暂停")
    expect(screen.chart).not_to_contain_text("running")
    screen.wait_for_status("running")
    screen.wait_for_parameter("language", "zh")
    assert screen.run == run
    assert screen.steps > step


def test_every_page_answers_in_both_languages(visit: Visit) -> None:
    for path in ("/", "/tiny-transformer", "/mini-bert", "/mini-gpt"):
        for language, train in (("en", "Train"), ("zh", "训练")):
            screen = visit()
            screen.page.goto(f"{screen.server}{path}?language={language}")
            expect(screen.page.get_by_role("navigation")).to_contain_text(train)
            expect(screen.page.get_by_role("heading", level=1)).to_be_visible()
