"""One exercise on screen: the question and the prediction on the left, the experiment and its outcome on the right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import streamlit as st

from core.runs.run import Run
from core.settings import N_, SettingError, Value, describe
from core.ui import actions
from core.ui.align import align
from core.ui.language import _
from core.ui.lessons import record
from core.ui.lessons.exercise import Cell, Exercise, Finding, Table, same
from core.ui.page import Page
from core.ui.words import Sentence, literal, problem, sentence

DONE, OPEN = ":material/check_box:", ":material/check_box_outline_blank:"

STANDING = {
    "ready": N_("It is set up: press Train and let it run to its end."),
    "running": N_("Training. It will be noticed when the run ends."),
    "paused": N_("Paused: press Train to let it run to its end."),
    "lost": N_("Training. It will be noticed when the run ends."),
}


class Predictions(Protocol):
    """What the card keeps of the learner's."""

    leanings: dict[str, str]
    predictions: dict[str, str]
    found: dict[str, Finding]


def card(page: Page, run: Run | None, exercise: Exercise, own: Predictions, finding: Finding) -> None:
    """Draw an exercise. ``run`` is the tab's own run, which training goes on with."""
    asking, answering = st.columns([0.38, 0.62], gap="large")
    with asking, st.container(key="guide_question"):
        _question(exercise, own)
    with answering, st.container(key="guide_answer"):
        if exercise.name not in own.predictions:
            st.caption(_("Predict first; then the experiment and what it shows appear here."))
            return
        _experiment(page, run, exercise, finding)
        _outcome(exercise, own, finding)


def _question(exercise: Exercise, own: Predictions) -> None:
    st.markdown(f"**{_(exercise.question)}**")
    committed = exercise.name in own.predictions
    key = f"prediction_{exercise.name}"
    labels = {code: _(choice) for code, choice in exercise.choices.items()}
    codes = list(labels)
    marked = own.leanings.get(exercise.name)
    align(key, marked)
    st.radio(
        _("Your prediction"),
        codes,
        index=None if marked is None else codes.index(marked),
        key=key,
        format_func=labels.__getitem__,
        disabled=committed,
        on_change=_lean,
        args=(key, exercise, own),
    )
    if committed:
        st.button(_("Predict again"), key="guide_again", type="tertiary", on_click=_again, args=(exercise, own))
    else:
        st.button(
            _("That is my prediction"),
            key="guide_commit",
            disabled=marked is None,
            on_click=_commit,
            args=(exercise, own),
        )


def _lean(key: str, exercise: Exercise, own: Predictions) -> None:
    if st.session_state[key] in exercise.choices:
        own.leanings[exercise.name] = st.session_state[key]


def _commit(exercise: Exercise, own: Predictions) -> None:
    if exercise.name in own.leanings:
        own.predictions[exercise.name] = own.leanings[exercise.name]


def _again(exercise: Exercise, own: Predictions) -> None:
    for kept in (own.leanings, own.predictions, own.found):
        kept.pop(exercise.name, None)


def _experiment(page: Page, run: Run | None, exercise: Exercise, finding: Finding) -> None:
    """What has to be done, and what to press for it."""
    st.markdown("  \n".join(f"{DONE if one.done else OPEN} {one.task.say(_)}" for one in finding.todo))
    if not finding.done:
        if all(one.done for one in finding.todo):
            st.caption(_("Measuring …"))
        elif run is not None and prepared(page, run, finding) and run.status in STANDING:
            st.caption(_(STANDING[run.status]))
        else:
            st.button(
                _("Set it up"),
                key="guide_set_up",
                icon=":material/tune:",
                on_click=set_up,
                args=(page, finding.setup),
            )
    for name, values in exercise.by_hand.items():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(_("Try on this page:"), width="content")
            for value in values:
                st.button(f"{value:g}", key=f"guide_{name}_{value:g}", on_click=_try, args=(page, name, value))


def prepared(page: Page, run: Run, finding: Finding) -> bool:
    """Whether the tab's own run is the one that is missing, and nothing on the controls stands in its way."""
    if page.shows_shipped or record.of(run).altered or actions.waiting(page, run):
        return False
    return all(
        same(getattr(settings, name), value)
        for settings in (run.settings, page.settings)
        for name, value in finding.setup.items()
    )


def set_up(page: Page, setup: Mapping[str, Value]) -> None:
    """Put the settings on the controls and begin a run with them at step 0. What a person has typed stays."""
    typed = {one.name for one in describe(page.settings) if one.kind == "text"}
    before = page.choice
    try:
        page.change_settings({name: value for name, value in setup.items() if name not in typed})
        actions.begin(page)
    except SettingError as error:
        page.choice, page.told = before, problem(error)
        return
    page.told = sentence(N_("Set up for the experiment, at step 0: press Train."))


def _try(page: Page, name: str, value: Value) -> None:
    page.change_view({name: value})


def _outcome(exercise: Exercise, own: Predictions, finding: Finding) -> None:
    """What was measured, whether it had been predicted, and why."""
    shown = finding if finding.done else own.found.get(exercise.name)
    if shown is None or shown.answer is None:
        return
    if shown is not finding:
        st.caption(_("Measured before, on a run that is no longer on screen:"))
    if shown.table is not None:
        st.markdown(written(shown.table))
    predicted = own.predictions[exercise.name]
    if predicted == shown.answer:
        words = _("As you predicted.")
        st.markdown(f":material/check: **{words}**")
    else:
        words = _("Other than you predicted. Measured: {outcome}.", outcome=_(exercise.choices[shown.answer]))
        st.markdown(f":material/close: **{words}**")
    if shown.why is not None:
        st.markdown(shown.why.say(_))
    if shown.hint is not None:
        st.caption(shown.hint.say(_))


def written(table: Table) -> str:
    """The table as Markdown, its words translated and everything else shown as it is."""
    lines = [[_(cell) if isinstance(cell, str) else cell.say(_) for cell in table.head], ["---"] * len(table.head)]
    lines += [[_cell(cell) for cell in row] for row in table.rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(cell: Cell) -> str:
    return cell.say(_) if isinstance(cell, Sentence) else literal(cell)
