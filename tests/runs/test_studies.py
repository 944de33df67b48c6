"""Studies: in a Trainer beside runs that learn, and through the pool in a real worker."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import torch

from core import studies
from core.capture import recording
from core.runs import study as handles
from core.runs.findings import Findings
from core.runs.pool import Pool
from core.runs.process import WorkerProcess
from core.runs.requests import LookRequest
from core.runs.study import Studies, Study
from core.runs.studying import plain
from core.runs.trainer import Trainer
from core.runs.wire import unpack_look
from core.settings import SettingError
from core.studies import Progress
from tests.runs.tools import LONGEST, curve, finish, gather, small, start

Made = Generator[Progress, None, Any]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Studies of the tests' own, by their names."""
    own: dict[str, Any] = {}
    monkeypatch.setattr(studies, "find", own.__getitem__)
    return own


def followed(trainer: Trainer, study: str) -> list[Findings]:
    """Everything that a study tells, to its end."""
    told: list[Findings] = []
    while not told or told[-1].status == "running":
        trainer.advance(0.0)
        told += [one for one in trainer.findings() if one.study == study]
    return told


def counting(options: Mapping[str, Any], _seen: Any) -> Made:
    """Counts, and draws a number at every step."""
    torch.manual_seed(int(options["seed"]))
    drawn: list[float] = []
    for number in range(options["steps"]):
        drawn.append(torch.rand(()).item())
        yield Progress(fraction=(number + 1) / options["steps"], partial={"drawn": len(drawn)})
    return {"drawn": drawn}


def test_a_study_takes_turns_with_runs_and_disturbs_none(known: dict[str, Any]) -> None:
    known["counting"] = counting
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    trainer.control("run", "train")
    trainer.study("study", "counting", {"seed": 3, "steps": 7})
    trainer.study("other", "counting", {"seed": 3, "steps": 5})
    histories: dict[str, Any] = {}
    ended: dict[str, Findings] = {}
    moved = []
    while trainer.busy:
        reports = trainer.advance(0.0)
        gather(histories, reports)
        moved += [report.step for report in reports]
        ended |= {found.study: found for found in trainer.findings() if found.status != "running"}
    assert (
        histories["run"].loss == curve("mini_gpt").loss
    )  # dropout draws from the very generator that studies draw from
    torch.manual_seed(3)
    alone = [torch.rand(()).item() for _ in range(7)]
    assert ended["study"].result == {"drawn": alone}
    assert ended["other"].result == {"drawn": alone[:5]}
    assert ended["study"].seconds > 0
    assert trainer.findings() == []


def test_progress_is_told_along_the_way_and_the_result_at_the_end(
    known: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.trainer.FINDINGS_EVERY", 0.0)
    known["counting"] = counting
    trainer = Trainer()
    trainer.study("study", "counting", {"seed": 0, "steps": 3})
    told = followed(trainer, "study")
    assert [found.fraction for found in told] == [1 / 3, 2 / 3, 1.0, 1.0]
    assert [found.partial for found in told] == [{"drawn": 1}, {"drawn": 2}, {"drawn": 3}, None]
    assert [found.status for found in told] == ["running"] * 3 + ["finished"]
    assert not trainer.busy


def test_nothing_of_a_study_reaches_those_whose_turn_comes_next(known: dict[str, Any]) -> None:
    before = torch.get_rng_state()

    def leaky(_options: Mapping[str, Any], seen: Any) -> Made:
        torch.manual_seed(1)
        with torch.no_grad(), recording(seen.model) as maps:
            for number in range(3):
                seen.model(torch.zeros(1, 5, dtype=torch.long))
                assert not torch.is_grad_enabled()
                yield Progress(fraction=number / 3)
        return len(maps)

    known["leaky"] = leaky
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    trainer.study("study", "leaky", {}, "run")
    trainer.advance(0.0)
    trainer.advance(0.0)
    assert torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), before)
    looked = unpack_look(trainer.look("run", LookRequest(text="道可道")))
    assert len(looked.header["maps"]) == small("mini_gpt").layers
    assert followed(trainer, "study")[-1].result == 3 * small("mini_gpt").layers


def test_a_study_of_a_run_has_the_weights_of_its_beginning(known: dict[str, Any]) -> None:
    def watching(_options: Mapping[str, Any], seen: Any) -> Made:
        sums = []
        for number in range(40):
            sums.append(sum(one.sum().item() for one in seen.model.parameters()))
            yield Progress(fraction=number / 40)
        return {"step": seen.step, "sums": sums, "training": seen.model.training}

    known["watching"] = watching
    trainer = Trainer()
    start(trainer, "run", "mini_bert")
    trainer.study("study", "watching", {}, "run")
    trainer.control("run", "train")
    for _ in range(20):
        trainer.advance(0.0)
        trainer.look("run", LookRequest(text="学而"))
    found = followed(trainer, "study")[-1].result
    assert found["step"] == 0
    assert len(set(found["sums"])) == 1
    assert not found["training"]


def test_what_goes_wrong_ends_the_study_alone(known: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    def refusing(_options: Mapping[str, Any], _seen: Any) -> Made:
        yield Progress(fraction=0.5)
        raise SettingError("{name} is too long", name="it")

    def broken(_options: Mapping[str, Any], _seen: Any) -> Made:
        yield Progress(fraction=0.5)
        raise RuntimeError("a mistake of ours")

    known |= {"refusing": refusing, "broken": broken}
    trainer = Trainer()
    start(trainer, "run", "mini_gpt")
    trainer.study("study", "refusing", {})
    end = followed(trainer, "study")[-1]
    assert (end.status, end.sentence, end.fields, end.fraction) == ("failed", "{name} is too long", {"name": "it"}, 0.5)
    trainer.study("study", "broken", {})
    end = followed(trainer, "study")[-1]
    assert (end.status, end.sentence) == ("failed", None)
    assert "a mistake of ours" in capfd.readouterr().err
    trainer.control("run", "train")
    assert finish(trainer)["run"].loss == curve("mini_gpt").loss


def test_a_study_that_is_dropped_cleans_up(known: dict[str, Any]) -> None:
    closed = []

    def careful(_options: Mapping[str, Any], _seen: Any) -> Iterator[Progress]:
        try:
            while True:
                yield Progress(fraction=0.5)
        finally:
            closed.append(True)

    known["careful"] = careful
    trainer = Trainer()
    trainer.study("study", "careful", {})
    trainer.advance(0.0)
    trainer.drop("study")
    assert closed == [True]
    assert not trainer.busy


def test_findings_are_what_json_holds() -> None:
    found = {
        "tensor": torch.tensor([[1.0, torch.nan]]),
        "array": np.arange(3, dtype=np.float32),
        "scalar": np.float32(0.5),
        7: (1, True, None, "ü", float("inf")),
    }
    assert plain(found) == {"tensor": [[1.0, None]], "array": [0, 1, 2], "scalar": 0.5, "7": [1, True, None, "ü", None]}
    with pytest.raises(TypeError, match="not object"):
        plain([object()])


def test_a_study_works_in_a_worker_and_tells_its_result(pool: Pool) -> None:
    study = pool.study("sizes", {})
    assert study.wait(LONGEST)
    assert (study.status, study.fraction, study.problem) == ("finished", 1.0, None)
    assert set(study.result) == {"base", "large"}
    assert pool.studies.find(study.id) is study
    pool.drop(study.id)
    assert pool.studies.find(study.id) is None


def test_what_cannot_be_studied_is_said(pool: Pool) -> None:
    strange = pool.study("../sizes", {})
    assert strange.wait(LONGEST)
    assert strange.status == "failed"
    assert str(strange.problem) == "there is no study “../sizes”"
    run = pool.start("mini_gpt", small("mini_gpt"))
    pool.drop(run.id)
    gone = pool.study("sizes", {}, run)
    assert gone.wait(LONGEST)
    assert "not there any more" in str(gone.problem)


class Deaf(WorkerProcess):
    """A worker that only remembers what it was sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        """Remember it."""
        self.sent.append(message)


def test_a_study_begins_anew_when_its_worker_dies_but_not_for_ever() -> None:
    first, second, third = Deaf(), Deaf(), Deaf()
    kept = Studies()
    study = kept.start(Study("sizes", {"a": 1}, first, "run"))
    kept.absorb(first, Findings(study=study.id, fraction=0.5, status="running", partial=[1]))
    assert (study.fraction, study.partial) == (0.5, [1])
    kept.lose(first, second)
    assert second.sent == [
        {"operation": "study", "run": study.id, "study": "sizes", "options": {"a": 1}, "about": "run"}
    ]
    kept.absorb(first, Findings(study=study.id, fraction=1.0, status="finished", result=1))  # the dead say nothing
    assert (study.fraction, study.running) == (0.0, True)
    kept.lose(second, third)
    assert (study.status, third.sent) == ("failed", [])
    assert "died" in str(study.problem)


def test_a_cancelled_study_keeps_what_it_had_and_hears_no_more() -> None:
    worker = Deaf()
    kept = Studies()
    study = kept.start(Study("sizes", {}, worker))
    kept.absorb(worker, Findings(study=study.id, fraction=0.5, status="running", partial=[1]))
    study.cancel()
    kept.absorb(worker, Findings(study=study.id, fraction=1.0, status="finished", result=[2]))
    assert (study.status, study.partial, study.result) == ("cancelled", [1], None)
    assert worker.sent[-1] == {"operation": "drop", "run": study.id}
    assert study.wait(0)


def test_studies_go_with_their_session() -> None:
    kept, worker = Studies(), Deaf()
    gone, back, here = (kept.start(Study("sizes", {}, worker)) for _ in range(3))
    kept.orphan(gone.id)
    kept.orphan(back.id)
    kept.touch(back.id)
    kept.tend(gone.touched + 200.0, 180.0)
    assert [kept.find(one.id) for one in (gone, back, here)] == [None, back, here]
    assert gone.status == "cancelled"
    kept.tend(here.touched + 2 * handles.FORGOTTEN_AFTER, 180.0)
    assert kept.find(here.id) is None


def test_there_are_only_so_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handles, "MOST_STUDIES", 2)
    kept, worker = Studies(), Deaf()
    first = kept.start(Study("sizes", {}, worker))
    kept.start(Study("sizes", {}, worker))
    assert kept.load(worker) == 2
    with pytest.raises(SettingError, match="2 studies"):
        kept.start(Study("sizes", {}, worker))
    first.cancel()
    kept.start(Study("sizes", {}, worker))


def test_only_modules_with_a_study_are_found() -> None:
    assert studies.find("sizes")({}, None) is not None
    for name in ("", "nonsense", "sizes.study", "__init__"):
        with pytest.raises(SettingError):
            studies.find(name)
