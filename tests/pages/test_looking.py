"""What the look component tells the page: a sentence, and the head that was clicked."""

from __future__ import annotations

from typing import Any

import pytest
import streamlit as st

from core.experiments import find
from core.ui import attention_panel, links
from core.ui.page import Page


@pytest.fixture
def page() -> Page:
    """A page of MiniGPT."""
    experiment = find("mini_gpt")
    start = links.standard(experiment)
    return Page(experiment, start, start)


@pytest.fixture
def tell(page: Page, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the component tell something."""

    def told(**state: Any) -> None:
        monkeypatch.setattr(st, "session_state", {attention_panel.LOOK: state})
        attention_panel.came_back(page)

    return told


def test_a_typed_sentence_reaches_the_page_as_it_is(page: Page, tell: Any) -> None:
    tell(text="<b> $x$\n [MASK]")
    assert page.view.prompt == "<b> $x$\n [MASK]"


def test_a_clicked_map_chooses_its_layer_and_head(page: Page, tell: Any) -> None:
    tell(map={"layer": 1, "head": 3})
    assert (page.view.layer, page.view.head) == (1, 3)


def test_a_click_that_has_passed_does_not_undo_a_later_choice(page: Page, tell: Any) -> None:
    tell(map={"layer": 1, "head": 3})
    page.change_view({"head": 1})
    tell(map={"layer": 1, "head": 3}, text="道")
    assert (page.view.head, page.view.prompt) == (1, "道")


@pytest.mark.parametrize("head", [-1, 16, 10**6, "2", None, 1.5, True])
@pytest.mark.parametrize("told", ["head", "layer", "neither"])
def test_a_map_there_cannot_be_is_left_alone(page: Page, tell: Any, told: str, head: Any) -> None:
    place = {"layer": 0, "head": 0} | {told: head}
    tell(map=head if told == "neither" else place)
    assert page.view.layer == 0
    assert page.view.head == 0
