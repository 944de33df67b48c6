"""Questions to a run's model, asked once and remembered with the run and the step they were asked at."""

from __future__ import annotations

from concurrent.futures import Future, wait
from typing import Any

from core.runs.requests import GenerateRequest, LookRequest
from core.runs.run import Run
from core.runs.wire import Looked, unpack_look
from core.ui.lessons.record import Record

Request = LookRequest | GenerateRequest
KEPT = 200  # answers a tab remembers; the oldest go first


class Probes:
    """The answers of one tab's runs. An answer outlives its run."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, int, Request], Future[Any]] = {}

    def ask(self, run: Run, request: Request) -> None:
        """Ask a run that holds still, unless it has been asked that at this step."""
        key = (run.id, run.step, request)
        if key not in self._answers:
            asked = run.look(request) if isinstance(request, LookRequest) else run.generate(request)
            self._answers[key] = asked
            while len(self._answers) > KEPT:
                del self._answers[next(iter(self._answers))]

    def look(self, record: Record, request: LookRequest) -> Looked | None:
        """What the run saw, None while that is not known."""
        answer = self._answer(record, request)
        return None if answer is None else unpack_look(answer)

    def written(self, record: Record, request: GenerateRequest) -> dict[str, Any] | None:
        """What the run wrote, None while that is not known."""
        answer = self._answer(record, request)
        return None if answer is None else dict(answer)

    def waiting(self, seconds: float = 0.0) -> bool:
        """Whether an answer is still to come after so many seconds. Questions that failed may be asked again."""
        wait(self._answers.values(), timeout=seconds)
        for key in [key for key, one in self._answers.items() if one.done() and _failed(one)]:
            del self._answers[key]
        return any(not one.done() for one in self._answers.values())

    def _answer(self, record: Record, request: Request) -> Any:
        future = self._answers.get((record.run, record.step, request))
        return future.result() if future is not None and future.done() and not _failed(future) else None


def _failed(future: Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None
