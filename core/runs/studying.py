"""One study inside the Trainer: it goes on from yield to yield, in surroundings of its own, and tells what it found."""

from __future__ import annotations

import contextvars
import math
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from core import studies
from core.inference.checkpoint import Checkpoint
from core.runs.findings import Findings, StudyStatus
from core.settings import SettingError


class Studying:
    """A study's generator and what is known of it. Whatever goes wrong in it ends this study alone.

    Between two of its turns it leaves nothing behind: torch's global generator, the gradient mode and context variables
    (which tell who records attention) are put aside and back.
    """

    def __init__(self, study: str, name: str, options: Mapping[str, Any], seen: Checkpoint | None) -> None:
        self.study = study
        self.status: StudyStatus = "running"
        self.urgent = False
        self._context = contextvars.copy_context()
        self._randomness = torch.Generator().manual_seed(0).get_state()
        self._gradients = True
        self._generator = studies.find(name)(options, seen)
        self._found = Findings(study=study, fraction=0.0, status="running")
        self._partial: Any = None
        self._seconds = 0.0
        self._told = time.monotonic()

    @property
    def active(self) -> bool:
        """Whether it has something left to do."""
        return self.status == "running"

    def step(self) -> None:
        """Go on to its next yield."""
        began = time.monotonic()
        try:
            with self._own_surroundings():
                progress = self._context.run(next, self._generator)
            self._advance(progress)
        except StopIteration as end:
            self._end("finished", fraction=1.0, result=plain(end.value))
        except SettingError as error:
            self._end("failed", sentence=error.message, fields=plain(error.fields))
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self._end("failed")
        self._seconds += time.monotonic() - began

    def close(self) -> None:
        """Let it clean up after itself, wherever it is."""
        try:
            with self._own_surroundings():
                self._context.run(self._generator.close)
        except Exception:
            traceback.print_exc(file=sys.stderr)

    def due(self, now: float, every: float) -> bool:
        """Whether something should be reported."""
        return self.urgent or (self.active and self._found.fraction > 0 and now - self._told >= every)

    def report(self, now: float) -> Findings:
        """What it has found since the last report."""
        about = self._found.to_json() | {"partial": plain(self._partial), "seconds": self._seconds}
        self._partial, self._told, self.urgent = None, now, False
        return Findings(**about)

    def _advance(self, progress: studies.Progress) -> None:
        self._found = Findings(study=self.study, fraction=min(1.0, max(0.0, progress.fraction)), status="running")
        self._partial = self._partial if progress.partial is None else progress.partial

    def _end(self, status: StudyStatus, *, fraction: float | None = None, **more: Any) -> None:
        reached = self._found.fraction if fraction is None else fraction
        self._found = Findings(study=self.study, fraction=reached, status=status, **more)
        self.status, self.urgent = status, True

    @contextmanager
    def _own_surroundings(self) -> Iterator[None]:
        others, gradients = torch.get_rng_state(), torch.is_grad_enabled()
        torch.set_rng_state(self._randomness)
        torch.set_grad_enabled(self._gradients)
        try:
            yield
        finally:
            self._randomness, self._gradients = torch.get_rng_state(), torch.is_grad_enabled()
            torch.set_rng_state(others)
            torch.set_grad_enabled(gradients)


def plain(value: Any) -> Any:
    """A value as JSON holds it: tensors, arrays and tuples as lists, what is not finite as None, keys as text."""
    if isinstance(value, torch.Tensor | np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"a study's findings are plain values, not {type(value).__name__}")
