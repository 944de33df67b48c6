"""The encoder–decoder in one trip: a sum is typed, answered token by token, and seen by three kinds of attention."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from tests.browser.screen import Screen


def test_a_sum_is_typed_answered_and_looked_at(screen: Screen) -> None:
    screen.open("seq2seq", head=1)
    written = screen.look.locator('.answer-choice button[data-kind="written"]')
    screen.write("47+58")
    expect(written).to_have_text(["5", "0", "1", "[END]"])  # 105, ones first
    expect(screen.look.locator('[data-wrong="true"]')).to_have_count(0)
    expect(screen.look.locator(".answer-caption")).to_have_text("Written: 501 ✓")

    names = screen.look.locator(".layer-name")
    expect(names).to_have_count(6)
    assert screen.look.locator(".heads-block").evaluate("block => block.scrollHeight <= block.clientHeight")
    assert {"Encoder, layer 0", "Decoder, layer 1", "Decoder → encoder, layer 1"} <= set(names.all_inner_texts())
    screen.choose("layer", "cross 0")
    expect(screen.grid).to_have_attribute("data-painted-layer", "3")
    assert screen.maps.shape == (4, 4, 5)  # what is written by what is read
    np.testing.assert_allclose(screen.maps.sum(axis=2), 1, atol=1e-3)
    expect(screen.look.locator(".zoom-caption")).to_have_text("Decoder → encoder, layer 0 · Head 1")
    screen.choose("layer", "decoder 1")
    expect(screen.grid).to_have_attribute("data-painted-layer", "4")
    assert np.isnan(screen.maps[:, *np.triu_indices(4, 1)]).all()  # what is not written yet cannot be seen

    screen.button("step").click()  # a run of one's own: after one step it cannot add
    expect(screen.grid).to_have_attribute("data-painted-step", "1")
    expect(screen.look.locator('[data-wrong="true"]').first).to_be_visible()
    written.nth(0).click()
    expect(written.nth(0)).to_have_attribute("aria-pressed", "true")
    screen.write("147+5")  # longer than what this model was trained on
    expect(screen.look.locator(".look-news")).to_contain_text("47+05")
