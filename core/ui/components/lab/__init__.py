"""The formula of attention on a sentence: every step as a map, and a chosen cell spelled out.

The browser asks the route ``./api/lab`` as one types and paints the answer on canvases. Python hears of the sentence
when the typing rests, and of the head and the cell that were chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.experiments import Experiment
from core.figures.lab import colours
from core.runs.run import Run
from core.ui.components import load_component
from core.ui.components.lab.words import labels
from core.ui.components.sentence import revision, said
from core.ui.lab.models import Example
from core.ui.language import _
from core.ui.words import Sentence


def lab(
    run: Run | None,
    *,
    own: bool,
    trouble: Sentence | None,
    experiment: Experiment,
    settings: Any,
    examples: Sequence[Example],
    prompt: str,
    words: tuple[str, str] | None,
    layer: int,
    head: int,
    switches: Mapping[str, bool],
    trained: Mapping[str, bool],
    cell: tuple[int, int] | None,
    language: str,
    key: str,
    on_change: Callable[[], None],
) -> Any:
    """Draw the sentence, the finder of heads, the maps of the formula and the chosen cell.

    Returns the component's state: ``text``, the sentence that was typed last, and in the one script run that follows a
    choice ``head``, {layer, head} and, where its layer joins other tokens, {query, key}, or ``cell``, {query, key}.
    ``on_change`` is called before that script run. ``settings`` are the model's, ``switches`` what the formula is
    computed with, ``trained`` what the model was trained with. ``words`` name the cell by its tokens where none is
    chosen by its place. A run of one's ``own`` is followed while it trains.
    """
    told = st.session_state.get(key) or {}
    data = {
        "run": None if run is None else {"id": run.id, "status": run.status},
        "following": own,
        "trouble": None if trouble is None else _(trouble.message, **trouble.fields),
        "text": prompt,
        "revision": revision(key, prompt),
        "told": told.get("text"),
        "generates": experiment.generates,
        "examples": [{"text": one.text, "words": one.words} for one in examples],
        "words": words,
        "layer": layer,
        "head": head,
        "switches": dict(switches),
        "trained": dict(trained),
        "cell": cell,
        "language": language,
        "labels": labels(experiment, settings),
        "colours": colours(),
    }

    def text_changed() -> None:
        said(key)
        on_change()

    return load_component("lab")(
        key=key,
        data=data,
        on_text_change=text_changed,
        on_head_change=on_change,
        on_cell_change=on_change,
    )
