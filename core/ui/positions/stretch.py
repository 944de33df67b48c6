"""Models trained on short windows, read on windows three times as long."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.figures.measured import Axis, Line, lines
from core.figures.theme import Palette
from core.ui.chosen import Chosen
from core.ui.components.plot import plot
from core.ui.forecast import forecast, verdict
from core.ui.language import _
from core.ui.positions.words import kinds
from core.ui.study import study

HEIGHT = 330


def stretch(here: Chosen) -> None:
    """Draw the part."""
    names = kinds()
    answer = forecast(
        "stretch_guess",
        None,
        _(
            "Five small MiniGPTs learn from 16 characters at a time. Which still predicts best between the 33rd and the"
            " 48th?"
        ),
        names,
    )
    if answer is None:
        return

    def draw(found: Any, complete: bool) -> None:
        if complete:
            last = {kind: one["parts"][-1] for kind, one in found["kinds"].items() if one["problem"] is None}
            verdict(answer, min(last, key=last.__getitem__), names, _cause(found))
        _figure(found)
        _table(found)

    study(
        "stretch",
        {"seed": here.view.seed},
        "stretch",
        draw,
        label=_("Train all five"),
        help=_("200 steps each, one after the other; a few seconds."),
    )


def _cause(found: Any) -> str:
    """How many times the loss within the trained length becomes past it, kind by kind, and what refuses."""
    names = kinds()
    factors = _(", ").join(
        f"{names[kind]} × {one['parts'][-1] / one['parts'][0]:.1f}"
        for kind, one in found["kinds"].items()
        if one["problem"] is None
    )
    said = [_("Loss at three times the length against that within it: {factors}.", factors=factors)]
    said += [
        _("The {kind} table has no rows past its end: {problem}.", kind=names[kind], problem=code)
        for kind, one in found["kinds"].items()
        if one["problem"] is not None
        for code in [f"`{one['problem']}`"]
    ]
    return " ".join(said)


def _figure(found: Any) -> None:
    names, block = kinds(), found["block"]
    places = {kind: place for place, kind in enumerate(names)}

    def figure(palette: Palette) -> go.Figure:
        drawn = [
            Line(name=names[kind], x=list(range(1, len(one["losses"]) + 1)), y=one["losses"], place=places[kind])
            for kind, one in found["kinds"].items()
        ]
        highest = max(max(one["losses"]) for one in found["kinds"].values())
        end = Line(name=_("trained length"), x=[block, block], y=[0, highest], guide=True)
        axis = Axis(title=_("position, counted from 1"), ticks=[1, block, 2 * block, 3 * block])
        return lines([*drawn, end], palette=palette, x=axis, y=Axis(title=_("loss (nats)")), markers=False)

    said = _("; ").join(f"{names[kind]} {one['parts'][-1]:.2f}" for kind, one in found["kinds"].items())
    plot(figure, "stretch_curve", height=HEIGHT, alt=_("Loss by position; in the last part {said}.", said=said))


def _table(found: Any) -> None:
    names, block = kinds(), found["block"]
    spans = [f"{1 + part * block}–{(part + 1) * block}" for part in range(found["times"])]
    rows = [f"| {_loss_by()} | {' | '.join(spans)} |", "|---" + "|---:" * len(spans) + "|"]
    for kind, one in found["kinds"].items():
        parts = [f"{loss:.2f}" for loss in one["parts"]] + ["–"] * (found["times"] - len(one["parts"]))
        rows.append(f"| {names[kind]} | {' | '.join(parts)} |")
    st.markdown("\n".join(rows))
    st.caption(
        _(
            "Mean loss in nats a character, on the Dao De Jing that all of them have learned: what is measured is the"
            " positions, not the text. {steps} steps each.",
            steps=found["steps"],
        )
    )


def _loss_by() -> str:
    return _("loss at position")
