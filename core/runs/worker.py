"""A worker process: ``python -m core.runs.worker DIRECTORY``, one Trainer that is spoken to through its pipes.

Between two steps it listens, so an answer waits for one step at most. It yields to the server (niced, one torch
thread), writes what its runs need to be resumed into DIRECTORY, and ends when its input ends.
"""

from __future__ import annotations

import ctypes
import gc
import os
import queue
import shutil
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import torch

from core.experiments import catalogue
from core.runs.history import Report
from core.runs.requests import GenerateRequest, LabRequest, LookRequest, NoRun, PastRequest
from core.runs.trainer import Trainer
from core.runs.wire import pack, receive, send, unpack
from core.settings import SettingError, values

NICENESS = 10
KEEP_EVERY = 2.0  # seconds between two resume files of a running run
KEEP_SHARE = 0.02  # of a worker's time at most goes into them

Message = dict[str, Any]


class Worker:
    """A Trainer at the end of two pipes."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes], directory: Path) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._directory = directory
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._trainer = Trainer()
        self._orders: dict[str, int] = {}  # the last order of a run that was carried out
        self._keep_at: dict[str, float] = {}

    def work(self) -> None:
        """Listen and train until the input ends."""
        threading.Thread(target=self._read, name="reader", daemon=True).start()
        while self._listen():
            for report in self._trainer.advance(interrupted=lambda: not self._messages.empty()):
                self._say({"kind": "report", "orders": self._orders.get(report.run, 0), "report": report.to_json()})
                self._keep(report)
            for found in self._trainer.findings():
                self._say({"kind": "findings", "findings": found.to_json()})

    def _read(self) -> None:
        try:
            while (frame := receive(self._incoming)) is not None:
                self._messages.put(unpack(frame)[0])
        finally:
            self._messages.put(None)

    def _listen(self) -> bool:
        """Carry out what has arrived, waiting for it when there is nothing to train; False at the end of the input."""
        while not self._messages.empty() or not self._trainer.busy:
            message = self._messages.get()
            if message is None:
                return False
            self._obey(message)
        return True

    def _obey(self, message: Message) -> None:
        try:
            answer, payload = self._carry_out(message)
        except SettingError as error:
            self._refuse(message, "bad_request", sentence=error.message, fields=_plain(error.fields))
        except NoRun:
            self._refuse(message, "no_run")
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self._refuse(message, "internal")
        else:
            if "orders" in message:
                self._orders[message["run"]] = message["orders"]
            if "request" in message:
                self._say({"kind": "answer", "request": message["request"], "answer": answer}, payload)

    def _carry_out(self, message: Message) -> tuple[Any, bytes]:
        run = message["run"]
        match message["operation"]:
            case "start":
                self._start(message)
            case "control":
                self._trainer.control(run, message["action"])
            case "change":
                self._trainer.change(run, message["changes"])
            case "look":
                return None, self._trainer.look(run, LookRequest.from_json(message["look"]))
            case "lab":
                return None, self._trainer.lab(run, LabRequest.from_json(message["lab"]))
            case "maps":
                return None, self._trainer.maps(run, LookRequest.from_json(message["look"]))
            case "past":
                return None, self._trainer.past(run, PastRequest.from_json(message["past"]))
            case "generate":
                return self._trainer.generate(run, GenerateRequest.from_json(message["generate"])), b""
            case "export":
                self._trainer.export(run, Path(message["path"]), message["course"])
            case "archive":
                self._archive(run, Path(message["path"]), message["course"])
            case "shelve":
                self._trainer.shelve(run, Path(message["path"]))
            case "load":
                self._trainer.load(run, Path(message["path"]))
            case "study":
                self._trainer.study(run, message["study"], message["options"], message["about"])
            case "drop":
                self._drop(run)
        return None, b""

    def _start(self, message: Message) -> None:
        run, experiment, settings = message["run"], message["experiment"], message["settings"]
        kept = self._file(run)
        if message["resume"] and kept.exists():
            try:
                self._trainer.start(run, experiment, settings, resume=kept, status=message["status"])
                return
            except Exception:  # a file that cannot be read costs the run its progress, not its life
                traceback.print_exc(file=sys.stderr)
        self._trainer.start(run, experiment, settings, status=message["status"])

    def _drop(self, run: str) -> None:
        self._trainer.drop(run)
        self._orders.pop(run, None)
        self._keep_at.pop(run, None)
        self._file(run).unlink(missing_ok=True)
        _give_back_memory()

    def _archive(self, run: str, path: Path, course: Message) -> None:
        self._trainer.archive(run, path, course)
        self._keep_at.pop(run, None)
        self._file(run).unlink(missing_ok=True)
        _give_back_memory()

    def _keep(self, report: Report) -> None:
        """Write the resume file now and then, and whenever something changed that must not be lost."""
        settled = report.status != "running" or bool(report.marks)
        if report.step == 0 or not (settled or time.monotonic() >= self._keep_at.get(report.run, 0.0)):
            return
        began = time.monotonic()
        try:
            self._trainer.keep(report.run, self._file(report.run))
        except NoRun:  # a loaded checkpoint has a file already
            return
        except Exception:  # a full disk costs the progress since the last file, if this process dies, and nothing else
            traceback.print_exc(file=sys.stderr)
        now = time.monotonic()
        self._keep_at[report.run] = now + max(KEEP_EVERY, (now - began) / KEEP_SHARE)

    def _file(self, run: str) -> Path:
        return self._directory / f"{run}.safetensors"

    def _refuse(self, message: Message, error: str, **details: Any) -> None:
        about = {"run": message["run"], "operation": message["operation"], "request": message.get("request")}
        self._say({"kind": "refusal", "error": error} | about | details)

    def _say(self, header: Message, payload: bytes = b"") -> None:
        send(self._outgoing, pack(header, payload))


def _plain(fields: dict[str, object]) -> dict[str, Any]:
    return {name: value if isinstance(value, int | float | str) else str(value) for name, value in fields.items()}


def _give_back_memory() -> None:
    """Return what was freed to the system: glibc alone would keep it for later."""
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):  # another C library has no such function
        ctypes.CDLL(None).malloc_trim(0)


def _warm_up() -> None:
    """Take one step and one look with a model of no account: torch loads much of itself only when it is first used."""
    trainer = Trainer()
    name, experiment = next(iter(catalogue().items()))
    trainer.start("warm", name, values(experiment.defaults()))
    trainer.control("warm", "step")
    trainer.advance(0.0)
    trainer.look("warm", LookRequest(text=experiment.view().prompt))


def _own_output() -> IO[bytes]:
    """The pipe to the server; whatever else writes to standard output goes to standard error from now on."""
    sys.stdout.flush()
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def main() -> None:
    """Run a worker on this process's standard input and output."""
    directory = Path(sys.argv[1])
    outgoing = _own_output()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C at the terminal is for the server; it will close the pipe
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    torch.set_num_threads(1)
    _warm_up()
    with suppress(BrokenPipeError):
        Worker(sys.stdin.buffer, outgoing, directory).work()
    shutil.rmtree(directory, ignore_errors=True)  # the server is gone, nobody will resume
    os._exit(0)  # the reader may still hold the pipe


if __name__ == "__main__":
    main()
