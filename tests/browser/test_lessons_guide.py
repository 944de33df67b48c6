"""Experiments done for real: predicted, set up with one click, trained, noticed and explained."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from core.i18n import translate
from tests.browser.screen import Screen

STEPS = 60  # a run that is over quickly; what it learns by then is none of these tests' business
NUMBER = re.compile(r"\d+(\.\d+)?%?")


class Lesson:
    """The experiments beneath the maps of a screen."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.answer = screen.widget("guide_answer")

    def choose(self, title: str) -> None:
        """Choose an experiment by its title."""
        self.screen.widget("guide_exercise").get_by_text(title, exact=True).click()

    def predict(self, choice: str) -> None:
        """Mark a choice and commit to it."""
        self.screen.widget("guide_question").get_by_text(choice, exact=True).click()
        self.screen.button("guide_commit").click()
        expect(self.screen.button("guide_commit")).to_have_count(0)

    def set_up(self) -> None:
        """Let the page prepare the next run."""
        self.screen.button("guide_set_up").click()
        expect(self.screen.button("guide_set_up")).to_have_count(0)
        self.screen.wait_for_status("ready")

    @property
    def table(self) -> list[list[str]]:
        """What was measured, cell by cell."""
        expect(self.answer.locator("table")).to_be_visible()
        rows = self.answer.locator("tbody tr").all()
        return [row.locator("td").all_inner_texts() for row in rows]


def test_masking_rates_are_compared_on_two_runs(screen: Screen) -> None:
    screen.open("mini_bert", steps=STEPS, prompt="学而_习之")
    lesson = Lesson(screen)
    lesson.predict("Clearly higher")
    for rate in ("0.15", "0.3"):
        lesson.set_up()
        screen.train_to_end()
        expect(lesson.answer).to_contain_text(f"masking rate {rate}")
    table = lesson.table
    assert [row[0] for row in table] == ["0.15", "0.3"]
    assert all(NUMBER.fullmatch(cell) for row in table for cell in row)
    assert float(table[1][2].rstrip("%")) == pytest.approx(100 * screen.metric[-1], abs=0.06)
    expect(lesson.answer).to_contain_text("On the same test")
    assert screen.sentence.input_value() == "学而_习之"


def test_taking_the_causal_mask_away_is_exposed_by_the_prefix_only_loss(screen: Screen) -> None:
    screen.open("mini_gpt", recipe="fast")
    lesson = Lesson(screen)
    lesson.predict("The training loss gets low, but it predicts worse from what stands before")
    for _ in range(2):
        lesson.set_up()
        screen.train_to_end()
    expect(lesson.answer).to_contain_text("As you predicted")
    masked, free = lesson.table
    assert float(free[1]) < 0.5
    assert float(free[2]) > 2 * float(masked[2])
    assert int(free[3]) < int(masked[3])
    assert free[4].startswith("道可道")


def test_temperatures_are_measured_on_the_model_on_screen_in_chinese(screen: Screen) -> None:
    screen.open("mini_gpt", language="zh")
    lesson = Lesson(screen)
    lesson.choose(translate("zh", "Temperature 0.2 / 0.8 / 1.5"))
    lesson.predict(translate("zh", "Fewer at 0.2"))
    table = lesson.table
    assert [row[0] for row in table] == ["0.2", "0.8", "1.5"]
    assert all(1 <= int(row[1]) <= 8 for row in table)
    screen.button("guide_temperature_1-5").click()  # Streamlit writes the key 1.5 like this
    screen.wait_for_parameter("temperature", "1.5")


def test_the_maps_stay_on_the_first_screen_and_the_link_leads_to_the_experiments(screen: Screen) -> None:
    screen.open("tiny_transformer")
    heading = screen.page.get_by_role("heading", name="Try it")
    expect(screen.zoom).to_be_in_viewport()
    expect(heading).not_to_be_in_viewport()
    screen.page.get_by_role("link", name="Experiments to try").click()
    expect(heading).to_be_in_viewport()


def test_the_running_source_is_read_in_the_page(screen: Screen) -> None:
    screen.open("mini_gpt")
    screen.choose("guide_part", "Running source")
    expect(screen.page.get_by_test_id("stCode")).to_contain_text("def attention(")
    screen.choose("source_part", "Sampler")
    expect(screen.page.get_by_test_id("stCode")).to_contain_text("def continuations(")
