"""Tokens on an axis."""

from __future__ import annotations

import html

from hypothesis import given
from hypothesis import strategies as st

from core.figures.tokens import VISIBLE, shown, ticks


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="␣⏎⇥")))
def test_a_token_is_shown_literally_with_every_space_visible(token: str) -> None:
    back = html.unescape(shown(token))
    for space, sign in VISIBLE.items():
        back = back.replace(sign, space)
    assert back == html.unescape(html.escape(token, quote=False))
    assert not set(shown(token)) & {" ", "\n", "\t", "<", ">"}


@given(st.lists(st.sampled_from("道可 ")))
def test_every_token_has_a_place_of_its_own(tokens: list[str]) -> None:
    named = ticks(tokens)
    assert named["tickvals"] == list(range(len(tokens)))
    assert named["ticktext"] == [shown(token) for token in tokens]
