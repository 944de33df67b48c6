"""What a head does: heads silenced and keys hidden on the page, and what that changes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.screen import LONG, READ_PLOT, Screen

EVERY_HEAD = "0.0,0.1,0.2,0.3,1.0,1.1,1.2,1.3"


def toggle(screen: Screen) -> Locator:
    """The switch."""
    return screen.look.locator(".ablate")


def tick(screen: Screen, name: str) -> Locator:
    """The tick box over the map of a head, such as 0.2."""
    return screen.look.locator(f'.head-ticks input[data-name="{name}"]')


def cost(screen: Screen) -> Locator:
    """What the ablation costs, in words."""
    return screen.look.locator(".ablation-loss")


def chip(screen: Screen, position: int) -> Locator:
    """A token that the model read."""
    return screen.look.locator(".token-chip").nth(position)


def expect_without(screen: Screen, taken: str) -> None:
    """Wait until maps and bars are painted without these heads and keys."""
    for part in (screen.grid, screen.zoom, screen.predictions):
        expect(part).to_have_attribute("data-painted-without", taken)


def losses(screen: Screen) -> tuple[float, float]:
    """The loss with everything and without what is taken away, as the page says them."""
    found = re.search(r"(<? ?[\d.]+) → ([\d.]+) ", cost(screen).inner_text())
    assert found
    return float(found[1].removeprefix("< ")), float(found[2])


def bars(screen: Screen) -> dict[str, Any]:
    """The painted bars: labels, and the chances of each trace."""
    plot = screen.predictions.locator(".js-plotly-plot").evaluate(READ_PLOT)
    return {"labels": plot["labels"], "chances": [trace["x"] for trace in plot["data"]]}


def corner(place: Locator) -> tuple[float, float]:
    """Where an element stands."""
    box = place.bounding_box()
    assert box
    return box["x"], box["y"]


def test_without_any_head_prediction_and_loss_change_and_with_them_all_is_as_before(screen: Screen) -> None:
    screen.open("mini_gpt")
    before, maps = bars(screen), screen.maps
    assert len(before["chances"]) == 1
    places = [corner(part) for part in (screen.grid, screen.zoom, screen.predictions)]
    toggle(screen).click()
    expect(tick(screen, "1.3")).to_be_checked()
    for name in EVERY_HEAD.split(","):
        tick(screen, name).click()
    expect_without(screen, f"{EVERY_HEAD}|")
    assert [corner(part) for part in (screen.grid, screen.zoom, screen.predictions)] == places
    expect(cost(screen)).to_contain_text(re.compile("Loss over the whole training data: .* without any head$"))
    whole, without = losses(screen)
    assert without > 10 * whole
    ablated = bars(screen)
    silenced, outlines = ablated["chances"]
    chances = dict(zip(before["labels"], before["chances"][0], strict=True))
    shown = dict(zip(ablated["labels"], outlines, strict=True))
    best = before["labels"][0]
    assert shown[best] == pytest.approx(chances[best])
    assert dict(zip(ablated["labels"], silenced, strict=True))[best] < chances[best] - 0.1
    np.testing.assert_array_equal(screen.maps, maps)  # of the first layer: a silent head still looks
    screen.wait_for_parameter("silenced", EVERY_HEAD)
    screen.look.get_by_role("button", name="Tick all").click()
    expect_without(screen, "")
    assert bars(screen) == before
    np.testing.assert_array_equal(screen.maps, maps)
    screen.page.wait_for_function("() => !new URL(location.href).searchParams.has('silenced')")


def test_a_silenced_head_is_struck_out_and_its_weight_stands_beside_its_effect(screen: Screen) -> None:
    screen.open("mini_gpt", head=2)
    toggle(screen).click()
    tick(screen, "0.2").click()
    expect_without(screen, "0.2|")
    expect(tick(screen, "0.2").locator("..")).to_have_attribute("data-silent", "true")
    expect(tick(screen, "0.1").locator("..")).to_have_attribute("data-silent", "false")
    expect(screen.look.locator(".zoom-caption")).to_have_attribute("data-silent", "silenced")
    shown = screen.large_map[1:]  # the first query has one key alone
    expect(screen.look.locator(".ablation-weight")).to_contain_text(f"largest weight here is {np.nanmax(shown):.3f}")
    whole, without = losses(screen)
    assert without > whole
    expect(screen.predictions.locator(".look-plot")).to_have_attribute("aria-label", re.compile("with the whole model"))


def test_a_hidden_key_is_masked_in_every_head_until_other_tokens_are_read(screen: Screen) -> None:
    screen.open("tiny_transformer")
    text = screen.sentence.input_value()
    toggle(screen).click()
    chip(screen, 2).click()
    screen.look.get_by_role("button", name=re.compile(r"^Hide key . \(2\)$")).click()
    expect_without(screen, "|2")
    maps = screen.maps
    assert np.isnan(maps[:, :, 2]).all()
    assert not np.isnan(np.delete(maps, 2, axis=2)).any()
    np.testing.assert_allclose(np.nansum(maps, axis=2), 1, atol=1e-3)
    expect(chip(screen, 2)).to_have_attribute("data-hidden-key", "")
    expect(cost(screen)).to_contain_text("with the key at position 2 hidden")
    tick(screen, "1.0").click()
    expect_without(screen, "1.0|2")
    expect(cost(screen)).to_contain_text("without layer 1 head 0, with the key at position 2 hidden")
    chip(screen, 2).press("8")  # as many tokens: the key stays hidden
    changed = text[:2] + "8" + text[3:]
    expect(screen.sentence).to_have_value(changed)
    screen.wait_until_painted(changed)
    expect_without(screen, "1.0|2")
    screen.write(text[:5])
    expect_without(screen, "1.0|")


def test_what_is_written_is_written_without_the_silenced_heads_and_says_so(screen: Screen) -> None:
    screen.open("mini_gpt", silenced="0.2,1.1")
    expect(toggle(screen)).to_have_attribute("aria-pressed", "true")
    generated = screen.look.locator(".generated")
    head, text = generated.locator("strong"), generated.locator(".generated-text").first
    expect(head).to_have_text("Written at step 400 without layer 0 head 2, layer 1 head 1")
    expect(generated).to_have_attribute("data-written", "true")
    silenced = text.inner_text()
    toggle(screen).click()
    expect(head).to_have_text("Written at step 400")
    expect(generated).to_have_attribute("data-written", "true")
    assert text.inner_text() != silenced
    expect(screen.look.locator(".head-ticks")).to_be_hidden()
    expect_without(screen, "")


def test_the_keyboard_goes_from_tick_to_tick_and_unticks(screen: Screen) -> None:
    screen.open("mini_gpt")
    toggle(screen).press("Enter")
    tick(screen, "0.0").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        screen.page.keyboard.press(key)
    expect(tick(screen, "1.2")).to_be_focused()
    expect(screen.look.locator('.head-ticks input[tabindex="0"]')).to_have_count(1)
    screen.page.keyboard.press("Space")
    expect_without(screen, "1.2|")
    expect(tick(screen, "1.2")).to_be_focused()
    expect(screen.grid).to_have_attribute("data-painted-layer", "0")  # the maps were not chosen meanwhile
    expect(screen.look.get_by_role("checkbox", name="Keep layer 1, head 2")).not_to_be_checked()
    screen.page.keyboard.press("Space")
    expect_without(screen, "")


def test_it_follows_the_training_and_leaves_earlier_steps_whole(screen: Screen) -> None:
    screen.open("tiny_transformer", recipe="fast", steps=60)
    screen.train_to_end()
    toggle(screen).click()
    tick(screen, "0.1").click()
    expect_without(screen, "0.1|")
    scrubber = screen.page.locator(".st-key-time .attention-time")
    expect(scrubber).to_have_attribute("data-past", "kept")
    scrubber.get_by_role("slider").press("Home")
    expect_without(screen, "")
    expect(screen.grid).to_have_attribute("data-painted-step", "0")
    expect(cost(screen)).to_contain_text("Earlier steps are kept with all heads")
    expect(tick(screen, "0.1")).to_be_disabled()
    scrubber.get_by_role("slider").press("End")
    expect_without(screen, "0.1|")
    expect(tick(screen, "0.1")).to_be_enabled()
    assert not tick(screen, "0.1").is_checked()


def test_heads_stay_silent_while_the_run_learns(screen: Screen) -> None:
    screen.open("tiny_transformer", recipe="fast", steps=LONG, silenced="1.2")
    screen.train()
    screen.page.wait_for_function(
        "() => Number(document.querySelector('.attention-grid').dataset.paintedStep) > 20",
    )
    expect_without(screen, "1.2|")
    screen.button("pause").click()
    screen.wait_for_status("paused")


def test_both_masks_are_looked_at_without_the_head(screen: Screen) -> None:
    screen.open("mini_gpt", silenced="0.3")
    screen.look.locator(".both-masks").click()
    for part in (".other-map", ".other-predictions"):
        expect(screen.look.locator(part)).to_have_attribute("data-painted-without", "0.3|")
    traces = screen.look.locator(".other-predictions .js-plotly-plot").evaluate(READ_PLOT)["data"]
    assert len(traces) == 2


def test_another_language_keeps_what_is_taken_away(screen: Screen) -> None:
    screen.open("mini_gpt", silenced="0.3")
    chip(screen, 1).click()
    screen.look.locator(".hide-key").click()
    expect_without(screen, "0.3|1")
    screen.page.get_by_text("简体中文", exact=True).click()
    expect(toggle(screen)).to_have_text("消融")
    expect(cost(screen)).to_contain_text("全部训练数据上的损失")
    expect_without(screen, "0.3|1")


def test_the_box_in_the_display_settings_silences_heads_and_shows_those_that_are_unticked(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.button("display").first.click()
    box = screen.widget("silenced").get_by_role("textbox")
    box.fill("1.3, 0.1, 5.5")
    box.press("Enter")
    expect_without(screen, "0.1,1.3|")
    expect(box).to_have_value("0.1,1.3")
    expect(tick(screen, "0.1")).not_to_be_checked()
    screen.page.keyboard.press("Escape")
    tick(screen, "0.1").click()
    expect_without(screen, "1.3|")
    screen.wait_for_parameter("silenced", "1.3")
