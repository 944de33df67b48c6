"""The whole models: their size, and the laws on the real thing."""

import pkgutil

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from core.data.texts import NextCharacter
from core.experiments import catalogue, find
from core.inference.look import look, taken
from core.models.mini_gpt import MiniGPT
from core.runs.requests import LookRequest
from core.settings import changed
from core.training.build import build


def parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(
    ("name", "size"), [("tiny_transformer", 17_474), ("mini_bert", 43_966), ("mini_gpt", 118_261), ("seq2seq", 170_126)]
)
def test_parameter_counts(name: str, size: int) -> None:
    assert parameters(build(find(name), find(name).defaults()).model) == size


@pytest.mark.parametrize("name", catalogue())
def test_looking_agrees_with_not_looking(name: str) -> None:
    experiment = find(name)
    training = build(experiment, experiment.defaults())
    training.model.eval()
    seen = look(training.model, training.task, training.settings, LookRequest(text=experiment.view().prompt))
    with torch.no_grad():
        inputs, _ = taken(training.model, training.task, seen.reading)
        logits = training.model(*inputs)
    alone = training.task.predictions(logits, seen.reading)
    for shown, plain in zip(seen.predictions, alone, strict=True):
        torch.testing.assert_close(shown.logits, plain.logits, atol=1e-6, rtol=0)
    assert seen.checks.row_sum_error < 1e-5
    assert seen.checks.future_weight == 0
    assert seen.checks.output_error < 1e-5
    assert len(seen.maps) == len(training.settings.attention_layers())
    assert all(shown.weights.shape[1] == training.settings.heads for shown in seen.maps)


@pytest.mark.parametrize("name", catalogue())
@pytest.mark.parametrize(
    "change", [{"positions": "none"}, {"positions": "sinusoidal"}, {"pre_norm": False}, {"layers": 1}]
)
def test_structural_settings_build_and_learn(name: str, change: dict[str, object]) -> None:
    experiment = find(name)
    training = build(experiment, changed(experiment.defaults(), change))
    losses = [training.step().loss for _ in range(40)]
    assert sum(losses[-5:]) < sum(losses[:5])


@given(
    seed=st.integers(0, 1000), text=st.text("道可非常名", min_size=2, max_size=20), more=st.sampled_from("道可非常名")
)
def test_a_later_character_leaves_earlier_predictions(seed: int, text: str, more: str) -> None:
    settings = changed(find("mini_gpt").defaults(), {"seed": seed % 3})
    task = NextCharacter(settings)
    torch.manual_seed(seed)
    model = MiniGPT(settings, task.tokens).eval()
    with torch.no_grad():
        before = model(torch.tensor([task.read(text).numbers]))
        after = model(torch.tensor([task.read(text + more).numbers]))
    torch.testing.assert_close(before, after[:, :-1], atol=1e-5, rtol=0)


def test_without_the_causal_mask_the_future_is_seen() -> None:
    experiment = find("mini_gpt")
    training = build(experiment, experiment.defaults())
    training.model.eval()
    request = LookRequest(text="道可道非常道", causal_mask=False)
    shown = look(training.model, training.task, training.settings, request).map
    assert (shown.weights.triu(1).sum(dim=-1)[..., :-1] > 0).all()


@pytest.mark.parametrize("name", catalogue())
def test_names_in_the_catalogue_lead_somewhere(name: str) -> None:
    experiment = find(name)
    for path in (experiment.model, experiment.task, experiment.objective):
        assert pkgutil.resolve_name(path) is not None
