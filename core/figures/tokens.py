"""Tokens as a figure writes them: every character visible, and nothing taken for markup."""

from __future__ import annotations

from collections.abc import Sequence

VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥"}
ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def shown(token: str) -> str:
    """A token with its spaces and newlines visible, safe for Plotly, which reads some HTML in its labels."""
    return "".join(VISIBLE.get(character, ESCAPED.get(character, character)) for character in token)


def ticks(tokens: Sequence[str]) -> dict[str, object]:
    """Integer ticks named by the tokens, so that equal characters keep rows of their own."""
    return {"tickvals": list(range(len(tokens))), "ticktext": [shown(token) for token in tokens]}
