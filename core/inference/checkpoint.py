"""Checkpoints: the weights of a run and the settings that made it, in one safetensors file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from core.data.task import Task
from core.experiments import Experiment, find
from core.settings import N_, SettingError, changed, values
from core.training.build import build


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A model in evaluation mode with what it was made from."""

    experiment: Experiment
    settings: Any
    step: int
    loss: float | None
    task: Task
    model: nn.Module


def save(
    path: Path, experiment: Experiment, settings: Any, weights: dict[str, Tensor], step: int, loss: float | None
) -> None:
    """Write a checkpoint. The same weights and settings give the same bytes."""
    about = {"experiment": experiment.name, "settings": values(settings), "step": step, "loss": loss}
    tensors = {name: tensor.contiguous() for name, tensor in weights.items()}
    save_file(tensors, path, metadata={"attention_live": json.dumps(about, sort_keys=True)})


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
    )
