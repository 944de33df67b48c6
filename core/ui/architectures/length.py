"""What a layer of each kind costs as sequences grow, beside what the paper says."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.figures.measured import Axis, Line, lines
from core.figures.numbers import scale
from core.figures.theme import Palette
from core.ui.architectures.words import kinds
from core.ui.chosen import Chosen
from core.ui.components.plot import plot
from core.ui.forecast import forecast, verdict
from core.ui.language import _
from core.ui.study import study

HEIGHT = 320
PAPER = {  # Vaswani et al. 2017, table 1: cost of a layer, sequential operations, longest path
    "lstm": ("O(n·d²)", "O(n)", "O(n)"),
    "cnn": ("O(k·n·d²)", "O(1)", "O(logₖ n)"),
    "attention": ("O(n²·d)", "O(1)", "O(1)"),
}
QUADRATIC = 2.83  # times the time at twice the length: nearer to 4 than to 2


def length(_here: Chosen) -> None:
    """Draw the part."""
    names = kinds()
    answer = forecast(
        "length_guess",
        None,
        _("The sequence grows from 256 to 512 tokens. Whose time for one layer, forwards and backwards, grows most?"),
        names,
    )
    if answer is None:
        return

    def draw(found: Any, complete: bool) -> None:
        if complete:
            growth = {kind: one["milliseconds"][-1] / one["milliseconds"][-2] for kind, one in found["kinds"].items()}
            verdict(answer, max(growth, key=growth.__getitem__), names, _cause(growth, found))
        left, right = st.columns(2)
        with left:
            _chart(found, "milliseconds", _("milliseconds"), _("Time of a layer"))
        with right:
            _chart(found, "path", _("operations"), _("Longest path"))
        _table(found)

    study("length", {}, "length", draw, label=_("Measure"), help=_("A second on this server."))


def _cause(growth: dict[str, float], found: Any) -> str:
    names = kinds()
    factors = _(", ").join(f"{names[kind]} × {factor:.1f}" for kind, factor in growth.items())
    said = _("From 256 to 512 tokens: {factors}.", factors=factors)
    if growth["attention"] >= QUADRATIC:
        why = _("Attention's time grows faster than the length: its n² pairs, × 4, now weigh most.")
    else:
        why = _(
            "Attention's time is not × 4 here: at width {width} and this length, what grows with n still weighs more"
            " than the n² pairs.",
            width=found["width"],
        )
    return f"{said} {why}"


def _chart(found: Any, measure: str, unit: str, title: str) -> None:
    names = kinds()
    lengths = found["lengths"]
    steps = scale([value for one in found["kinds"].values() for value in one[measure]])

    def figure(palette: Palette) -> go.Figure:
        drawn = [
            Line(name=names[kind], x=lengths[: len(one[measure])], y=one[measure])
            for kind, one in found["kinds"].items()
        ]
        x = Axis(title=_("tokens"), log=True, ticks=lengths)
        return lines(drawn, palette=palette, x=x, y=Axis(title=unit, log=True, ticks=steps))

    now = _("; ").join(f"{names[kind]} {one[measure][-1]:.3g}" for kind, one in found["kinds"].items() if one[measure])
    st.markdown(f"**{title}**")
    plot(
        figure,
        f"length_{measure}",
        height=HEIGHT,
        alt=_("{title} at the greatest length: {now}.", title=title, now=now),
    )


def _table(found: Any) -> None:
    names = kinds()
    heads = (_("cost, paper"), _("sequential, paper"), _("path, paper"), _("time measured"), _("path measured"))
    lines_ = [f"| | {' | '.join(heads)} |", "|---|---|---|---|---:|---:|"]
    for kind, paper in PAPER.items():
        one = found["kinds"][kind]
        if not one["milliseconds"]:
            continue
        measured = f"{one['milliseconds'][0]:.2f} → {one['milliseconds'][-1]:.2f} ms"
        lines_.append(f"| {names[kind]} | {' | '.join(paper)} | {measured} | {one['path'][0]} → {one['path'][-1]} |")
    st.markdown("\n".join(lines_))
    st.caption(
        _(
            "Measured on this server, time of one processor, width {width}, {batch} sequences at once, kernel {kernel};"
            " median of 7. The path is found by following gradients from the last place to the first token: layers of"
            " attention or of dilated convolutions are stacked until there is one; an LSTM's cell is applied token by"
            " token.",
            width=found["width"],
            batch=found["batch"],
            kernel=found["kernel"],
        )
    )
