"""Studies as the server knows them: a page's handle on work that some worker does between its runs' turns."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping
from typing import Any

from core.runs.findings import Findings, StudyStatus
from core.runs.process import WorkerProcess
from core.runs.requests import NoRun
from core.settings import N_, SettingError

MOST_STUDIES = 64  # that work at the same time
MOST_LOSSES = 2  # workers that may die under a study; it begins anew in the next one
FORGOTTEN_AFTER = 3600.0  # seconds after which one that nobody has touched is dropped


class Study:
    """One study. ``options`` are what was asked, ``partial`` what is known so far, ``result`` what was found.

    ``problem`` says why it failed, as a sentence that can be translated. Every attribute may be read at any time.
    """

    def __init__(self, name: str, options: Mapping[str, Any], worker: WorkerProcess, run: str | None = None) -> None:
        self.id = secrets.token_urlsafe(12)
        self.name = name
        self.options = dict(options)
        self.run = run
        self.worker = worker
        self.status: StudyStatus = "running"
        self.fraction = 0.0
        self.partial: Any = None
        self.result: Any = None
        self.problem: SettingError | None = None
        self.seconds = 0.0  # that the worker has spent on it
        self.touched = time.monotonic()
        self.orphaned: float | None = None
        self._losses = 0
        self._changed = threading.Condition()

    @property
    def running(self) -> bool:
        """Whether there is more to come."""
        return self.status == "running"

    def cancel(self) -> None:
        """End it at its next yield; what it has found so far stays in ``partial``."""
        with self._changed:
            if self.running:
                self._tell("drop")
                self._end("cancelled")

    def wait(self, seconds: float) -> bool:
        """Wait for its end, so long at most; returns whether it has ended."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.running, seconds)

    def begin(self, worker: WorkerProcess) -> None:
        """Have it done in a worker, from its beginning."""
        with self._changed:
            self.worker = worker
            self.fraction = 0.0
            self._tell("study", study=self.name, options=self.options, about=self.run)

    def absorb(self, found: Findings) -> None:
        """Take in what the worker tells; what comes after the end is of no interest."""
        with self._changed:
            if not self.running:
                return
            self.fraction, self.seconds = found.fraction, found.seconds
            self.partial = self.partial if found.partial is None else found.partial
            if found.status == "finished":
                self.result = found.result
                self._end("finished")
            elif found.status == "failed":
                told = None if found.sentence is None else SettingError(found.sentence, **found.fields)
                self.fail(told)

    def fail(self, problem: Exception | None) -> None:
        """End it for a reason; what is no sentence for a reader becomes one."""
        with self._changed:
            if isinstance(problem, NoRun):
                problem = SettingError(N_("the run that was asked about is not there any more"))
            if not isinstance(problem, SettingError):
                problem = SettingError(N_("something went wrong in the worker; its log says what"))
            self.problem = problem
            self._end("failed")

    def lose(self, replacement: WorkerProcess) -> None:
        """The worker died: begin anew in another one, but not for ever."""
        with self._changed:
            self._losses += 1
            if self._losses < MOST_LOSSES:
                self.begin(replacement)
            else:
                self.worker = replacement
                self.fail(SettingError(N_("the worker process died more than once over this")))

    def _end(self, status: StudyStatus) -> None:
        self.status = status
        self._changed.notify_all()

    def _tell(self, operation: str, **details: Any) -> None:
        self.worker.send({"operation": operation, "run": self.id} | details)


class Studies:
    """All studies of a pool, by their ids. The pool calls it under its own lock where it matters."""

    def __init__(self) -> None:
        self._all: dict[str, Study] = {}

    def start(self, study: Study) -> Study:
        """Begin one. Raises :class:`SettingError` when too many are at work already."""
        if (count := sum(one.running for one in self._all.values())) >= MOST_STUDIES:
            raise SettingError(N_("this server is at work on {count} studies already; try again soon"), count=count)
        self._all[study.id] = study
        study.begin(study.worker)
        return study

    def find(self, study: str) -> Study | None:
        """The study of that id; None when there is none (any more)."""
        return self._all.get(study)

    def load(self, worker: WorkerProcess) -> int:
        """How many a worker is busy with."""
        return sum(one.running and one.worker is worker for one in list(self._all.values()))

    def touch(self, study: str) -> None:
        """Somebody is looking at it."""
        if found := self._all.get(study):
            found.touched, found.orphaned = time.monotonic(), None

    def orphan(self, study: str) -> None:
        """Its session has ended, or its connection has broken."""
        if found := self._all.get(study):
            found.orphaned = time.monotonic()

    def drop(self, study: str) -> None:
        """End and forget it; there need not be one."""
        if found := self._all.pop(study, None):
            found.cancel()

    def absorb(self, worker: WorkerProcess, found: Findings) -> None:
        """Pass on what a worker tells."""
        study = self._all.get(found.study)
        if study is not None and study.worker is worker:
            study.absorb(found)

    def refused(self, worker: WorkerProcess, study: str, problem: Exception) -> None:
        """The worker could not even begin."""
        known = self._all.get(study)
        if known is not None and known.worker is worker:
            known.fail(problem)

    def lose(self, worker: WorkerProcess, replacement: WorkerProcess) -> None:
        """A worker died; its studies begin anew."""
        for study in list(self._all.values()):
            if study.running and study.worker is worker:
                study.lose(replacement)

    def tend(self, now: float, orphan_after: float) -> None:
        """Drop those whose session has gone."""
        for study in list(self._all.values()):
            orphaned = study.orphaned is not None and now - study.orphaned >= orphan_after
            if orphaned or now - study.touched >= FORGOTTEN_AFTER:
                self.drop(study.id)

    def end(self) -> None:
        """The pool closes: whoever waits need not wait any longer."""
        for study in list(self._all):
            self.drop(study)
