"""The sentence, and the maps that follow it."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Route, expect

from core.experiments import catalogue
from tests.browser.problems import Problems
from tests.browser.screen import Screen

SENTENCES = {"tiny_transformer": "13", "mini_bert": "学而_习", "mini_gpt": "有名万物", "seq2seq": "47+58"}
LONG_PASTE = "道可道非" * 25_000


def test_a_refused_question_is_asked_again_though_an_older_one_is_answered_after_it(
    screen: Screen, problems: Problems
) -> None:
    """Two questions are in flight; the newer is refused, then the older is answered."""
    held: list[Route] = []
    refused: list[str] = []

    def answer(route: Route) -> None:
        text = (route.request.post_data_json or {}).get("text")
        if text == "有":
            held.append(route)
        elif text == "有名" and not refused:
            refused.append(text)
            route.fulfill(status=503, json={"error": "busy"})
        else:
            route.continue_()

    problems.expect(r"answered: 503 .*/api/look/")
    screen.open("mini_gpt")
    screen.page.route("**/api/look/**", answer)
    screen.sentence.fill("有")
    screen.page.wait_for_timeout(300)
    screen.sentence.fill("有名")
    expect(screen.look).to_have_attribute("data-state", "stale")
    assert len(held) == len(refused) == 1
    held[0].continue_()
    screen.wait_until_painted("有名")


@pytest.mark.parametrize("experiment", catalogue())
def test_maps_follow_the_sentence(screen: Screen, experiment: str) -> None:
    screen.open(experiment)
    screen.write(SENTENCES[experiment])
    length = len(SENTENCES[experiment])
    first = screen.maps
    assert first.shape == (4, length, length)
    np.testing.assert_allclose(np.nansum(first, axis=2), 1, atol=1e-3)
    screen.write(SENTENCES[experiment][::-1])
    assert not np.array_equal(first, screen.maps, equal_nan=True)


def test_every_layer_is_in_sight_and_a_map_of_another_layer_can_be_chosen(screen: Screen) -> None:
    screen.open("mini_gpt")
    others = screen.look.locator(".layer-row .map-choice")
    expect(others).to_have_count(4)
    before = screen.large_map
    others.nth(2).hover()
    expect(screen.zoom).to_have_attribute("data-layer", "1")
    preview = screen.large_map
    assert not np.allclose(before, preview, equal_nan=True)
    screen.sentence.hover()
    expect(screen.zoom).to_have_attribute("data-layer", "0")
    np.testing.assert_array_equal(screen.large_map, before)
    others.nth(2).click()
    expect(screen.grid).to_have_attribute("data-painted-layer", "1")
    expect(screen.zoom).to_have_attribute("data-head", "2")
    screen.wait_for_parameter("layer", "1")
    screen.wait_for_parameter("head", "2")
    np.testing.assert_allclose(screen.large_map, preview, atol=1 / 254)


def test_the_large_map_can_be_the_mean_of_the_heads_or_rollout(screen: Screen) -> None:
    screen.open("mini_gpt", summary="mean", layer=1)
    mean = screen.maps.mean(axis=0)
    np.testing.assert_allclose(screen.large_map, mean, atol=1e-6)
    expect(screen.look.locator(".zoom-caption")).to_have_text("Layer 1, mean of 4 heads")
    screen.button("display").first.click()
    screen.choose("summary", "rollout")
    expect(screen.look.locator(".zoom-caption")).to_have_text("Rollout up to layer 1")
    identity = np.eye(len(mean))
    screen.page.keyboard.press("Escape")
    screen.page.evaluate("document.activeElement?.blur()")
    rolled = screen.large_map
    screen.choose("layer", "0")
    expect(screen.grid).to_have_attribute("data-painted-layer", "0")
    first = 0.5 * np.nan_to_num(screen.maps.mean(axis=0)) + 0.5 * identity
    second = 0.5 * np.nan_to_num(mean) + 0.5 * identity
    np.testing.assert_allclose(np.nan_to_num(rolled), second @ first, atol=1 / 254)
    np.testing.assert_allclose(np.nan_to_num(screen.large_map), first, atol=1 / 254)


def test_all_keys_are_listed(screen: Screen) -> None:
    screen.open("mini_bert")
    screen.button("keys").click()
    listed = screen.page.get_by_role("table").filter(has_text="presenter view, and back")
    for key in ("Alt+P", "space bar", "← → ↑ ↓", "Esc"):
        expect(listed).to_contain_text(key)


def test_arrow_keys_walk_over_heads_and_layers(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.look.get_by_role("radio", checked=True).focus()
    screen.page.keyboard.press("ArrowRight")
    expect(screen.zoom).to_have_attribute("data-head", "1")
    screen.page.keyboard.press("ArrowDown")
    expect(screen.grid).to_have_attribute("data-painted-layer", "1")
    expect(screen.look.get_by_role("radio", checked=True)).to_be_focused()
    screen.page.keyboard.press("ArrowLeft")
    expect(screen.zoom).to_have_attribute("data-head", "0")
    screen.wait_for_parameter("layer", "1")


def test_the_difference_from_uniform_and_a_left_out_first_key_are_painted(screen: Screen) -> None:
    screen.open("tiny_transformer", scale="uniform")
    shown = screen.large_map
    np.testing.assert_allclose(shown.sum(axis=1), 0, atol=1e-3)
    screen.open("tiny_transformer", hide_first="true")
    shown = screen.large_map
    assert np.isnan(shown[:, 0]).all()
    np.testing.assert_allclose(shown[:, 1:].sum(axis=1), 1, atol=1e-3)


def test_causal_mask_is_taken_away_and_put_back(screen: Screen) -> None:
    screen.open("mini_gpt")
    size = screen.maps.shape[1]
    future = np.triu(np.ones((size, size), dtype=bool), k=1)
    assert np.isnan(screen.maps[:, future]).all()
    assert not np.isnan(screen.maps[:, ~future]).any()
    screen.toggle("causal_mask")
    expect(screen.grid).to_have_attribute("data-painted-causal", "false")
    assert (screen.maps[:, future] > 0).all()
    screen.toggle("causal_mask")
    expect(screen.grid).to_have_attribute("data-painted-causal", "true")
    assert np.isnan(screen.maps[:, future]).all()


def test_temperature_sharpens_and_greedy_writing_does_not_care(screen: Screen) -> None:
    screen.open("mini_gpt", recipe="fast", steps=60)
    screen.train_to_end()
    written = screen.look.locator(".generated-text")
    expect(written.last).to_be_visible()
    expect(screen.look.locator(".generated")).to_have_attribute("data-step", "60")
    greedy, before = written.first.inner_text(), screen.probabilities
    screen.slide("temperature", -10)
    expect(screen.predictions).to_have_attribute("data-temperature", "0.3")
    best = next(iter(before))
    assert next(iter(screen.probabilities)) == best
    assert screen.probabilities[best] > before[best]
    screen.wait_for_parameter("temperature", "0.3")
    assert written.first.inner_text() == greedy


def test_blank_is_filled_with_candidates(screen: Screen) -> None:
    screen.open("mini_bert", recipe="document")
    screen.train_to_end()
    candidates = screen.probabilities
    assert next(iter(candidates)) == "知"
    assert sum(candidates.values()) <= 1 + 1e-5
    screen.write("温故而知新")
    expect(screen.predictions.locator(".js-plotly-plot")).to_be_hidden()


def test_digits_are_answered(screen: Screen) -> None:
    screen.open("tiny_transformer", recipe="fast")
    screen.train_to_end()
    for digits, answer in (("13572468", 0.9), ("12457689", 0.1)):
        screen.write(digits)
        screen.wait_for_chance("✓ yes" if answer > 0.5 else "yes", answer)


def test_another_layer_and_head(screen: Screen) -> None:
    screen.open("mini_gpt")
    first = screen.maps
    screen.choose("layer", "1")
    expect(screen.grid).to_have_attribute("data-painted-layer", "1")
    assert not np.array_equal(first, screen.maps, equal_nan=True)
    screen.grid.get_by_role("radio").nth(2).click()
    expect(screen.zoom).to_have_attribute("data-head", "2")
    np.testing.assert_array_equal(screen.large_map, screen.maps[2])
    screen.wait_for_parameter("head", "2")
    expect(screen.widget("head").get_by_role("radio", name="2")).to_be_checked()


@pytest.mark.parametrize("text", ["<b>道</b>", "$道$", "道👩🏽‍🔬可", "[MASK]道", "道 可", "**道**"])
def test_text_is_shown_literally(screen: Screen, text: str) -> None:
    screen.open("mini_gpt")
    screen.write(text)
    expect(screen.sentence).to_have_value(text)
    screen.wait_for_parameter("prompt", text)
    expect(screen.page.locator("b, .katex")).to_have_count(0)
    expect(screen.sentence).to_have_value(text)


def test_empty_sentence_gets_a_start(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.write("")
    assert screen.maps.shape == (4, 1, 1)
    expect(screen.look.get_by_role("status")).to_contain_text("道")


def test_long_paste_is_cropped_and_says_so(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.paste(LONG_PASTE)
    screen.wait_until_painted(LONG_PASTE)
    assert screen.maps.shape == (4, 48, 48)
    expect(screen.look.get_by_role("status")).to_contain_text("48")
    expect(screen.look.get_by_role("status")).to_contain_text("100000")


def test_chinese_is_composed(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.write("道")
    asked = screen.count_looks()
    keyboard = screen.page.context.new_cdp_session(screen.page)
    for written in ("k", "ke", "ke'd", "ke'dao"):
        keyboard.send(
            "Input.imeSetComposition", {"text": written, "selectionStart": len(written), "selectionEnd": len(written)}
        )
    expect(screen.sentence).to_have_value("道ke'dao")
    screen.page.wait_for_timeout(700)  # longer than the box waits before it tells what was typed
    assert asked() == 0
    keyboard.send("Input.insertText", {"text": "可道"})
    screen.wait_until_painted("道可道")
    expect(screen.sentence).to_be_focused()
    assert asked() == 1
    screen.wait_for_parameter("prompt", "道可道")
    screen.sentence.press_sequentially("非")
    screen.wait_until_painted("道可道非")


def test_typing_is_not_disturbed_by_the_page(screen: Screen) -> None:
    screen.open("mini_gpt", steps=20_000)
    screen.train()
    screen.sentence.press("ControlOrMeta+a")
    text = "有无相生难易相成长短相形高下相倾"
    screen.sentence.press_sequentially(text, delay=150)  # slow enough for the page to run again in between
    screen.wait_until_painted(text)
    expect(screen.sentence).to_be_focused()
    screen.button("stop").click()
    screen.wait_for_status("stopped")
    expect(screen.sentence).to_have_value(text)
