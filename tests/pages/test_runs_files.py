"""What the page of runs gives away as files, and the checkpoints that are brought back to it."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.runs.requests import NoRun, WorkerGone
from core.settings import N_, SettingError
from core.ui.runs.files import checkpoint, file_name, taken
from core.ui.session import KeptRun
from tests.pages.conftest import FakePool, FakeRun
from tests.pages.test_runs import Open, mark, opened, rows, said

__all__ = ["opened"]  # the fixture

DOWNLOADS = ("take_history", "take_checkpoint", "take_script")


def popover(test: AppTest, key: str) -> AppTest:
    """Open a popover."""
    test.session_state[key] = True
    return test.run()


def upload(test: AppTest, content: bytes, name: str = "my best.safetensors") -> AppTest:
    """Bring a file."""
    test = popover(test, "bring_back")
    test.file_uploader[0].set_value((name, content, "application/octet-stream"))
    return popover(test.run(), "bring_back")


def test_one_marked_run_can_be_taken_away_in_three_ways(opened: Open) -> None:
    test = mark(opened("mini_gpt", "mini_bert"), 0)
    test = popover(test, "take_away")
    assert [test.download_button(key=key).label for key in DOWNLOADS] == [
        "History (CSV)",
        "Checkpoint (safetensors)",
        "Script (Python)",
    ]
    assert not test.exception


def test_two_runs_are_not_taken_away_as_one(opened: Open) -> None:
    test = popover(mark(opened("mini_gpt", "mini_gpt"), 0, 1), "take_away")
    assert not test.download_button


def test_what_has_failed_has_no_weights_to_take(opened: Open, pool: FakePool) -> None:
    test = mark(opened("mini_gpt"), 0)
    pool.run.status = "failed"
    test = popover(test, "take_away")
    assert test.download_button(key="take_checkpoint").proto.disabled
    assert not test.download_button(key="take_history").proto.disabled


def test_the_checkpoint_is_what_the_run_exports(pool: FakePool) -> None:
    run = pool.start("mini_gpt", SimpleNamespace())
    assert checkpoint(run) == run.id.encode()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (WorkerGone(), "The process that holds this run has died. It is being taken up again: try once more."),
        (TimeoutError(), "The process that holds this run is too busy to write its weights: try once more."),
        (NoRun("x"), "The weights of this run are no longer there. History and script can still be taken."),
        (SettingError(N_("the disk is full")), "The checkpoint was not made: the disk is full."),
        (RuntimeError("42"), "The checkpoint could not be made: try once more."),
    ],
)
def test_a_download_that_fails_says_why(
    opened: Open, pool: FakePool, monkeypatch: pytest.MonkeyPatch, error: Exception, why: str
) -> None:
    test = popover(mark(opened("mini_gpt"), 0), "take_away")
    here = test.session_state["_page_runs"]
    with monkeypatch.context() as broken:
        broken.setattr(pool.run, "export", lambda _: refusing(error))
        with pytest.raises(type(error)):
            taken(here, pool.run)  # type: ignore[arg-type]
    assert [one.value for one in popover(test, "take_away").error] == [why]
    taken(here, pool.run)  # type: ignore[arg-type]
    assert not popover(test, "take_away").error


def refusing(error: Exception) -> Future[Path]:
    """What a worker answers that cannot do it."""
    answer: Future[Path] = Future()
    answer.set_exception(error)
    return answer


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("", "MiniGPT_1"),
        ("a/b\\c: *?", "a_b_c"),
        ("../..", "mini_gpt"),
        ("老子 第一章", "老子_第一章"),
        ("x" * 99, "x" * 60),
    ],
)
def test_a_file_is_called_like_its_run(name: str, file: str) -> None:
    run = FakeRun("run", "mini_gpt", SimpleNamespace())
    assert file_name(KeptRun(run, 1, name)) == file  # type: ignore[arg-type]


@pytest.mark.parametrize("before", [(), ("mini_gpt",)])
def test_a_checkpoint_becomes_a_run_of_the_table(opened: Open, before: tuple[str, ...]) -> None:
    test = upload(opened(*before), b"mini_gpt")
    newest = rows(test)[0]
    assert (newest["Run"], newest["State"], newest["Loss"]) == ("my best", "trained before", "0.250")
    assert "Imported: my best." in said(test)
    assert test.session_state["_page_runs"].chosen == [test.session_state["_runs"].kept[-1].run.id]
    assert not test.file_uploader[0].value
    upload(test, b"mini_bert", "other.SAFETENSORS")
    assert [row["Run"] for row in rows(test)][:2] == ["other", "my best"]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("my model.safetensors", b"junk", "is not a checkpoint of this app"),
        ("my model.pt", b"mini_gpt", "is no .safetensors file: other files are never opened"),
    ],
)
def test_a_bad_file_is_named_and_nothing_else_changes(opened: Open, name: str, content: bytes, why: str) -> None:
    test = mark(opened("mini_gpt"), 0)
    test = upload(test, content, name)
    assert f"“{name}” {why}. Nothing else has changed." in said(test).replace("\\", "")
    assert [row["Run"] for row in rows(test)] == ["MiniGPT 1"]
    assert len(test.session_state["_page_runs"].chosen) == 1


def test_weights_that_do_not_fit_are_told_once_they_are_read(opened: Open, pool: FakePool) -> None:
    test = upload(opened("mini_gpt"), b"mini_gpt")
    pool.run.status, pool.run.problem = "failed", SettingError(N_("the weights do not fit together"))
    test.run()
    assert "“my best” was not imported: the weights do not fit together." in said(test).replace("\\", "")
    assert [row["Run"] for row in rows(test)] == ["MiniGPT 1"]
    assert pool.dropped == [pool.run.id]
