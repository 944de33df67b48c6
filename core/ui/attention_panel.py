"""The looking side of a page: which layer, head and scale, how to write on, and the sentence with its maps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from core.runs.run import Run
from core.settings import N_, SettingError, describe, setting
from core.ui import forms, links, silenced
from core.ui.components.look import look
from core.ui.language import _, language
from core.ui.page import Page

LOOK = "look"
COMMON = (
    "prompt",
    "layer",
    "head",
    "scale",
    "summary",
    "colours",
    "numbers",
    "hide_first",
    "silenced",
    "both",
    "present",
    "controls",
)  # of every view
DISPLAY = ("summary", "colours", "numbers", "hide_first", "silenced", "both")


def attention_panel(
    page: Page,
    run: Run | None,
    more: Callable[[], None] = lambda: None,
    *,
    present: bool = False,
    sentence: bool = True,
) -> None:
    """Layer, head and colour scale, then the sentence, its maps and its predictions.

    ``more`` draws what else stands among the settings of the display. ``present``: large, without the controls; then
    ``sentence`` says whether the box is there to type in.
    """
    _stay_within(page, run)
    _forget_a_passed_click(page)
    view = page.view
    if not present:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="looking"):
            looking_controls(page, run, ("layer", "head", "scale"))
            _display(page, more)
    look(
        run,
        experiment=page.experiment,
        prompt=view.prompt,
        layer=view.layer,
        head=view.head,
        lens=view,
        silenced=view.silenced,
        both=getattr(view, "both", False),
        causal_mask=getattr(page.settings, "causal_mask", None),
        temperature=getattr(view, "temperature", 0.8),
        top_k=getattr(view, "top_k", 0),
        top_p=getattr(view, "top_p", 1.0),
        samples=getattr(view, "samples", 1),
        tokens=getattr(view, "tokens", 0),
        following=True,
        present=present,
        sentence=sentence,
        language=language(),
        key=LOOK,
        on_change=lambda: came_back(page),
        on_silence=lambda heads: page.change_view({"silenced": heads}),
        on_both=lambda both: page.change_view({"both": both}),
    )
    if links.too_long(page.choice):
        st.caption(_("This sentence is too long for a link; the address leaves it out."))


def looking_controls(page: Page, run: Run | None, names: Collection[str]) -> None:
    """Which layer and head are looked at, and by which scale: those of the controls that are named."""
    model = page.settings if run is None else run.settings  # the controls may be ahead of the run
    for name, labels in (("layer", layer_names(model)), ("head", [str(head) for head in range(model.heads)])):
        if name in names:
            _number(page, name, labels)
    if "scale" in names:
        forms.control(setting(page.view, "scale"), page.view.scale, view_changer(page))


def _display(page: Page, more: Callable[[], None]) -> None:
    """What is seldom changed of how maps look. Drawn only while it is open, as in the training panel."""
    popover = st.popover(_("Display"), icon=":material/palette:", key="display", on_change="rerun")
    if popover.open:
        with popover:
            for name in DISPLAY:
                if hasattr(page.view, name):
                    forms.control(setting(page.view, name), getattr(page.view, name), view_changer(page))
            more()


def writing_controls(page: Page) -> None:
    """What else the view of this experiment has: how the model writes on. Sliders in one row, numbers in another."""
    own = [s for s in describe(page.view) if s.name not in COMMON]
    for row in ([s for s in own if s.kind == "number"], [s for s in own if s.kind != "number"]):
        if row:
            for place, one in zip(st.columns(len(row), gap="small", vertical_alignment="bottom"), row, strict=True):
                with place:
                    forms.control(one, getattr(page.view, one.name), view_changer(page))


KINDS = {"encoder": N_("encoder {layer}"), "decoder": N_("decoder {layer}"), "cross": N_("cross {layer}")}


def layer_names(settings: Any) -> list[str]:
    """The attention layers of a model as its control names them."""
    named = (one.partition(" ") for one in settings.attention_layers())
    return [_(KINDS[kind], layer=number) if number else kind for kind, _space, number in named]


def _number(page: Page, name: str, names: Sequence[str]) -> None:
    one = setting(page.view, name)
    labels = dict(enumerate(names))
    forms.pick(name, _(one.label), None, getattr(page.view, name), labels, view_changer(page))


def _stay_within(page: Page, run: Run | None) -> None:
    """After a reset to a smaller model the last layer and head there are take the place of those that are gone.

    Of the silenced heads those stay that there are, however they were written.
    """
    model = page.settings if run is None else run.settings
    layers = len(model.attention_layers())
    page.change_view(
        {
            "layer": min(page.view.layer, layers - 1),
            "head": min(page.view.head, model.heads - 1),
            "silenced": silenced.existing(page.view.silenced, layers, model.heads)[0],
        }
    )


def view_changer(page: Page) -> forms.Changed:
    """Takes a person's change of how the model is looked at to the page."""
    return lambda name, value: page.change_view({name: value})


def _forget_a_passed_click(page: Page) -> None:
    if (st.session_state.get(LOOK) or {}).get("map") is None:
        page.clicked = None


def came_back(page: Page) -> None:
    """The sentence that was typed and the small map that was clicked.

    The component tells both whichever has changed. A head that it has told before is old news: another may have been
    chosen since, on the control.
    """
    state = st.session_state.get(LOOK) or {}
    text, place = state.get("text"), state.get("map")
    if isinstance(text, str):
        page.change_view({"prompt": text})
    clicked = map_of(place)
    if clicked is not None and clicked != page.clicked:
        try:
            page.change_view(dict(zip(("layer", "head"), clicked, strict=True)))
        except SettingError:
            return  # no page of ours tells of a map that there cannot be
    page.clicked = clicked


def map_of(told: object) -> tuple[int, int] | None:
    """Layer and head of what the component tells of a click."""
    if not isinstance(told, Mapping):
        return None
    layer, head = told.get("layer"), told.get("head")
    return (layer, head) if type(layer) is int and type(head) is int else None
