"""BERT-Base and BERT-Large, built without memory and counted by part."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.figures.measured import Axis, stacked
from core.figures.theme import Palette
from core.ui.chosen import Chosen
from core.ui.components.plot import plot
from core.ui.forecast import forecast, verdict
from core.ui.language import _
from core.ui.study import study

NAMES = {"base": "BERT-Base", "large": "BERT-Large"}
REPORTED = {  # Devlin et al. 2018 (arXiv:1810.04805): what came before, then the two models
    "GLUE": ("68.9", "78.5", "80.4"),
    "SQuAD 1.1": ("84.1", "88.5", "90.9"),
    "SQuAD 2.0": ("66.3", "73.7", "80.0"),
}


def sizes(_here: Chosen) -> None:
    """Draw the part."""
    answers = _parts()
    answer = forecast("sizes_guess", None, _("Which part of BERT-Base has the most parameters?"), answers)
    if answer is None:
        return

    def draw(found: Any, _complete: bool) -> None:
        parts = found["base"]["parts"]
        most = max(parts, key=parts.get)
        verdict(answer, most, answers, _cause(found))
        _figure(found)
        _table(found)

    study("sizes", {}, "sizes", draw, automatic=True)
    _reported()


def _parts() -> dict[str, str]:
    return {
        "embeddings": _("Embeddings"),
        "attention": _("Attention"),
        "feed_forward": _("Feed-forward"),
        "norms": _("Norms"),
        "pooler": _("Pooler"),
    }


def _cause(found: Any) -> str:
    base = found["base"]
    parts, total = base["parts"], base["parameters"]
    most = max(parts, key=parts.get)
    shares = {name: round(100 * count / total) for name, count in parts.items()}
    cause = _("{share} % of {total} parameters.", share=shares[most], total=format(total, ","))
    ratio = parts["feed_forward"] / parts["attention"]
    return f"{cause} " + _(
        "A block's attention has four matrices of {width} × {width}, its feed-forward part two of {width} × {inner}:"
        " {ratio} times as many numbers.",
        width=base["width"],
        inner=base["feed_forward"],
        ratio=format(ratio, ".2f"),
    )


def _figure(found: Any) -> None:
    words = _parts()
    rows = [NAMES[name] for name in found]

    def figure(palette: Palette) -> go.Figure:
        parts = {words[part]: [one["parts"][part] for one in found.values()] for part in words}
        return stacked(rows, parts, palette=palette, x=Axis(title=_("parameters")))

    said = _("; ").join(f"{NAMES[name]} {one['parameters']:,}" for name, one in found.items())
    plot(figure, "sizes_bars", height=220, alt=_("Parameters by part. {counted}.", counted=said))


def _table(found: Any) -> None:
    heads = (_("Layers"), _("Width"), _("Heads"), _("counted"), _("published"))
    lines = [f"| | {' | '.join(heads)} |", "|---|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {NAMES[name]} | {one['layers']} | {one['width']} | {one['heads']} | **{one['parameters']:,}** |"
        f" {one['published'] / 1e6:.0f} M |"
        for name, one in found.items()
    ]
    st.markdown("\n".join(lines))
    st.caption(
        _("Counted on our own classes, built on torch's meta device: tensors with a shape and no memory behind it.")
    )


def _reported() -> None:
    with st.expander(_("What was reported of them"), icon=":material/format_quote:"):
        heads = (_("reported"), _("before"), *NAMES.values())
        lines = [f"| {' | '.join(heads)} |", "|---|---:|---:|---:|"]
        lines += [f"| {name} | {' | '.join(figures)} |" for name, figures in REPORTED.items()]
        st.markdown("\n".join(lines))
        st.caption(_("As reported by Devlin et al. 2018; not measured here."))
