"""A token read closely: its attention over the sentence, in every head, outgoing and incoming."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.screen import Maps, Screen


def chips(screen: Screen) -> Locator:
    """The tokens of the sentence."""
    return screen.look.locator(".token-chip")


def printed(screen: Screen) -> list[float]:
    """The weights under the tokens; masked ones have none."""
    found = chips(screen).evaluate_all("chips => chips.map(chip => chip.dataset.weight ?? null)")
    return [float("nan") if one is None else float(one) for one in found]


def table(screen: Screen) -> Maps:
    """The weights in the table: heads by tokens."""
    rows = screen.look.locator(".token-reading tr").filter(has=screen.page.locator("td"))
    return np.array([[float(cell or "nan") for cell in row.locator("td").all_inner_texts()] for row in rows.all()])


def test_a_picked_token_shows_what_it_looks_at_and_who_looks_at_it(screen: Screen) -> None:
    screen.open("mini_gpt", head=1)
    chips(screen).nth(3).click()
    panel = screen.look.locator(".token-reading")
    expect(panel).to_have_attribute("data-position", "3")
    np.testing.assert_allclose(printed(screen), screen.large_map[3], atol=6e-4)
    np.testing.assert_allclose(table(screen), screen.maps[:, 3, :], atol=6e-4)
    panel.get_by_role("button", name="is looked at by").click()
    expect(panel).to_have_attribute("data-direction", "incoming")
    np.testing.assert_allclose(printed(screen), screen.large_map[:, 3], atol=6e-4)
    np.testing.assert_allclose(table(screen), screen.maps[:, :, 3], atol=6e-4)
    expect(screen.look.locator(".look-readout").first).to_contain_text("attended to most by")


@pytest.mark.parametrize("experiment", ["tiny_transformer", "mini_gpt"])
def test_pointing_at_a_token_shades_the_sentence_and_moves_nothing(screen: Screen, experiment: str) -> None:
    screen.open(experiment)
    place = screen.zoom.bounding_box()
    chips(screen).nth(2).hover()
    expect(chips(screen).first).to_have_attribute("data-weight", f"{screen.large_map[2, 0]:.3f}".removeprefix("0"))
    assert screen.zoom.bounding_box() == place
    screen.look.locator(".look-label").hover()
    expect(chips(screen).first).not_to_have_attribute("data-weight", "")
    assert all(np.isnan(printed(screen)))


def test_the_reading_follows_the_head_and_the_typing(screen: Screen) -> None:
    screen.open("mini_gpt")
    chips(screen).nth(1).click()
    screen.look.locator(".layer-row .map-choice").nth(3).click()
    expect(screen.grid).to_have_attribute("data-painted-layer", "1")
    expect(screen.zoom).to_have_attribute("data-head", "3")
    np.testing.assert_allclose(printed(screen), screen.large_map[1], atol=5e-3)
    screen.sentence.press("Home")
    screen.sentence.press_sequentially("名")
    screen.wait_until_painted("名道可道非常道")
    expect(chips(screen)).to_have_count(7)
    screen.page.wait_for_function(
        "() => document.querySelector('.token-reading th[data-chosen]')?.textContent === '道'"
    )
    np.testing.assert_allclose(printed(screen), screen.large_map[1], atol=6e-4)
