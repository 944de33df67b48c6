"""What each kind of positions looks like, and what it does to similarity or to a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.figures.measured import Axis, Line, Map, lines, maps
from core.figures.numbers import power
from core.figures.theme import Palette
from core.ui import session
from core.ui.chosen import Chosen
from core.ui.components.plot import plot
from core.ui.forecast import forecast, verdict
from core.ui.language import _
from core.ui.study import study

HEIGHT = 340
FAR = 20  # positions apart
ALIKE = 0.1  # cosines of 64 random numbers spread by 1/√64 = 0.125: what differs by less is called alike
SAME = 1e-4  # two scores that differ by less differ by rounding alone


def waves(here: Chosen) -> None:
    """Draw the part."""
    kind = here.view.kind
    question, answers = _question(kind)
    answer = forecast("waves_guess", kind, question, answers)
    if answer is None:
        return
    run = session.pool().shipped("mini_gpt") if kind == "learned" else None
    draw = partial({"rope": _rope, "alibi": _alibi}.get(kind, partial(_table, kind)), answer, answers)

    def drawn(found: Any, complete: bool) -> None:
        if complete:
            draw(found)

    study("waves", {"kind": kind}, f"waves_{kind}", drawn, run=run, automatic=True)


def _question(kind: str) -> tuple[str, dict[str, str]]:
    if kind == "rope":
        question = _("A query and a key both move ten places on. What happens to their score?")
        return question, {"same": _("it stays"), "other": _("it changes")}
    if kind == "alibi":
        heads = {str(head): _("head {head}", head=head) for head in range(4)}
        return _("Four heads, each with its own slope. Which one looks farthest back?"), heads
    pairs = {"near": _("neighbours"), "far": _("{far} apart", far=FAR), "equal": _("both alike")}
    if kind == "learned":
        return _("MiniGPT has learned its position table. Which two positions have the more similar vectors?"), pairs
    return _("Which two positions have the more similar sinusoidal vectors?"), pairs


def _table(kind: str, answer: str, answers: Mapping[str, str], found: Any) -> None:
    near, far = found["by_distance"][1], found["by_distance"][FAR]
    measured = "equal" if abs(near - far) < ALIKE else "near" if near > far else "far"
    cause = _(
        "Mean cosine of neighbours {near}, of positions {far_apart} apart {far}.",
        near=format(near, ".2f"),
        far_apart=FAR,
        far=format(far, ".2f"),
    )
    verdict(answer, measured, answers, f"{cause} {_why(kind, measured)}")
    left, right = st.columns([3, 2])
    with left:
        _maps(found)
    with right:
        _by_distance(found["by_distance"], _("mean cosine"))
    if kind == "learned":
        st.caption(
            _(
                "The table of the {model} that ships with this app, after {step} steps of training.",
                model=found["experiment"],
                step=found["step"],
            )
        )


def _why(kind: str, measured: str) -> str:
    if kind == "sinusoidal":
        return (
            _("Slow waves hardly move between neighbours; fast ones part them quickly.") if measured == "near" else ""
        )
    if measured == "equal":
        return _("No formula ties its vectors to each other: they began at random.")
    return ""


def _maps(found: Any) -> None:
    most = max(abs(cell) for row in found["table"] for cell in row)

    def figure(palette: Palette) -> go.Figure:
        table = Map(
            title=_("Position × dimension"),
            cells=found["table"],
            rows=_("position"),
            columns=_("dimension"),
            bounds=(-most, most),
            diverging=True,
            square=False,
        )
        similar = Map(
            title=_("Similarity (cosine)"),
            cells=found["similarity"],
            rows=_("position"),
            columns=_("position"),
            bounds=(-1.0, 1.0),
            diverging=True,
        )
        return maps([table, similar], palette=palette)

    plot(figure, "waves_maps", height=HEIGHT, alt=_("The vectors of all positions, and the cosine of every two."))


def _by_distance(values: Sequence[float], title: str) -> None:
    def figure(palette: Palette) -> go.Figure:
        line = Line(name=title, x=list(range(len(values))), y=values)
        return lines([line], palette=palette, x=Axis(title=_("distance")), y=Axis(title=title), markers=False)

    plot(
        figure,
        "waves_distance",
        height=HEIGHT,
        alt=_("{title} by distance: {first} at 0, {last} at {far}.", title=title, far=len(values) - 1, **_ends(values)),
    )


def _ends(values: Sequence[float]) -> dict[str, str]:
    return {"first": format(values[0], ".2f"), "last": format(values[-1], ".2f")}


def _rope(answer: str, answers: Mapping[str, str], found: Any) -> None:
    measured = "same" if found["spread"] < SAME else "other"
    cause = _(
        "At every place the same query and key: scores at the same distance differ by {spread} at most. Only the"
        " difference of the places counts.",
        spread=power(found["spread"]),
    )
    verdict(answer, measured, answers, cause if measured == "same" else "")
    most = max(abs(cell) for row in found["scores"] for cell in row)

    def figure(palette: Palette) -> go.Figure:
        scores = Map(
            title=_("Score q·k/√d"),
            cells=found["scores"],
            rows=_("query"),
            columns=_("key"),
            bounds=(-most, most),
            diverging=True,
        )
        return maps([scores], palette=palette)

    left, right = st.columns(2)
    with left:
        plot(figure, "waves_maps", height=HEIGHT, alt=_("The score of one query and one key at every two places."))
    with right:
        _by_distance(found["by_distance"], _("score"))
    st.caption(
        _(
            "One random query of {width} numbers, and a key that resembles it, turned to every place.",
            width=found["width"],
        )
    )


def _alibi(answer: str, answers: Mapping[str, str], found: Any) -> None:
    slopes = found["slopes"]
    farthest = min(range(len(slopes)), key=slopes.__getitem__)
    listed = ", ".join(format(slope, ".3g") for slope in slopes)
    cause = _("Slopes of the heads: {slopes}. The smallest takes least from a score far away.", slopes=listed)
    verdict(answer, str(farthest), answers, cause)

    def figure(palette: Palette) -> go.Figure:
        drawn = [
            Line(name=_("head {head}", head=head), x=list(range(len(bias))), y=bias)
            for head, bias in enumerate(found["heads"])
        ]
        return lines(
            drawn,
            palette=palette,
            x=Axis(title=_("distance")),
            y=Axis(title=_("added to the score")),
            markers=False,
        )

    plot(figure, "waves_distance", height=HEIGHT, alt=cause)
