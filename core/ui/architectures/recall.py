"""One task, learned by an LSTM, a CNN and attention of the same size."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.figures.measured import Axis, Line, lines
from core.figures.numbers import power
from core.figures.theme import Palette
from core.ui.architectures.words import kinds
from core.ui.chosen import Chosen
from core.ui.components.plot import plot
from core.ui.forecast import forecast, verdict
from core.ui.language import _
from core.ui.study import study

LEARNED = 0.95  # from this accuracy on, the task counts as learned
HEIGHT = 320


def recall(here: Chosen) -> None:
    """Draw the part."""
    st.markdown(
        _(
            "Random symbols, eight kinds; after the last one, name **the first**. An LSTM, a causal CNN (three layers,"
            " kernel 3, dilations 1, 3, 9) and one block of attention have about as many parameters each, and learn"
            " from the same batches."
        )
    )
    length = int(here.view.length)
    answers = kinds() | {"several": _("several of them"), "none": _("none")}
    answer = forecast(
        "recall_guess", length, _("At length {length}: which of them learns it in 400 steps?", length=length), answers
    )
    if answer is None:
        return

    def draw(found: Any, complete: bool) -> None:
        if complete:
            verdict(answer, _learned(found), answers, _cause(found))
        _figure(found)

    study(
        "recall",
        {"length": length, "seed": here.view.seed},
        "recall",
        draw,
        label=_("Train all three"),
        help=_("400 steps each, in turns; a few seconds."),
    )


def _learned(found: Any) -> str:
    those = [kind for kind, one in found["readers"].items() if one["accuracy"][-1] >= LEARNED]
    return "none" if not those else those[0] if len(those) == 1 else "several"


def _cause(found: Any) -> str:
    """A sentence for each of the three, by what was measured of it."""
    return "  \n" + "  \n".join(_said(kinds()[kind], one) for kind, one in found["readers"].items())


def _said(name: str, one: Any) -> str:
    reached = next((step for step, share in zip(one["steps"], one["accuracy"], strict=True) if share >= LEARNED), None)
    last, pull = f"{100 * one['accuracy'][-1]:.0f} %", one["pull"]
    if one["accuracy"][-1] >= LEARNED:
        return _("{name}: {last}, learned by step {step}.", name=name, last=last, step=reached)
    if pull == 0:
        return _(
            "{name}: {last}; the gradient of its answer at the first symbol is exactly 0: its layers do not reach back"
            " so far.",
            name=name,
            last=last,
        )
    return _(
        "{name}: {last}; before training, its answer's gradient at the first symbol was {ratio} of that at the last.",
        name=name,
        last=last,
        ratio=power(pull),
    )


def _figure(found: Any) -> None:
    names = kinds()
    readers = found["readers"]
    sizes = {kind: f"{one['parameters']:,}" for kind, one in readers.items()}

    def figure(palette: Palette) -> go.Figure:
        drawn = [
            Line(name=f"{names[kind]} · {sizes[kind]}", x=one["steps"], y=one["accuracy"])
            for kind, one in readers.items()
        ]
        chance = Line(name=_("chance"), x=[0, found["steps"]], y=[found["chance"]] * 2, guide=True)
        return lines(
            [*drawn, chance],
            palette=palette,
            x=Axis(title=_("step"), bounds=(0, found["steps"])),
            y=Axis(title=_("accuracy"), bounds=(0, 1.03)),
            markers=False,
        )

    now = _("; ").join(f"{names[kind]} {one['accuracy'][-1]:.2f}" for kind, one in readers.items())
    plot(
        figure,
        "recall_curve",
        height=HEIGHT,
        alt=_("Accuracy at length {length}: {now}.", length=found["length"], now=now),
    )
    st.caption(_("Accuracy on 512 sequences that none of them learns from. Behind each name: its parameters."))
