"""What one takes away of a run besides its weights: its history as a table, and a script that trains it again."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pprint import pformat
from typing import Any

from core.experiments import find
from core.runs.history import History
from core.runs.run import Run
from core.settings import Value, difference

WIDTH = 100  # characters of a line of the script

SCRIPT = '''\
"""{name}: the same run again, from its first step.

Run it in the folder of Attention Live, with the packages of its requirements.txt:  python {file}
{remark}"""

from pathlib import Path

import torch

from core.experiments import find
from core.inference import checkpoint
from core.settings import changed
from core.training.build import build
from core.training.loop import train

EXPERIMENT = {experiment!r}
SETTINGS = {settings}  # everything else is the document's
CHANGES = {changes}  # step -> what was changed while it trained, from that step on
STEPS = {steps}
SEEN = {loss}  # the loss of the last step as it was seen

torch.set_num_threads(1)  # more threads would add up in another order
experiment = find(EXPERIMENT)
training = build(experiment, changed(experiment.settings(), SETTINGS))
loss = None
while training.number < STEPS:
    training.settings = changed(training.settings, CHANGES.get(training.number + 1, {{}}))
    step = next(train(training))
    loss = step.loss
    if step.metrics:
        print(step.number, f"{{loss:.4f}}", step.metrics)

print("loss", loss, "seen", SEEN)
weights = training.model.state_dict()
checkpoint.save(Path({weights!r}), experiment, training.settings, weights, training.number, loss)
'''

REMARK = """
It came from a file: what may have been changed while it trained is not known.
"""


def history_csv(history: History) -> bytes:
    """A row a step: its loss, its learning rate, what was measured after it, and what was changed from it on.

    UTF-8 with the mark by which spreadsheets know it.
    """
    measures = list(dict.fromkeys(name for one in history.evaluations for name in one if name != "step"))
    measured = {int(one["step"]): one for one in history.evaluations}
    changes = _changes(history)
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(["step", "training_loss", "learning_rate", *measures, "changed"])
    for step in sorted({*range(1, len(history.loss) + 1), *measured, *changes}):
        known = 0 < step <= len(history.loss)
        numbers = [history.loss[step - 1], history.learning_rate[step - 1]] if known else ["", ""]
        taken = [measured.get(step, {}).get(name, "") for name in measures]
        changed = "; ".join(f"{name}={value}" for name, value in changes.get(step, {}).items())
        table.writerow([step, *numbers, *taken, changed])
    return b"\xef\xbb\xbf" + written.getvalue().encode()


def script(run: Run, name: str, file: str = "reproduce.py") -> str:
    """A Python script that trains the run again from its first step: the same settings, changes and steps.

    It runs where :mod:`core` can be imported, and gives the same losses on the same kind of machine. ``name`` is what
    the run is called, ``file`` what the script is.
    """
    standard = find(run.experiment).settings()
    settings = {name: value for name, (_, value) in difference(standard, run.began_with).items()}
    from_file = run.checkpoint is not None and not run.archived
    return SCRIPT.format(
        name=_quotable(name),
        file=file,
        remark=REMARK if from_file else "",
        experiment=run.experiment,
        settings=_written(settings),
        changes=_written(_changes(run.history)),
        steps=run.step,
        loss=run.history.loss[-1] if run.history.loss else run.loss,
        weights=f"{run.experiment}.safetensors",
    )


def _changes(history: History) -> dict[int, dict[str, Value]]:
    """What was changed, by the first step that had it."""
    found: dict[int, dict[str, Value]] = {}
    for mark in history.marks:
        found.setdefault(int(mark["step"]), {})[str(mark["setting"])] = mark["value"]
    return found


def _written(values: Mapping[Any, Any]) -> str:
    return pformat(dict(values), width=WIDTH, sort_dicts=False)


def _quotable(name: str) -> str:
    """A name within a docstring: nothing in it can end the string."""
    return name.replace("\\", "/").replace('"', "'").replace("\n", " ")
