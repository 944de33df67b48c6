"""Presenter view: one map or one curve, large enough for the last row, still live, with the controls that a link names.

``present`` says what is shown and ``controls`` which controls remain, by their keys; both stand in the link.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.i18n import ROOT
from core.runs.run import Run
from core.settings import N_, describe, setting
from core.ui import actions, forms, frame
from core.ui.align import align
from core.ui.attention_panel import COMMON, attention_panel, looking_controls, view_changer
from core.ui.components.curve import curve
from core.ui.components.time import scrubber
from core.ui.language import _, language_control
from core.ui.page import Page
from core.ui.training_panel import buttons, settings_changer
from core.ui.words import Sentence, sentence

STYLE = ROOT / "assets" / "css" / "presenter.css"
OFF = "off"
WHAT = {"map": N_("Map"), "curve": N_("Curve")}
CONTROL = 260  # pixels of width for a slider
LOOKING = ("layer", "head", "scale")
NAMES = {"prompt": N_("Sentence"), "train": N_("Train"), "time": N_("Time"), "language": N_("Language")}


def offered(page: Page, in_sight: Sequence[str]) -> dict[str, str]:
    """The controls that can remain on this page, by their keys, with their labels."""
    own = {one.name: one.label for one in describe(page.view) if one.name in LOOKING or one.name not in COMMON}
    live = {name: setting(page.settings, name).label for name in in_sight if setting(page.settings, name).live}
    return NAMES | own | live


def remaining(page: Page, in_sight: Sequence[str]) -> list[str]:
    """The controls that remain, of those that there are, in their own order."""
    wanted = named(page)
    return [name for name in offered(page, in_sight) if name in wanted]


def named(page: Page) -> list[str]:
    """The controls that the page's view names."""
    return [name.strip() for name in str(page.view.controls).split(",") if name.strip()]


def button(page: Page) -> None:
    """The way in and out, with a key of its own."""
    presents = page.view.present != OFF
    st.button(
        _("Leave") if presents else _("Present"),
        key="present",
        icon=":material/close_fullscreen:" if presents else ":material/present_to_all:",
        shortcut="Alt+P",
        on_click=_show,
        args=(page, OFF if presents else "map"),
    )


def controls_choice(page: Page, in_sight: Sequence[str]) -> None:
    """Which controls are to remain in presenter view."""
    labels = {name: _(label) for name, label in offered(page, in_sight).items()}
    chosen = remaining(page, in_sight)
    align("controls", chosen)
    st.multiselect(
        _("Controls in presenter view"),
        list(labels),
        default=chosen,
        key="controls",
        format_func=labels.__getitem__,
        help=_("What stays in reach while the map or the curve is projected. The link carries it."),
        on_change=_keep,
        args=(page,),
    )


def _keep(page: Page) -> None:
    page.change_view({"controls": ",".join(st.session_state["controls"])})


def _show(page: Page, what: str) -> None:
    page.change_view({"present": what})


def present(page: Page, in_sight: Sequence[str]) -> None:
    """Draw the page in presenter view."""
    run = actions.opened(page)
    controls = remaining(page, in_sight)
    st.html(frame.STYLE)
    st.html(STYLE)
    with st.container(key="presenter_bar", horizontal=True, vertical_alignment="center", gap="small"):
        st.title(_(page.experiment.title), anchor=False, width="content")
        _what(page)
        if "train" in controls:
            buttons(page, run)
        if "language" in controls:
            language_control()
        button(page)
    unknown = [name for name in named(page) if name not in offered(page, in_sight)]
    frame.notices([*page.notices, *_unknown(unknown)])
    _controls(page, run, controls)
    if page.view.present == "curve":
        curve(run, experiment=page.experiment, key="loss_chart", present=True)
    else:
        attention_panel(page, run, present=True, sentence="prompt" in controls)
    if "time" in controls:
        scrubber(run, experiment=page.experiment)


def _what(page: Page) -> None:
    align("present_what", page.view.present)
    st.segmented_control(
        _("Shown"),
        list(WHAT),
        default=page.view.present,
        key="present_what",
        format_func=lambda code: _(WHAT[code]),
        required=True,
        on_change=lambda: _show(page, st.session_state["present_what"]),
        label_visibility="collapsed",
    )


def _unknown(names: Sequence[str]) -> list[Sentence]:
    if not names:
        return []
    return [sentence(N_("The link names controls that this page does not have: {names}."), names=", ".join(names))]


def _controls(page: Page, run: Run | None, names: Sequence[str]) -> None:
    """The controls of the view and the live settings that remain, in one row."""
    rest = [name for name in names if name not in NAMES]
    if not rest:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="presenter_controls"):
        looking_controls(page, run, [name for name in rest if name in LOOKING])
        for name in rest:
            if name in LOOKING:
                continue
            trained = hasattr(page.settings, name)
            group, changer = (page.settings, settings_changer(page)) if trained else (page.view, view_changer(page))
            with st.container(width=CONTROL):
                forms.control(setting(group, name), getattr(group, name), changer)
