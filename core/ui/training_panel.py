"""The training side of a page: the buttons, the settings, and the curve of the run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import streamlit as st

from core.experiments.common import TOO_FEW
from core.runs.run import Run
from core.settings import N_, Setting, SettingError, Value, describe, setting
from core.ui import actions, forms, links, session
from core.ui.align import align
from core.ui.components.curve import curve
from core.ui.components.time import scrubber
from core.ui.language import _, sentence
from core.ui.page import Page
from core.ui.words import Sentence, problem

MODEL = ("layers", "heads", "width", "feed_forward", "dropout", "pre_norm", "positions", "readout")
DATA = ("corpus", "question", "block", "held_out", "sequences", "length")
GROUPS = {"training": N_("Training"), "model": N_("Model"), "data": N_("Data")}

RECIPES = {"document": N_("document"), "fast": N_("fast")}
RECIPE_LINES = {
    "document": N_("As the document trains it."),
    "fast": N_("Reaches the same loss sooner."),
}
SHORT = {"mask_share": N_("[MASK]"), "random_share": N_("random")}  # labels of what shares its row with MASKS
MASKS = {  # of the characters to predict: how many become [MASK], a random character, and stay (Devlin et al. 2018)
    "100/0/0": {"mask_share": 1.0, "random_share": 0.0},
    "80/10/10": {"mask_share": 0.8, "random_share": 0.1},
}
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
            type="primary" if name == _next(run) else "secondary",
            disabled=run is None or not _means_something(name, page, run),
            on_click=act,
            args=(page,),
        )
    session.runs().drawn = None if run is None else (run.id, run.status)


def _next(run: Run | None) -> str:
    """The button that most people will want to press now."""
    return "reset" if run is not None and run.status == "failed" else "train"


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
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="recipes"):
        _recipe(page)
        # What a closed popover holds is not in the browser, where it would miss what a recipe or a link changes and
        # tell us its old value afterwards. So its controls are drawn only while it is open.
        popover = st.popover(_("Settings"), icon=":material/tune:", key="settings", on_change="rerun")
        if popover.open:
            with popover:
                _all_settings(page, run, in_sight)
        if line := RECIPE_LINES.get(page.choice.recipe):
            st.caption(_(line))
    _in_sight(page, run, in_sight)
    _news(page, run)
    curve(run, experiment=page.experiment, key="loss_chart")
    scrubber(run, experiment=page.experiment)


def _in_sight(page: Page, run: Run | None, names: Sequence[str]) -> None:
    """The settings that a lesson turns, two in a row. What waits for Reset says so beneath its control."""
    late = set() if run is None else set(actions.waiting(page, run))
    for first in range(0, len(names), 2):
        pair = names[first : first + 2]
        shares = set(pair) == set(SHORT)
        places = st.columns([2, 1, 1] if shares else 2, vertical_alignment="bottom", gap="small")
        if shares:
            with places.pop(0):
                _masks(page)
        for place, name in zip(places, pair, strict=False):
            with place:
                one = setting(page.settings, name)
                shown = dataclasses.replace(one, label=SHORT.get(name, one.label))
                note = _orange(_("Reset applies it.")) if name in late else None
                forms.control(
                    shown, getattr(page.settings, name), settings_changer(page), note=note, narrow=not one.live
                )


def _masks(page: Page) -> None:
    """What becomes of the characters to predict, in the document and in BERT: one click for both shares."""
    shares = {name: getattr(page.settings, name) for name in SHORT}
    known = next((label for label, wanted in MASKS.items() if wanted == shares), None)
    align("masks", known)
    st.segmented_control(
        _("BERT: 80/10/10"), list(MASKS), default=known, key="masks", on_change=_masks_chosen, args=(page,)
    )


def _masks_chosen(page: Page) -> None:
    if (label := st.session_state["masks"]) in MASKS:
        page.change_settings(MASKS[label])


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
        shown = [s for s in describe(page.settings) if s.linked and _group(s) == group and s.name not in in_sight]
        for position, one in enumerate(shown):
            note = _orange(_("Changed since this run began; Reset applies it.")) if one.name in late else None
            with columns[position % 3]:
                forms.control(one, getattr(page.settings, one.name), settings_changer(page), note=note, narrow=True)


def _group(one: Setting) -> str:
    return "model" if one.name in MODEL else "data" if one.name in DATA else "training"


def settings_changer(page: Page) -> Callable[[str, Value], None]:
    """Takes a person's change of a training setting to the page."""

    def change(name: str, value: Value) -> None:
        if name == "corpus" and value == links.OWN and not page.own_text:
            actions.ask_for_text(page)
        else:
            page.change_settings({name: value})

    return change


def _news(page: Page, run: Run | None) -> None:
    """What does not fit, what the last button did, what waits for Reset, why there is no such run.

    How a run stands and why it ended, the curve says.
    """
    try:
        page.settings.check()
    except SettingError as error:
        st.error(_("{problem}. The run stays as it is until this is mended.", problem=sentence(error)))
        return
    if (enough := page.settings.enough_steps()) > page.settings.steps:
        st.caption(_orange(_(TOO_FEW, enough=enough, steps=page.settings.steps)))
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
