"""The pages with a pool that only remembers what it was asked: what a run does is tested where runs are."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import find
from core.runs.findings import StudyStatus
from core.runs.history import History
from core.runs.status import Action, Status, after
from core.settings import SettingError, changed
from core.ui import session

App = Callable[..., AppTest]
MAIN = Path(__file__).parents[2] / "core" / "main.py"


@dataclass
class FakeRun:
    """A run that is in whatever state the test puts it into."""

    id: str
    experiment: str
    settings: Any
    status: Status = "ready"
    reason: str | None = None
    step: int = 0
    loss: float | None = None
    problem: Exception | None = None
    asked: list[str] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)
    history: History = field(default_factory=History)
    answers: dict[Any, Future[Any]] = field(default_factory=dict)
    checkpoint: Path | None = None
    archived: bool = False
    seconds: float = 0.0
    parameters: int | None = None
    baselines: dict[str, float] = field(default_factory=dict)

    @property
    def began_with(self) -> Any:
        """The settings of its first step: nobody has changed them."""
        return self.settings

    def control(self, action: Action) -> None:
        """Remember the action and follow the real rule."""
        self.asked.append(action)
        self.status = after(self.status, action, steps_left=self.settings.steps > self.step)

    def change(self, **changes: Any) -> None:
        """Remember the changes and take them over."""
        self.changes.append(changes)
        self.settings = changed(self.settings, changes)

    def look(self, request: Any) -> Future[Any]:
        """The answer that the test has put ready; one that never comes otherwise."""
        return self.answers.setdefault(request, Future())

    def generate(self, request: Any) -> Future[Any]:
        """The answer that the test has put ready; one that never comes otherwise."""
        return self.answers.setdefault(request, Future())

    def export(self, path: Path) -> Future[Path]:
        """A file that only says which run it is of."""
        path.write_text(self.id, encoding="utf-8")
        done: Future[Path] = Future()
        done.set_result(path)
        return done


@dataclass
class FakeStudy:
    """A study that is as far as the test says."""

    id: str
    name: str
    options: dict[str, Any]
    run: str | None = None
    status: StudyStatus = "running"
    fraction: float = 0.0
    partial: Any = None
    result: Any = None
    problem: SettingError | None = None
    seconds: float = 0.0

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return self.status == "running"

    def cancel(self) -> None:
        """End it as it is."""
        self.status = "cancelled"

    def wait(self, _seconds: float) -> bool:
        """Nothing happens by waiting."""
        return not self.running

    def finish(self, result: Any) -> None:
        """It has found this."""
        self.status, self.fraction, self.result = "finished", 1.0, result


class FakePool:
    """A pool that starts such runs."""

    def __init__(self) -> None:
        self.started: list[FakeRun] = []
        self.touched: list[str] = []
        self.orphaned: list[str] = []
        self.dropped: list[str] = []
        self.archived: list[str] = []
        self.checkpoints: dict[str, FakeRun] = {}  # what ships; nothing, unless a test says so
        self.studies: list[FakeStudy] = []
        self.found: dict[str, Any] = {}  # what a study of that name finds at once; others wait for the test
        self.full = False  # whether one study more is refused
        self._names = (f"run-{number}" for number in itertools.count(1))

    def start(self, experiment: str, settings: Any) -> FakeRun:
        """A new run at step 0."""
        run = FakeRun(next(self._names), experiment, settings)
        self.started.append(run)
        return run

    def ship(self, experiment: str) -> FakeRun:
        """From now on a checkpoint of the document's recipe ships for an experiment."""
        settings = find(experiment).defaults()
        run = FakeRun(f"shipped-{experiment}", experiment, settings, "stopped", step=settings.steps, loss=0.0362)
        self.checkpoints[experiment] = run
        return run

    def bring(self, content: bytes, name: str) -> FakeRun:
        """A run of a checkpoint whose content is the name of its experiment; anything else is none."""
        if content not in (b"mini_gpt", b"mini_bert"):
            raise SettingError("“{file}” is not a checkpoint of this app", file=name)
        run = self.start(content.decode(), find(content.decode()).defaults())
        run.status, run.step, run.loss, run.checkpoint = "stopped", run.settings.steps, 0.25, Path(name)
        return run

    def shipped(self, experiment: str) -> FakeRun | None:
        """The checkpoint that ships for an experiment."""
        return self.checkpoints.get(experiment)

    def study(self, name: str, options: Mapping[str, Any], run: FakeRun | None = None) -> FakeStudy:
        """A study that has just begun, or has found at once what the test has put ready."""
        if self.full:
            raise SettingError("there are {count} already", count=7)
        made = FakeStudy(f"study-{next(self._names)}", name, dict(options), None if run is None else run.id)
        self.studies.append(made)
        if name in self.found:
            made.finish(self.found[name])
        return made

    def touch(self, run: str) -> None:
        """Somebody looks."""
        self.touched.append(run)

    def orphan(self, run: str) -> None:
        """The tab has gone."""
        self.orphaned.append(run)

    def retire(self, run: str) -> None:
        """Its page has another one now."""
        self.dropped.append(run)

    def archive(self, run: str) -> None:
        """Only its weights and its course are kept."""
        self.archived.append(run)

    def drop(self, run: str) -> None:
        """Nobody wants it any more."""
        self.dropped.append(run)

    def find(self, run: str) -> FakeRun | None:
        """The run of that id, if it is still there."""
        return next((one for one in self.started if one.id == run and run not in self.dropped), None)

    @property
    def run(self) -> FakeRun:
        """The newest run."""
        return self.started[-1]


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> FakePool:
    """The pool that the pages see."""
    fake = FakePool()
    monkeypatch.setattr(session, "pool", lambda: fake)
    return fake


@pytest.fixture
def app(pool: FakePool) -> App:
    """Open a page as a browser would: ``app("mini_gpt", seed="7")``."""

    def opened(page: str = "home", **parameters: str) -> AppTest:
        test = AppTest.from_file(MAIN, default_timeout=20)
        test.query_params.update(parameters)
        test.run()  # Home: only a run registers the pages
        if page == "home":
            return test
        test.query_params.clear()
        test.query_params.update(parameters)
        return go(test, page)

    return opened


def go(test: AppTest, page: str) -> AppTest:
    """Go to another page in the same tab, and open its settings."""
    path = "../pages/home.py" if page == "home" else f"../pages/train/{page}.py"
    for popover in ("settings", "display"):
        test.session_state[popover] = page != "home"
    return test.switch_page(path).run()
