"""Every part that can be chosen: it trains, it is looked at, it goes to a file and back."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from core.experiments import catalogue, find
from core.experiments.common import Architecture
from core.inference.look import look
from core.runs.requests import LookRequest
from core.settings import SettingError, changed
from core.training.build import Training, build
from core.training.loop import train

PARTS: list[dict[str, Any]] = [
    {"normalisation": "rms"},
    {"normalisation": "none"},
    {"normalisation": "rms", "pre_norm": False},
    {"activation": "relu"},
    {"activation": "swiglu"},
    {"key_value_heads": 1},
    {"key_value_heads": 2},
    {"scaled": False},
    {"residual": False},
    {"positions": "rope"},
    {"positions": "alibi"},
    {"optimizer": "sgd", "learning_rate": 0.02},
    {"label_smoothing": 0.1},
]
TEXT_PARTS: list[dict[str, Any]] = [{"tied_embeddings": True}]


def built(name: str, changes: dict[str, Any]) -> Training:
    experiment = find(name)
    return build(experiment, changed(experiment.defaults("fast"), {"steps": 30} | changes))


CASES = [
    pytest.param(name, parts, id=f"{name}-{'-'.join(f'{key}={value}' for key, value in parts.items())}")
    for name in catalogue()
    if isinstance(find(name).defaults(), Architecture)
    for parts in PARTS + (TEXT_PARTS if hasattr(find(name).defaults(), "tied_embeddings") else [])
]


@pytest.mark.parametrize(("name", "parts"), CASES)
def test_every_part_trains_and_is_looked_at(name: str, parts: dict[str, Any]) -> None:
    training = built(name, parts)
    losses = [step.loss for step in train(training)]
    assert all(map(math.isfinite, losses))
    if parts.get("residual", True):
        assert sum(losses[-5:]) < sum(losses[:5])
    training.model.eval()
    seen = look(training.model, training.task, training.settings, LookRequest(text=training.experiment.view().prompt))
    assert max(seen.checks.row_sum_error, seen.checks.future_weight, seen.checks.output_error) < 1e-5


@pytest.mark.parametrize("parts", [PARTS[0], PARTS[4], PARTS[5], PARTS[11], *TEXT_PARTS])
def test_parts_with_weights_or_memory_of_their_own_are_restored(parts: dict[str, Any]) -> None:
    name = "mini_gpt"
    first = built(name, parts)
    list(train(first, 3))
    state = {key: tensor.clone() for key, tensor in first.state().items()}
    expected = [step.loss for step in train(first, 6)]
    second = built(name, parts)
    second.restore(state)
    assert [step.loss for step in train(second, 6)] == expected


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"key_value_heads": 3}, "3 heads of keys and values do not divide 4 heads"),
        ({"heads": 3}, "3 heads do not divide a width of 64"),
        ({"positions": "rope", "width": 12, "heads": 4}, "3 numbers a head are odd"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        built("mini_gpt", parts)


def test_tied_embeddings_take_one_matrix_less() -> None:
    def count(tied: bool) -> int:
        training = built("mini_gpt", {"tied_embeddings": tied})
        return sum(one.numel() for one in training.model.parameters())

    training = built("mini_gpt", {})
    assert count(False) - count(True) == training.task.tokens * training.settings.width


def test_label_smoothing_acts_in_training_only() -> None:
    training = built("mini_gpt", {"label_smoothing": 0.2})
    batch = training.task.training_data()
    logits = training.model(batch.inputs).flatten(0, 1)
    targets = batch.targets.flatten()
    training.model.train()
    smoothed = training.objective.loss(training.model, batch, training.settings)
    torch.testing.assert_close(smoothed, F.cross_entropy(logits, targets, label_smoothing=0.2))
    assert training.corpus_loss() == pytest.approx(F.cross_entropy(logits, targets).item(), abs=1e-5)


def test_the_loss_on_every_character_counts_those_that_stand_in_the_input() -> None:
    training = built("mini_bert", {"loss_on": "all", "dropout": 0.0})
    batch = training.task.batch(training.generator, training.settings)
    expected = F.cross_entropy(training.model(batch.inputs).flatten(0, 1), batch.targets.flatten())
    torch.testing.assert_close(training.objective.loss(training.model, batch, training.settings), expected)


def test_sgd_moves_against_the_gradient() -> None:
    training = built("tiny_transformer", {"optimizer": "sgd", "momentum": 0.0, "weight_decay": 0.0, "dropout": 0.0})
    before = training.model.get_parameter("classes.bias").detach().clone()
    twin = built("tiny_transformer", {"dropout": 0.0})
    batch = twin.task.batch(twin.generator, twin.settings)
    twin.objective.loss(twin.model, batch, twin.settings).backward()  # type: ignore[no-untyped-call]
    gradient = twin.model.get_parameter("classes.bias").grad
    training.step()
    assert gradient is not None
    rate = training.settings.learning_rate
    torch.testing.assert_close(training.model.get_parameter("classes.bias"), before - rate * gradient)
