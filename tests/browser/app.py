"""The app as a person starts it: ``streamlit run streamlit_app.py`` in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx
import psutil

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds: how long anything may take before a test gives up on it


@dataclass(frozen=True)
class App:
    """A running server."""

    port: int
    process: psutil.Process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def workers(self) -> list[psutil.Process]:
        """The processes that train."""
        return [child for child in self.process.children() if "core.runs.worker" in child.cmdline()]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Ask again and again until it holds. Raises :class:`TimeoutError`."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError("waited in vain")
            time.sleep(0.1)


def has_torch(process: psutil.Process) -> bool:
    """Whether a running process has loaded torch."""
    return any(Path(mapped.path).name.startswith("libtorch") for mapped in process.memory_maps())


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_app(**environment: str) -> Iterator[App]:
    """Start the app on a free port, wait until it answers, and end it with its workers afterwards."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py"]
    options = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen(
            [*command, *options],
            cwd=ROOT,
            # A busy machine may answer late: that is no defect of the page, and no test asserts a time.
            env=os.environ | {"ATTENTION_LIVE_PATIENCE": "30"} | environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        app = App(port, psutil.Process(server.pid))
        try:
            _wait_until_healthy(app, server, log)
            yield app
        finally:
            _end(server)


def _wait_until_healthy(app: App, server: subprocess.Popen[bytes], log: IO[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{app.url}/_stcore/health").text == "ok":
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    log.seek(0)
    raise RuntimeError(f"the app did not start:\n{log.read()}")


def _end(server: subprocess.Popen[bytes]) -> None:
    children = psutil.Process(server.pid).children(recursive=True) if server.poll() is None else []
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    # End of input ends a worker; one that stays is a defect that the next test should not pay for.
    for child in psutil.wait_procs(children, timeout=10)[1]:
        child.kill()
