"""Which token may look at which in an encoder, a decoder, and between the two."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.figures.measured import Map, maps
from core.figures.theme import Palette
from core.ui.chosen import Chosen
from core.ui.components.plot import plot
from core.ui.forecast import forecast, verdict
from core.ui.language import _
from core.ui.source import Part, source
from core.ui.study import study

HEIGHT = 310
CODE = Part("", "core/layers.py", ("causal_mask", "MultiHeadAttention"))


def masks(here: Chosen) -> None:
    """Draw the part."""
    tokens, padding = here.view.tokens, min(here.view.padding, here.view.tokens - 1)
    answers = _answers(tokens)
    answer = forecast(
        "masks_guess",
        (tokens, padding),
        _question(tokens, padding),
        answers,
    )
    if answer is None:
        return

    def draw(found: Any, _complete: bool) -> None:
        pairs = found["decoder"]["pairs"]
        measured = answers | {"measured": str(pairs)}
        code = next((code for code, words in answers.items() if words == str(pairs)), "measured")
        verdict(answer, code, measured, _cause(found))
        _figure(found)

    study("masks", {"tokens": tokens, "padding": padding}, "masks", draw, automatic=True)
    with st.expander(_("The code that makes them"), icon=":material/code:"):
        st.code(source(CODE), language="python", height=HEIGHT)


def _question(tokens: int, padding: int) -> str:
    if not padding:
        return _(
            "A decoder reads {tokens} tokens. How many of its {cells} pairs of query and key may look?",
            tokens=tokens,
            cells=tokens**2,
        )
    return _(
        "A decoder reads {tokens} tokens, {padding} of them padding. How many of its {cells} pairs of query and key may"
        " look?",
        tokens=tokens,
        padding=padding,
        cells=tokens**2,
    )


def _answers(tokens: int) -> dict[str, str]:
    """Distinct counts: all of them, one triangle, one triangle without its diagonal, one a row."""
    counts = {
        "all": tokens**2,
        "triangle": tokens * (tokens + 1) // 2,
        "strict": tokens * (tokens - 1) // 2,
        "diagonal": tokens,
    }
    found: dict[str, str] = {}
    for code, count in counts.items():
        if str(count) not in found.values():
            found[code] = str(count)
    return found | {"fewer": _("another number")}


def _cause(found: Any) -> str:
    encoder, decoder = found["encoder"], found["decoder"]
    words = _(
        "The causal mask leaves {decoder} of the encoder's {encoder} pairs: each token sees itself and what stands"
        " before it.",
        decoder=decoder["pairs"],
        encoder=encoder["pairs"],
    )
    leak = format(max(one["leak"] for one in found.values()), "g")
    return f"{words} " + _("The largest weight on a masked pair, measured: {leak}.", leak=leak)


def _figure(found: Any) -> None:
    titles = {
        "encoder": _("Encoder"),
        "decoder": _("Decoder"),
        "cross": _("Target on source"),
        "target": _("Target on itself"),
    }
    words = {True: _("may look"), False: _("masked")}

    def figure(palette: Palette) -> go.Figure:
        drawn = [
            Map(
                title=f"{titles[name]} · {one['pairs']}",
                cells=[[0.62 if cell else None for cell in row] for row in one["allowed"]],
                rows=_("query"),
                columns=_("key"),
                words=[[words[bool(cell)] for cell in row] for row in one["allowed"]],
                hover="%{text}",
            )
            for name, one in found.items()
        ]
        return maps(drawn, palette=palette)

    counted = ", ".join(f"{titles[name]}: {one['pairs']} / {one['cells']}" for name, one in found.items())
    plot(figure, "masks_map", height=HEIGHT, alt=_("Pairs that may look. {counted}.", counted=counted))
    st.caption(
        _(
            "Blue: the query in that row may look at the key in that column. Grey: masked. An encoder–decoder has three"
            " masks: the encoder's, its target's on itself and on the source."
        )
    )
