"""Checkpoints: the weights of a run, the settings that made it and its curve, in one safetensors file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from core.data.task import Task
from core.experiments import Experiment, find
from core.settings import N_, SettingError, changed, values
from core.training.build import build

DIGITS = 6  # that count, of the numbers of a curve


@dataclass(frozen=True, kw_only=True)
class Course:
    """How a run came to its weights: loss and learning rate of every step from the first on, and what was measured."""

    loss: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    evaluations: list[dict[str, float]] = field(default_factory=list)  # each with its "step"
    tokens: int = 0  # read in all

    def add(self, loss: float, learning_rate: float, metrics: Mapping[str, float]) -> None:
        """Append a step."""
        self.loss.append(_short(loss))
        self.learning_rate.append(_short(learning_rate))
        measured = {name: _short(value) for name, value in metrics.items() if math.isfinite(value)}
        if measured:
            self.evaluations.append({"step": len(self.loss)} | measured)


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A model in evaluation mode with what it was made from."""

    experiment: Experiment
    settings: Any
    step: int
    loss: float | None
    task: Task
    model: nn.Module
    course: Course = field(default_factory=Course)  # empty when it was not kept


def save(
    path: Path,
    experiment: Experiment,
    settings: Any,
    weights: dict[str, Tensor],
    step: int,
    loss: float | None,
    course: Course | None = None,
) -> None:
    """Write a checkpoint. The same weights, settings and course give the same bytes.

    Raises :class:`SettingError` when the file cannot be written.
    """
    about = {"experiment": experiment.name, "settings": values(settings), "step": step, "loss": loss}
    if course is not None:
        about["course"] = asdict(course)
    tensors = {name: tensor.contiguous() for name, tensor in weights.items()}
    try:
        save_file(tensors, path, metadata={"attention_live": json.dumps(about, sort_keys=True)})
    except SafetensorError as error:
        raise SettingError(N_("“{file}” cannot be written: {problem}"), file=path.name, problem=error) from None


def load(path: Path) -> Checkpoint:
    """Read a checkpoint and build its model. Raises :class:`SettingError` for anything but a whole one of ours."""
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {})["attention_live"])
            weights = {name: file.get_tensor(name) for name in file.keys()}
    except FileNotFoundError:
        raise SettingError(N_("there is no file “{file}”"), file=path.name) from None
    except (SafetensorError, OSError, KeyError, ValueError):
        raise SettingError(N_("“{file}” is not a checkpoint of this app"), file=path.name) from None
    return _rebuild(path, about, weights)


def _rebuild(path: Path, about: Any, weights: dict[str, Tensor]) -> Checkpoint:
    try:
        experiment = find(str(about["experiment"]))
        settings = changed(experiment.settings(), about["settings"])
        training = build(experiment, settings)
        training.model.load_state_dict(weights)
        step, loss = int(about["step"]), None if about["loss"] is None else float(about["loss"])
        course = _course(about.get("course") or {}, step)
    except SettingError:
        raise
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError):
        raise SettingError(N_("the weights and the settings in “{file}” do not fit together"), file=path.name) from None
    return Checkpoint(
        experiment=experiment,
        settings=settings,
        step=step,
        loss=loss,
        task=training.task,
        model=training.model.eval(),
        course=course,
    )


def _course(told: Mapping[str, Any], step: int) -> Course:
    """The course that a file tells. Raises ValueError or TypeError when it cannot be that of these weights."""
    loss, rates = (list(_finite(told.get(name, []))) for name in ("loss", "learning_rate"))
    evaluations = [dict(zip(one, _finite(one.values()), strict=True)) for one in told.get("evaluations", [])]
    if len(loss) not in (0, step) or len(rates) != len(loss) or any(not 0 < one["step"] <= step for one in evaluations):
        raise ValueError("the course is not that of these weights")
    return Course(loss=loss, learning_rate=rates, evaluations=evaluations, tokens=int(told.get("tokens", 0)))


def _finite(numbers: Any) -> Iterator[float]:
    for number in numbers:
        if not isinstance(number, int | float) or not math.isfinite(number):
            raise ValueError(f"{number} is no finite number")
        yield number


def _short(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")
