"""The documents' figures, and what makes a run the same run."""

import math
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import Optimizer

from core.data.task import Batch
from core.data.texts import MaskedCharacters, NextCharacter
from core.experiments import catalogue, find
from core.inference.generation import generate
from core.inference.look import look
from core.runs.process import ROOT
from core.runs.requests import GenerateRequest, LookRequest
from core.settings import SettingError, changed
from core.training.build import NonFiniteLoss, Training, build
from core.training.loop import evaluate_every, train
from core.training.objectives import prefix_loss
from core.training.optimizers import without_compiler
from core.training.schedules import learning_rate


def begin(name: str, recipe: str = "document", **changes: object) -> Training:
    return build(find(name), changed(find(name).defaults(recipe), changes))


def losses(training: Training, steps: int) -> list[float]:
    return [step.loss for step in train(training, steps)]


def test_tiny_transformer_reaches_the_documents_accuracy() -> None:
    training = begin("tiny_transformer")
    steps = {step.number: step for step in train(training)}
    assert steps[105].metrics["accuracy"] == 1.0
    assert steps[300].loss < 1e-4
    assert len(steps) == 300


def test_mini_bert_reaches_the_documents_loss() -> None:
    training = begin("mini_bert")
    seen = losses(training, 800)
    for step, figure in {200: 2.35, 400: 1.54, 600: 1.07, 800: 0.63}.items():
        around = sum(seen[step - 40 : step]) / 40  # one batch alone is noisy
        assert abs(around - figure) < 0.5, (step, around)
    assert training.evaluate()["masked_accuracy"] > 0.7
    training.model.eval()
    blank = look(training.model, training.task, training.settings, LookRequest(text="温故而_新可以为师")).predictions[0]
    assert blank.labels[int(blank.logits.argmax())] == "知"


def test_mini_gpt_reaches_the_documents_loss_and_recites() -> None:
    training = begin("mini_gpt")
    seen = losses(training, 400)
    for step, figure, apart in [(100, 0.76, 0.25), (200, 0.11, 0.05), (300, 0.054, 0.03), (400, 0.037, 0.02)]:
        around = sum(seen[step - 10 : step]) / 10
        assert abs(around - figure) < apart, (step, around)
    assert training.corpus_loss() < 0.05
    training.model.eval()
    assert isinstance(training.task, NextCharacter)
    written = generate(training.model, training.task, training.settings, GenerateRequest(prompt="道可道"))
    assert written["greedy"]["recited"] >= 40


@pytest.mark.parametrize("name", [name for name, one in catalogue().items() if not one.answers])
def test_the_fast_recipe_reaches_the_document_recipes_loss(name: str) -> None:
    slow, fast = begin(name), begin(name, "fast")
    losses(slow, slow.settings.steps)
    losses(fast, fast.settings.steps)
    assert fast.settings.steps <= slow.settings.steps / 2
    assert fast.corpus_loss() <= slow.corpus_loss()


@pytest.mark.parametrize("name", catalogue())
def test_a_run_is_the_same_alone_and_beside_another(name: str) -> None:
    alone = losses(begin(name, dropout=0.1), 12)
    one, other = begin(name, dropout=0.1), begin(name, seed=5)
    beside = []
    for _ in range(12):
        beside.append(one.step().loss)
        other.step()
        torch.rand(7)  # somebody else draws from the global generator
        one.evaluate()
    assert beside == alone
    assert losses(begin(name, seed=1, dropout=0.1), 12) != alone


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
@pytest.mark.parametrize("name", catalogue())
def test_a_restored_run_goes_on_exactly(name: str, optimizer: str) -> None:
    first = begin(name, optimizer=optimizer, dropout=0.1)
    losses(first, 7)
    saved = {key: tensor.clone() for key, tensor in first.state().items()}
    expected = losses(first, 13)
    second = begin(name, optimizer=optimizer, dropout=0.1)
    second.restore(saved)
    assert second.number == 7
    assert losses(second, 13) == expected


def test_training_does_not_disturb_the_global_generator() -> None:
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    begin("mini_bert").step()
    assert torch.equal(torch.rand(3), expected)


def test_a_non_finite_loss_ends_the_run_with_its_weights_intact() -> None:
    training = begin("mini_gpt")
    training.step()
    with torch.no_grad():
        training.model.get_parameter("vocabulary.bias")[0] = math.inf
    before = {name: tensor.clone() for name, tensor in training.model.state_dict().items()}
    with pytest.raises(NonFiniteLoss, match="step 2"):
        training.step()
    assert training.number == 1
    assert all(torch.equal(before[name], tensor) for name, tensor in training.model.state_dict().items())


def test_gradient_accumulation_equals_one_large_batch() -> None:
    whole, parts = begin("mini_gpt", batch_size=32), begin("mini_gpt", batch_size=16, gradient_accumulation=2)
    # Two draws of 16 windows are the one draw of 32: the generator gives the same numbers in the same order.
    assert whole.step().loss == pytest.approx(parts.step().loss, abs=1e-5)
    for name, tensor in whole.model.state_dict().items():
        torch.testing.assert_close(tensor, parts.model.state_dict()[name], atol=1e-4, rtol=0)


def test_gradient_clipping_bounds_the_step() -> None:
    free, clipped = begin("mini_gpt"), begin("mini_gpt", gradient_clipping=1e-6)
    start = free.model.get_parameter("vocabulary.bias").detach().clone()
    free.step()
    clipped.step()
    moved = [(t.model.get_parameter("vocabulary.bias") - start).abs().max().item() for t in (free, clipped)]
    assert moved[1] < moved[0]


def test_live_settings_act_at_the_next_step() -> None:
    training = begin("mini_gpt")
    training.step()
    training.settings = changed(training.settings, {"learning_rate": 0.005})
    assert training.step().learning_rate == 0.005


def test_schedules() -> None:
    assert {learning_rate("constant", 2.0, step, 10, 5) for step in range(1, 11)} == {2.0}
    warm = [learning_rate("warmup", 2.0, step, 10, 4) for step in range(1, 11)]
    assert warm == [0.5, 1.0, 1.5] + [2.0] * 7
    cosine = [learning_rate("cosine", 2.0, step, 10, 4) for step in range(1, 11)]
    assert cosine[:4] == warm[:4]
    assert all(later < earlier for earlier, later in pairwise(cosine[3:]))
    assert 0 < cosine[-1] < 0.3


def test_evaluations_come_regularly_and_at_the_end() -> None:
    training = begin("mini_bert", steps=23)
    carried = [step.number for step in train(training) if step.metrics]
    assert carried == [5, 10, 15, 20, 23]
    assert evaluate_every(2000) == 100


def test_prefix_loss_is_what_the_model_says_of_each_prefix_alone() -> None:
    training = begin("mini_gpt", causal_mask=False, block=7)
    losses(training, 30)
    training.model.eval()
    assert isinstance(training.task, NextCharacter)
    rows = training.task.training_data()
    few = Batch(inputs=rows.inputs[:3], targets=rows.targets[:3])
    with torch.no_grad():
        measured = prefix_loss(training.model, few, training.settings).item()
        one_by_one = [
            torch.nn.functional.cross_entropy(
                training.model(few.inputs[row : row + 1, : end + 1], causal_mask=False)[0, -1], few.targets[row, end]
            ).item()
            for row in range(3)
            for end in range(7)
        ]
    assert measured == pytest.approx(sum(one_by_one) / len(one_by_one), abs=1e-4)


def test_without_the_mask_the_loss_looks_well_and_the_prefix_loss_exposes_it() -> None:
    cheat = begin("mini_gpt", causal_mask=False)
    assert losses(cheat, 400)[-1] < 0.15
    assert cheat.evaluate()["prefix_loss"] > 0.6  # with the mask it ends near 0.06


def test_held_out_text_is_never_trained_on() -> None:
    task = NextCharacter(changed(find("mini_gpt").defaults(), {"held_out": 0.2}))
    unseen = task.held_out(find("mini_gpt").defaults())
    assert unseen is not None
    characters = len(task.corpus)
    kept = characters - round(characters * 0.2)
    assert task.windows.training[-1].tolist() == task.vocabulary.encode(task.corpus[kept - 49 : kept])
    assert "held_out_loss" in begin("mini_gpt", held_out=0.2).evaluate()
    assert "held_out_loss" not in begin("mini_gpt").evaluate()


def test_a_text_too_short_for_its_block_is_refused_with_the_minimum() -> None:
    with pytest.raises(SettingError, match="87 characters.*at least 129"):
        begin("mini_gpt", corpus="lunyu", block=128)


def test_a_masking_rate_that_masks_nothing_still_masks_one() -> None:
    task = MaskedCharacters(find("mini_bert").defaults())
    batch = task.hide(task.windows.training[:2], 0.0, torch.Generator().manual_seed(0))
    assert batch.chosen is not None and batch.chosen.sum() == 1
    assert (batch.inputs == task.mask).sum() == 1


@pytest.mark.parametrize("rate", [0.05, 0.3, 1.0])
def test_masking_hides_the_share_it_says(rate: float) -> None:
    task = MaskedCharacters(find("mini_bert").defaults())
    batch = task.hide(task.windows.training.repeat(20, 1), rate, torch.Generator().manual_seed(0))
    assert batch.chosen is not None
    assert batch.chosen.float().mean().item() == pytest.approx(rate, abs=0.02)
    assert torch.equal(batch.inputs == task.mask, batch.chosen)


def test_held_out_digits_are_other_sequences_than_the_training_data() -> None:
    task = begin("tiny_transformer").task
    seen, unseen = task.training_data(), task.held_out(find("tiny_transformer").defaults())
    assert unseen is not None
    same = (seen.inputs[: len(unseen.inputs)] == unseen.inputs).float().mean().item()
    assert same < 0.2  # one digit in ten agrees by chance


@pytest.mark.parametrize(
    ("question", "digits", "answer"),
    [
        ("contains_3", "12345678", "yes"),
        ("contains_3", "12445678", "no"),
        ("two_3s", "13345678", "yes"),
        ("two_3s", "12345678", "no"),
        ("3_before_7", "12345678", "yes"),
        ("3_before_7", "17345678", "no"),
        ("3_before_7", "17345673", "no"),
        ("3_before_7", "11111113", "yes"),
        ("3_before_7", "11111111", "no"),
    ],
)
def test_questions_about_digits(question: str, digits: str, answer: str) -> None:
    training = begin("tiny_transformer", question=question)
    training.model.eval()
    seen = look(training.model, training.task, training.settings, LookRequest(text=digits))
    assert seen.predictions[0].correct == answer


def test_order_matters_to_the_question_that_needs_it() -> None:
    accuracies = {}
    for positions in ("sinusoidal", "none"):
        training = begin("tiny_transformer", question="3_before_7", positions=positions)
        losses(training, 300)
        accuracies[positions] = training.evaluate()["accuracy"]
    assert accuracies["sinusoidal"] > 0.98
    assert accuracies["none"] < 0.93


def test_a_cls_token_stands_in_front_and_is_read_off() -> None:
    training = begin("tiny_transformer", readout="cls")
    training.model.eval()
    seen = look(training.model, training.task, training.settings, LookRequest(text="123"))
    assert seen.reading.tokens == ("[CLS]", "1", "2", "3")
    assert seen.map.weights.shape[-2:] == (4, 4)
    losses(training, 150)
    assert training.evaluate()["accuracy"] > 0.95


def test_bert_shares_of_mask_random_and_kept() -> None:
    task = MaskedCharacters(find("mini_bert").defaults())
    rows = task.windows.training.repeat(40, 1)
    batch = task.hide(rows, 0.5, torch.Generator().manual_seed(0), mask_share=0.8, random_share=0.1)
    assert batch.chosen is not None
    inputs, targets = batch.inputs[batch.chosen], batch.targets[batch.chosen]
    masked = (inputs == task.mask).float().mean().item()
    kept = (inputs == targets).float().mean().item()
    assert masked == pytest.approx(0.8, abs=0.02)
    assert kept == pytest.approx(0.1 + 0.1 / task.tokens, abs=0.02)  # a random character is the right one at times
    assert torch.equal(batch.inputs[~batch.chosen], batch.targets[~batch.chosen])


def test_shares_that_are_more_than_all_are_refused() -> None:
    with pytest.raises(SettingError, match="more than all there is to predict"):
        begin("mini_bert", mask_share=0.8, random_share=0.3)


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW, torch.optim.Muon])
def test_an_optimizer_without_the_compiler_takes_the_same_steps(kind: Any) -> None:
    ours, theirs = (nn.Parameter(torch.linspace(-1, 1, 12).reshape(3, 4)) for _ in range(2))
    one: Optimizer = without_compiler(kind)([ours], lr=0.1)
    other = kind([theirs], lr=0.1)
    for step in range(6):
        for weights, optimizer in ((ours, one), (theirs, other)):
            optimizer.zero_grad()
            torch.autograd.backward((weights.sin() ** 2).sum())
            optimizer.step()
        if step == 2:  # as a run that is resumed
            kept = one.state_dict()
            one = without_compiler(kind)([ours], lr=0.7)
            one.load_state_dict(kept)
    assert torch.equal(ours, theirs)
    assert isinstance(one, kind)


def test_training_does_not_load_the_compiler() -> None:
    script = """
import sys
from core.experiments import find
from core.settings import changed
from core.training.build import build
for optimizer in ("sgd", "adamw", "muon"):
    training = build(find("mini_bert"), changed(find("mini_bert").defaults(), {"optimizer": optimizer}))
    training.step()
    training.evaluate()
assert "torch._dynamo" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
