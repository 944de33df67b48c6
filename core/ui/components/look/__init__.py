"""A sentence and what every head attends to: one component, so that a key reaches the maps without a script run.

The browser asks the route ``./api/look`` as one types and paints the answer in place. Python hears of the sentence
when the typing rests, and of the head and the cell that were clicked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

import streamlit as st

from core.experiments import Experiment
from core.figures.attention import MapWords, grid, zoom
from core.figures.bars import BarWords, bars
from core.figures.theme import coloured
from core.runs.run import Run
from core.ui.components import load_component
from core.ui.components.figures import for_both_themes
from core.ui.components.look.words import bar_words, chips, labels, map_words

BOX = "_box_"  # session state: the sentence that the browser shows, and how often Python has replaced it


class Lens(Protocol):
    """How weights are seen: a page's view is one."""

    scale: str
    summary: str
    colours: str
    hide_first: bool
    numbers: bool


def look(
    run: Run | None,
    *,
    experiment: Experiment,
    prompt: str,
    layer: int,
    head: int,
    lens: Lens,
    causal_mask: bool | None,
    temperature: float,
    top_k: int,
    tokens: int,
    following: bool,
    language: str,
    key: str = "look",
    step: int | None = None,
    top_p: float = 1.0,
    samples: int = 1,
    present: bool = False,
    sentence: bool = True,
    silenced: str = "",
    both: bool = False,
    on_change: Callable[[], None] = lambda: None,
    on_silence: Callable[[str], None] = lambda heads: None,
    on_both: Callable[[bool], None] = lambda both: None,
) -> Any:
    """Draw the sentence, its maps, the predictions and what the model writes.

    Returns the component's state: ``text``, the sentence that was typed last, and in the one script run that follows a
    click ``map``, {layer, head} of the small map, or ``cell``, {layer, head, query, key} of the large one; and
    ``guess``, whether maps are covered until their rows are guessed; ``ablating``, whether heads can be silenced and
    keys hidden, and ``hidden_keys``, which keys are, of which tokens. ``on_silence`` is told the heads that are
    ``silenced`` by a click from now on, ``on_both`` whether the maps with and without the causal mask are to stand side
    by side, as ``both`` says they do now. ``on_change`` is called before that script run; what it is about stands in
    ``st.session_state[key]``. ``step`` looks at an earlier step of the run.
    """
    told = st.session_state.get(key) or {}
    heads = 1 if run is None else int(run.settings.heads)
    data = {
        "run": None if run is None else {"id": run.id, "status": run.status, "seed": int(run.settings.seed)},
        "text": prompt,
        "revision": _revision(key, prompt),
        "told": told.get("text"),
        "both": both,
        "guess": bool(told.get("guess")),
        "ablating": bool(told.get("ablating")),
        "hidden_keys": told.get("hidden_keys"),
        "silenced": silenced,
        "chips": chips(experiment),
        "layer": layer,
        "head": min(head, heads - 1),
        "lens": {"scale": lens.scale, "hide_first": lens.hide_first},
        "summary": lens.summary,
        "colours": lens.colours,
        "numbers": lens.numbers,
        "causal_mask": causal_mask,
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
        "samples": samples,
        "tokens": tokens,
        "step": step,
        "following": following and step is None,
        "present": present,
        "sentence": sentence,
        "generates": experiment.generates,
        "language": language,
        "labels": labels(experiment, "" if run is None else getattr(run.settings, "question", "")),
        "figures": _figures(heads, lens.scale, lens.colours, map_words(), bar_words()),
    }
    return load_component("look")(
        key=key,
        data=data,
        on_both_change=lambda: _tell(key, "both", bool, on_both),
        on_guess_change=lambda: None,
        on_ablating_change=lambda: None,
        on_hidden_keys_change=lambda: None,
        on_silenced_change=lambda: _tell(key, "silenced", str, on_silence),
        on_text_change=lambda: _said(key, on_change),
        on_map_change=on_change,
        on_cell_change=on_change,
    )


@cache
def _figures(heads: int, scale: str, colours: str, words: MapWords, bar_words: BarWords) -> dict[str, dict[str, Any]]:
    return for_both_themes(
        grid=lambda palette: grid(heads=heads, scale=scale, palette=coloured(palette, colours), words=words),
        zoom=lambda palette: zoom(scale=scale, palette=coloured(palette, colours), words=words),
        bars=lambda palette: bars(palette=palette, words=bar_words),
    )


def _revision(key: str, prompt: str) -> int:
    """How often Python has put another sentence into the box.

    The browser replaces what stands in its box only when this number grows: what it has told Python itself comes back
    late, and one may have typed on.
    """
    text, revision = st.session_state.get(BOX + key, (None, 0))
    if text != prompt:
        revision += 1
        st.session_state[BOX + key] = (prompt, revision)
    return int(revision)


def _tell(key: str, name: str, kind: type, hear: Callable[[Any], None]) -> None:
    """Pass on what the browser has told under this name."""
    value = st.session_state[key].get(name)
    if isinstance(value, kind):
        hear(value)


def _said(key: str, on_change: Callable[[], None]) -> None:
    """The browser has told its sentence: it need not be told it back."""
    text = st.session_state[key].get("text")
    if isinstance(text, str):
        revision = st.session_state.get(BOX + key, (None, 0))[1]
        st.session_state[BOX + key] = (text, revision)
    on_change()
