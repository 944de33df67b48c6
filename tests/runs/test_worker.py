"""A worker process at the end of its pipes, spoken to directly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from core.runs.process import ROOT
from core.runs.wire import pack, receive, send, unpack
from core.settings import values
from tests.runs.tools import LONGEST, curve, small

NOISY = """
from core.runs import worker
quiet = worker.Trainer.advance
def noisy(self, *args, **options):
    print("progress:", "#" * 1000, flush=True)
    return quiet(self, *args, **options)
worker.Trainer.advance = noisy
worker.main()
"""


def test_what_a_library_prints_does_not_break_the_pipe(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", NOISY, str(tmp_path / "resume")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    (tmp_path / "resume").mkdir()
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        orders: list[dict[str, Any]] = [
            {"operation": "nonsense", "run": "run"},
            {
                "operation": "start",
                "run": "run",
                "experiment": "mini_gpt",
                "settings": values(small("mini_gpt")),
                "status": "running",
                "resume": False,
            },
        ]
        for order in orders:
            send(process.stdin, pack(order))
        losses: list[float] = []
        while (frame := receive(process.stdout)) is not None:
            losses += unpack(frame)[0]["report"]["loss"]
            if len(losses) == small("mini_gpt").steps:
                process.stdin.close()
                break
        assert losses == curve("mini_gpt").loss
        assert b"progress:" in process.stderr.read()
        assert process.wait(LONGEST) == 0
    assert not (tmp_path / "resume").exists()
