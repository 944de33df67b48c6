"""The table of runs: what each is, how far it is, and what it has come to. Rows are marked to be drawn or compared."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.experiments import find
from core.runs.run import Run
from core.ui.components.curve.words import status_words
from core.ui.language import _
from core.ui.runs.files import unread
from core.ui.runs.results import differences, metric_of, newest, number_words, time_words, training_loss
from core.ui.runs.shelf import Shelf, listed, name_of
from core.ui.session import KeptRun

LOOK_AGAIN = 2  # seconds, while any of them trains
MOST_ROWS = 7  # in sight at once
ROW = 35  # pixels
KEY = "runs_table"


def table(here: Shelf) -> None:
    """Draw the table, anew every few seconds while one of the runs trains."""
    training = _unsettled()
    marked = list(here.chosen)

    @st.fragment(run_every=LOOK_AGAIN if training else None)
    def body() -> None:
        rows = listed()
        ids = [one.run.id for one in rows]
        moved = here.drawn not in (ids, [])
        here.drawn = ids
        if moved or here.chosen != marked or _unsettled() != training:
            st.rerun()
        _draw(here, rows)

    here.drawn = []
    body()


def _unsettled() -> bool:
    """Whether a run trains, or a file that was brought is still being read."""
    return any(one.run.status == "running" or unread(one) for one in listed())


def _draw(here: Shelf, rows: Sequence[KeptRun]) -> None:
    key = f"{KEY}_{_digest(here.drawn)}"  # other rows, another table: what is marked is told by place
    places = [place for place, one in enumerate(rows) if one.run.id in here.chosen]
    st.dataframe(
        frame(rows),
        key=key,
        height=ROW * (min(MOST_ROWS, len(rows)) + 1) + 3,
        row_height=ROW,
        hide_index=True,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": places}},
        on_select=lambda: _marked(here, key),
        column_config={
            _("Run"): st.column_config.TextColumn(width="medium", pinned=True),
            _("Settings that differ"): st.column_config.TextColumn(width="medium"),
            _("Measure"): st.column_config.TextColumn(width="medium"),
        },
        alt=_("All runs of this tab with their settings and results"),
    )


def frame(rows: Sequence[KeptRun]) -> pd.DataFrame:
    """A row a run, in words."""
    runs = [one.run for one in rows]
    status = status_words()
    cells = [
        {
            _("Run"): name_of(one),
            _("Experiment"): _(find(one.run.experiment).title),
            _("Settings that differ"): differences(one.run, runs) or "–",
            _("Steps"): _("{step} of {steps}", step=one.run.step, steps=one.run.settings.steps),
            _("State"): status["from_file" if from_file(one.run) else one.run.status],
            _("Loss"): number_words(training_loss(one.run)),
            _("Held-out loss"): number_words(newest(one.run, "held_out_loss")),
            _("Measure"): _measured(one.run),
            _("Time"): time_words(one.run.seconds),
        }
        for one in rows
    ]
    return pd.DataFrame(cells)


def from_file(run: Run) -> bool:
    """Whether it was trained somewhere else."""
    return run.checkpoint is not None and not run.archived


def _measured(run: Run) -> str:
    measure = metric_of(run.experiment)
    if not measure or (value := newest(run, measure)) is None:
        return "–"
    return f"{_(find(run.experiment).metrics[measure])} {number_words(value)}"


def _marked(here: Shelf, key: str) -> None:
    rows = st.session_state[key].selection.rows
    here.chosen = [here.drawn[place] for place in rows if place < len(here.drawn)]


def _digest(ids: Sequence[str]) -> str:
    return hashlib.sha256("".join(ids).encode()).hexdigest()[:8]
