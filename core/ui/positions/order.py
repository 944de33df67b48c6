"""The learner's own sentence, permuted: what changes with each kind of positions, and what does not without any."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.figures.measured import Axis, stacked
from core.figures.numbers import power
from core.figures.theme import Palette
from core.ui.chosen import Chosen
from core.ui.components.plot import plot
from core.ui.forecast import forecast, verdict
from core.ui.language import _
from core.ui.positions.words import kinds
from core.ui.study import study

ROUNDING = 1e-5  # a smaller change is that of adding the same numbers in another order
LITTLE = 0.1
LEAST = 1e-8  # where the bars begin
TICKS = [10.0**place for place in range(-8, 1)]
HEIGHT = 240


def order(here: Chosen) -> None:
    """Draw the part."""
    answers = {
        "nothing": _("not at all (rounding alone)"),
        "little": _("by less than 10 %"),
        "much": _("by 10 % or more"),
    }
    answer = forecast(
        "order_guess",
        here.view.change,
        _(
            "The sentence is permuted, and a model without positions and without a mask reads it again. By how much"
            " does the output of each token change?"
        ),
        answers,
    )
    if answer is None:
        return

    def draw(found: Any, complete: bool) -> None:
        if complete:
            changes = {case: one["change"] for case, one in found["changes"].items()}
            verdict(answer, _size(changes["none"]), answers, _cause(changes))
            st.text(f"{' '.join(found['tokens'])}  →  {' '.join(found['permuted'])}")
            _figure(changes)

    options = {"text": here.view.prompt, "change": here.view.change, "seed": here.view.seed}
    study("order", options, "order", draw, automatic=True)


def _size(change: float) -> str:
    return "nothing" if change < ROUNDING else "little" if change < LITTLE else "much"


def _percent(change: float) -> str:
    return power(change) if change < ROUNDING else f"{100 * change:.1f} %"


def _cause(changes: dict[str, float]) -> str:
    if changes["none"] >= ROUNDING:
        return ""
    words = _(
        "The change is {change} of the outputs' size: they move with their tokens. Attention without positions is"
        " permutation-equivariant.",
        change=_percent(changes["none"]),
    )
    if changes["alibi"] < ROUNDING:
        words += " " + _(
            "ALiBi does not notice either: this permutation keeps every distance, and that is all it knows."
        )
    if changes["causal"] < ROUNDING:
        return words
    return f"{words} " + _(
        "With a causal mask and still no positions they change by {change}: the mask tells each token what stands"
        " before it.",
        change=_percent(changes["causal"]),
    )


def _figure(changes: dict[str, float]) -> None:
    names = kinds() | {"causal": _("none, causal mask")}
    rows = [names[case] for case in changes]

    def figure(palette: Palette) -> go.Figure:
        measured = {_("change of the outputs"): [max(change, LEAST) for change in changes.values()]}
        axis = Axis(title=_("change of the outputs, as a share of their size"), log=True, ticks=TICKS, bounds=(-8, 0.5))
        return stacked(rows, measured, palette=palette, x=axis)

    said = _("; ").join(f"{names[case]} {_percent(change)}" for case, change in changes.items())
    plot(figure, "order_bars", height=HEIGHT, alt=_("Change of the outputs after a permutation: {said}.", said=said))
    st.caption(
        _(
            "{said}. Six MiniGPTs of one seed, not trained; each output is compared with what the same token had"
            " before.",
            said=said,
        )
    )
