"""The training side of a page: the buttons, the settings, and the curve of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.runs.run import Run
from core.settings import N_, Setting, SettingError, Value, describe, setting
from core.ui import actions, forms, session
from core.ui.components.curve import curve
from core.ui.language import _, sentence
from core.ui.page import Page
from core.ui.words import Sentence, problem

MODEL = ("layers", "heads", "width", "feed_forward", "dropout", "pre_norm", "positions", "readout")
DATA = ("corpus", "question", "block", "held_out", "sequences", "length")
GROUPS = {"training": N_("Training"), "model": N_("Model"), "data": N_("Data")}

RECIPES = {"document": N_("document"), "fast": N_("fast")}
BUTTONS: dict[str, tuple[str, str, Callable[[Page], None]]] = {
    "train": (N_("Train"), "play_arrow", actions.train),
    "pause": (N_("Pause"), "pause", actions.pause),
    "step": (N_("Step"), "skip_next", actions.step),
    "stop": (N_("Stop"), "stop", actions.stop),
    "reset": (N_("Reset"), "replay", actions.reset),
    "new_seed": (N_("New seed"), "casino", actions.new_seed),
}


def buttons(page: Page, run: Run | None) -> None:
    """Train, pause, step, stop, reset and new seed in one row; those that mean something now can be pressed.

    They have no help: Streamlit would put every button into the page twice, once for screens without a mouse.
    """
    for name, (label, icon, act) in BUTTONS.items():
        st.button(
            _(label),
            key=name,
            icon=f":material/{icon}:",
            type="primary" if name == "train" else "secondary",
            disabled=run is None or not _means_something(name, page, run),
            on_click=act,
            args=(page,),
        )
    session.runs().drawn = None if run is None else (run.id, run.status)


def _means_something(name: str, page: Page, run: Run) -> bool:
    if name == "train":  # what is over begins again
        return run.status not in ("running", "lost")
    if name == "step":
        return run.status != "running" and actions.goes_on(page, run)
    if name == "pause":
        return run.status == "running"
    return name != "stop" or run.status in ("running", "paused", "lost")


def training_panel(page: Page, run: Run | None, in_sight: Sequence[str]) -> None:
    """Recipe and settings, what happened, and the live curve. ``in_sight`` names the settings that stay visible."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _recipe(page)
        # What a closed popover holds is not in the browser, where it would miss what a recipe or a link changes and
        # tell us its old value afterwards. So its controls are drawn only while it is open.
        popover = st.popover(_("Settings"), icon=":material/tune:", key="settings", on_change="rerun")
        if popover.open:
            with popover:
                _all_settings(page, run, in_sight)
    for place, name in zip(st.columns(len(in_sight), vertical_alignment="bottom"), in_sight, strict=True):
        with place:
            forms.control(setting(page.settings, name), getattr(page.settings, name), _changer(page))
    _news(page, run)
    curve(run, experiment=page.experiment, key="loss_chart")


def _recipe(page: Page) -> None:
    forms.pick(
        "recipe",
        _("Recipe"),
        _("Sets steps, batch size, learning rate and what else recipes differ in. Everything else stays as it is."),
        page.choice.recipe,
        {code: _(RECIPES.get(code, code)) for code in page.experiment.recipes},
        lambda name, value: page.choose_recipe(str(value)),
    )


def _all_settings(page: Page, run: Run | None, in_sight: Sequence[str]) -> None:
    st.caption(_("{bolt} takes effect at the next step, everything else at Reset.", bolt=forms.AT_ONCE))
    late = set() if run is None else set(actions.waiting(page, run))
    for group, title in GROUPS.items():
        st.markdown(f"**{_(title)}**")
        columns = st.columns(3, gap="medium")
        shown = [s for s in describe(page.settings) if _group(s) == group and s.name not in in_sight]
        for position, one in enumerate(shown):
            note = _orange(_("Changed since this run began; Reset applies it.")) if one.name in late else None
            with columns[position % 3]:
                forms.control(one, getattr(page.settings, one.name), _changer(page), note=note, narrow=True)


def _group(one: Setting) -> str:
    return "model" if one.name in MODEL else "data" if one.name in DATA else "training"


def _changer(page: Page) -> Callable[[str, Value], None]:
    return lambda name, value: page.change_settings({name: value})


def _news(page: Page, run: Run | None) -> None:
    """What does not fit, what the last button did, what waits for Reset, why there is no such run.

    How a run stands and why it ended, the curve says.
    """
    try:
        page.settings.check()
    except SettingError as error:
        st.error(_("{problem}. The run stays as it is until this is mended.", problem=sentence(error)))
        return
    if page.told is not None:
        (st.error if run is None else st.caption)(page.told.say(_))
    if run is None:
        return
    if late := actions.waiting(page, run):
        labels = ", ".join(_(setting(page.settings, name).label) for name in late)
        if run.status == "ready":
            st.caption(_orange(_("Train or Reset takes over: {names}.", names=labels)))
        else:
            st.caption(_orange(_("Waiting for Reset: {names}.", names=labels)))
    if run.problem is not None:
        cause = run.problem
        why = problem(cause) if isinstance(cause, SettingError) else str(cause) or type(cause).__name__
        st.error(Sentence(N_("There is no such run: {problem}."), {"problem": why}).say(_))


def _orange(text: str) -> str:
    return f":orange[{text}]"
