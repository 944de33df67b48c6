"""One line that says which model is looked at, the shipped one or one's own, with the way to a text of one's own."""

from __future__ import annotations

import streamlit as st

from core.experiments import Experiment
from core.runs.run import Run
from core.settings import N_
from core.ui import actions
from core.ui.corpus_panel import corpus_panel
from core.ui.language import _
from core.ui.page import Page
from core.ui.words import Sentence, sentence

RECIPES = {"document": N_("document recipe"), "fast": N_("fast recipe")}
OTHER = N_("settings of its own")


def provenance(page: Page, run: Run | None) -> None:
    """Say what is shown, offer the other model, and take a text of one's own where there is a corpus."""
    checkpoint = actions.shipped(page)
    texts = hasattr(page.settings, "corpus")
    if checkpoint is None and not texts:
        return
    with st.container(key="provenance", horizontal=True, vertical_alignment="center", gap="small"):
        if checkpoint is not None and run is not None:
            _shown(page, run, checkpoint)
        if texts:
            corpus_panel(page)


def _shown(page: Page, run: Run, checkpoint: Run) -> None:
    if run is checkpoint:
        words = sentence(
            N_("{model} Train or Step begins a run of your own from step 0."),
            model=described(page.experiment, checkpoint),
        )
        st.caption(words.say(_), width="content")
        if actions.current(page) is None:
            return
        label = _("Back to my run")
    else:
        st.caption(_("Shown: your own run."), width="content")
        label = _("Show the shipped checkpoint")
    st.button(
        label,
        key="shipped",
        type="tertiary",
        icon=":material/swap_horiz:",
        on_click=actions.look_elsewhere,
        args=(page,),
    )


def described(experiment: Experiment, checkpoint: Run) -> Sentence:
    """A shipped checkpoint in a sentence: how it was trained, and how well."""
    alike = (name for name in experiment.recipes if experiment.defaults(name) == checkpoint.settings)
    recipe = Sentence(RECIPES.get(next(alike, ""), OTHER))
    if checkpoint.loss is None:
        return sentence(N_("Shipped checkpoint: {recipe}, {steps} steps."), recipe=recipe, steps=checkpoint.step)
    loss = f"{checkpoint.loss:.2g}" if checkpoint.loss < 0.1 else f"{checkpoint.loss:.2f}"
    return sentence(
        N_("Shipped checkpoint: {recipe}, {steps} steps, loss {loss}."), recipe=recipe, steps=checkpoint.step, loss=loss
    )
