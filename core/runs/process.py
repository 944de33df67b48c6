"""The server's end of a worker process: starts it, speaks to it from threads of its own, and notices its death.

``subprocess`` and not ``multiprocessing``, whose children would run the Streamlit script again.
"""

from __future__ import annotations

import itertools
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from core.runs.findings import Findings
from core.runs.history import Report
from core.runs.requests import NoRun, WorkerGone
from core.runs.wire import pack, receive, send, unpack
from core.settings import SettingError

ROOT = Path(__file__).resolve().parents[2]
MOST_PENDING = 64  # questions to one worker at a time

Answer = TypeVar("Answer")
Message = dict[str, Any]


class Busy(RuntimeError):
    """Too many questions wait for an answer already."""


class WorkerProcess:
    """One worker. What is sent to it is queued and written by a thread, so that nobody waits for a pipe.

    ``on_report``, ``on_findings`` (of a study), ``on_refusal`` (of what cannot be begun) and ``on_gone`` are called
    from the reader thread; after ``on_gone`` nothing more comes. ``delay`` are seconds until the process is started.
    """

    def __init__(
        self,
        directory: Path,
        *,
        on_report: Callable[[WorkerProcess, Report, int], None],
        on_findings: Callable[[WorkerProcess, Findings], None],
        on_refusal: Callable[[WorkerProcess, str, Exception], None],
        on_gone: Callable[[WorkerProcess], None],
        delay: float = 0.0,
    ) -> None:
        self._directory = directory
        self._on_report, self._on_refusal, self._on_gone = on_report, on_refusal, on_gone
        self._on_findings = on_findings
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._pending: dict[int, tuple[Future[Any], Callable[[Any, bytes], Any]]] = {}
        self._lock = threading.Lock()
        self._gone = False
        self._closing = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self.started = time.monotonic()
        self.speaks = False  # once it has said anything; until then it is still starting
        self._thread = threading.Thread(target=self._live, args=(delay,), name="worker", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The process's id; None before it was started."""
        return None if self._process is None else self._process.pid

    def send(self, message: Message) -> None:
        """Queue a message that is not answered."""
        self._outgoing.put(pack(message))

    def ask(self, message: Message, read: Callable[[Any, bytes], Answer]) -> Future[Answer]:
        """Queue a message whose answer, made of the worker's by ``read``, arrives in the future.

        The future raises :class:`WorkerGone`, :class:`NoRun`, :class:`Busy` or :class:`SettingError`.
        """
        future: Future[Answer] = Future()
        number = next(self._numbers)
        with self._lock:
            if self._gone or self._closing.is_set():
                future.set_exception(WorkerGone())
                return future
            if len(self._pending) >= MOST_PENDING:
                future.set_exception(Busy())
                return future
            self._pending[number] = future, read
        future.add_done_callback(lambda _: self._pending.pop(number, None))
        self.send(message | {"request": number})
        return future

    def end(self) -> None:
        """End the process; what it holds is of no use any more."""
        with self._lock:
            self._closing.set()
            process = self._process
        if process is not None:
            process.kill()
        self._thread.join()

    def _live(self, delay: float) -> None:
        process = None if self._closing.wait(delay) else self._spawn()
        if process is not None:
            assert process.stdin is not None
            assert process.stdout is not None
            writer = threading.Thread(target=self._write, args=(process.stdin,), name="writer", daemon=True)
            writer.start()
            self._read(process.stdout)
            process.kill()
            process.wait()
            self._outgoing.put(None)
            writer.join()
            process.stdout.close()
        self._leave()

    def _spawn(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._closing.is_set():
                return None
            self.started = time.monotonic()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "core.runs.worker", str(self._directory)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            return self._process

    def _write(self, pipe: IO[bytes]) -> None:
        with suppress(OSError):  # a broken pipe: the reader notices it too, and tells
            while (frame := self._outgoing.get()) is not None:
                send(pipe, frame)
        with suppress(OSError):
            pipe.close()

    def _read(self, pipe: IO[bytes]) -> None:
        with suppress(ValueError, OSError):  # what comes through is not ours: the process is of no use
            while (frame := receive(pipe)) is not None:
                self._hear(*unpack(frame))

    def _hear(self, header: Message, payload: bytes) -> None:
        self.speaks = True
        if header["kind"] == "report":
            self._on_report(self, Report(**header["report"]), header["orders"])
            return
        if header["kind"] == "findings":
            self._on_findings(self, Findings(**header["findings"]))
            return
        with self._lock:
            future, read = self._pending.get(header["request"] or 0, (None, None))
        if header["kind"] == "refusal":
            error = _error(header)
            if header["operation"] in ("start", "load", "study"):
                self._on_refusal(self, header["run"], error)
            elif future is not None and future.set_running_or_notify_cancel():
                future.set_exception(error)
        elif future is not None and read is not None and future.set_running_or_notify_cancel():
            future.set_result(read(header["answer"], payload))

    def _leave(self) -> None:
        with self._lock:
            self._gone = True
            waiting = [future for future, _ in self._pending.values()]
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(WorkerGone())
        if not self._closing.is_set():
            self._on_gone(self)


def _error(header: Message) -> Exception:
    if header["error"] == "bad_request":
        return SettingError(header["sentence"], **header["fields"])
    return NoRun(header["run"]) if header["error"] == "no_run" else RuntimeError("the worker failed to answer")
