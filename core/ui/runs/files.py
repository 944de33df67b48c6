"""What is taken away of a run as files, and checkpoints that are brought back as runs."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import streamlit as st

from core.runs.process import Busy
from core.runs.requests import NoRun, WorkerGone
from core.runs.run import Run
from core.runs.takeaway import history_csv, script
from core.settings import N_, SettingError
from core.ui import session
from core.ui.language import _
from core.ui.runs.shelf import Shelf, name_of
from core.ui.session import KeptRun
from core.ui.words import Sentence, problem, sentence

LARGEST = 16  # MB; the largest model here, with the course that led to it, has less
PATIENCE = 30.0  # seconds that a download waits for its worker, which may only be starting
LOOK_AGAIN = 1.0  # seconds between two looks at whether a download has failed
SUFFIX = ".safetensors"
FORBIDDEN = re.compile(r'[\\/:*?"<>|\s.]+')  # what some file system does not take
NAME = 60  # characters of a file's name


def take_away(here: Shelf, marked: list[KeptRun]) -> None:
    """The button that opens what can be taken away of the one run that is marked."""
    one = marked[0] if len(marked) == 1 else None
    popover = st.popover(
        _("Export"),
        icon=":material/download:",
        key="take_away",
        disabled=one is None,
        on_change="rerun",
    )
    if popover.open and one is not None:
        with popover:
            _downloads(here, one)
            _failure(here, one.run)
    else:
        here.not_taken.clear()


def _downloads(here: Shelf, kept: KeptRun) -> None:
    run, name, file = kept.run, name_of(kept), file_name(kept)
    st.download_button(
        _("History (CSV)"),
        lambda: history_csv(run.history),
        f"{file}.csv",
        "text/csv",
        key="take_history",
        help=_(
            "A row a step: its loss, its learning rate, what was measured after it and what was changed from it on."
        ),
        icon=":material/table:",
        on_click="ignore",
        width="stretch",
    )
    st.download_button(
        _("Checkpoint (safetensors)"),
        lambda: taken(here, run),
        f"{file}{SUFFIX}",
        "application/octet-stream",
        key="take_checkpoint",
        help=_("The newest weights with their settings and their curve. It can be brought back here as a run."),
        icon=":material/deployed_code:",
        on_click="ignore",
        disabled=run.status in ("failed", "lost"),
        width="stretch",
    )
    st.download_button(
        _("Script (Python)"),
        lambda: script(run, name, f"{file}.py"),
        f"{file}.py",
        "text/x-python",
        key="take_script",
        help=_("Trains the same run again from its first step: the same settings, changes and steps."),
        icon=":material/code:",
        on_click="ignore",
        width="stretch",
    )


@st.fragment(run_every=LOOK_AGAIN)
def _failure(here: Shelf, run: Run) -> None:
    """Why the last download failed.

    The file is made in a thread of the server's, after the script has run, and all that Streamlit then has is a fixed
    English sentence (which the style sheet hides): so this looks again while the popover is open.
    """
    if (why := here.not_taken.get(run.id)) is not None:
        st.error(why.say(_))


def taken(here: Shelf, run: Run) -> bytes:
    """The newest weights as a file; why there is none is kept for the page. Raises what :func:`checkpoint` raises."""
    here.not_taken.pop(run.id, None)
    try:
        return checkpoint(run)
    except Exception as error:
        here.not_taken[run.id] = why_not(error)
        raise


def why_not(error: Exception) -> Sentence:
    """What kept a checkpoint from being written, and what to do."""
    match error:
        case WorkerGone():
            return sentence(N_("The process that holds this run has died. It is being taken up again: try once more."))
        case TimeoutError() | Busy():
            return sentence(N_("The process that holds this run is too busy to write its weights: try once more."))
        case NoRun():
            return sentence(N_("The weights of this run are no longer there. History and script can still be taken."))
        case SettingError():
            return sentence(N_("The checkpoint was not made: {problem}."), problem=problem(error))
        case _:
            return sentence(N_("The checkpoint could not be made: try once more."))


def checkpoint(run: Run) -> bytes:
    """The newest weights as a file. Waits for the worker; raises what it answers, or TimeoutError."""
    with tempfile.TemporaryDirectory(prefix="attention-live-export-") as folder:
        return run.export(Path(folder) / f"weights{SUFFIX}").result(PATIENCE).read_bytes()


def file_name(kept: KeptRun) -> str:
    """A run's name as every file system takes it, without a suffix."""
    return FORBIDDEN.sub("_", name_of(kept)).strip("_")[:NAME] or kept.run.experiment


def bring_back(here: Shelf) -> None:
    """The button that opens the way back: a checkpoint becomes a run of this tab."""
    popover = st.popover(_("Import"), icon=":material/upload:", key="bring_back", on_change="rerun")
    if popover.open:
        with popover:
            key = f"brought_{here.brought}"  # a file that was taken leaves an empty uploader behind
            st.file_uploader(
                _("A checkpoint of this app (.safetensors)"),
                key=key,
                max_upload_size=LARGEST,
                on_change=lambda: _brought(here, key),
            )
            st.caption(_("It stands in the table as a run that can be drawn, compared and looked at."))
            if here.refused is not None:
                st.error(here.refused.say(_))


def _brought(here: Shelf, key: str) -> None:
    here.refused = None
    if (file := st.session_state[key]) is None:
        return
    try:
        bring(here, file.getvalue(), file.name)
    except SettingError as error:
        here.refused = sentence(N_("{problem}. Nothing else has changed."), problem=problem(error))


def bring(here: Shelf, content: bytes, name: str) -> None:
    """Take in a checkpoint as a run, called like its file. Raises :class:`core.settings.SettingError`."""
    if Path(name).suffix.lower() != SUFFIX:
        raise SettingError(N_("“{file}” is no .safetensors file: other files are never opened"), file=name)
    run = session.pool().bring(content, name)
    kept = session.runs().keep(run, Path(name).stem[:NAME])
    here.chosen, here.brought = [run.id], here.brought + 1
    st.session_state["bring_back"] = False
    here.told, here.trouble = sentence(N_("Imported: {name}."), name=name_of(kept)), None


def unread(kept: KeptRun) -> bool:
    """Whether its worker has still to say if the weights of a file fit."""
    run = kept.run
    return run.checkpoint is not None and not run.archived and not run.history.about and run.problem is None


def refuse(here: Shelf) -> None:
    """Take out what turned out to be unusable once its worker had read it, and say why."""
    own = session.runs()
    brought = [one for one in own.kept if one.run.checkpoint is not None and not one.run.archived]
    for kept in [one for one in brought if one.run.status == "failed"]:
        reason = kept.run.problem
        told = reason if isinstance(reason, SettingError) else SettingError(N_("its weights cannot be read"))
        here.trouble = sentence(N_("“{file}” was not imported: {problem}."), file=name_of(kept), problem=problem(told))
        here.told, here.chosen = None, [one for one in here.chosen if one != kept.run.id]
        own.let_go(kept)
