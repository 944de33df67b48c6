"""Ablation: laws of silent heads and hidden keys, in layers, in looks and in the loss."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.ablation import Ablation, ablating
from core.capture import recording
from core.data.texts import NextCharacter
from core.experiments import catalogue, find
from core.inference import losses
from core.inference.checkpoint import Checkpoint
from core.inference.generation import continuations, generate
from core.inference.look import look
from core.inference.losses import Losses
from core.layers import MultiHeadAttention
from core.runs.requests import GenerateRequest, LookRequest
from core.settings import changed
from core.training.build import Training, build

BATCH, LENGTH, HEADS, WIDTH = 2, 7, 5, 15
LAYERS, MODEL_HEADS = 2, 2
SENTENCES = {
    "tiny_transformer": "49303973",
    "mini_bert": "温故而_新可以为师",
    "mini_gpt": "道可道非常道",
    "seq2seq": "12+39",
}
TEXTS = ["mini_bert", "mini_gpt"]

every_head = [(layer, head) for layer in range(LAYERS) for head in range(MODEL_HEADS)]
some_heads = st.sets(st.sampled_from(every_head))
some_keys = st.sets(st.integers(0, LENGTH - 1), max_size=LENGTH - 1)


@cache
def training(name: str) -> Training:
    """A small model in evaluation mode whose heads matter from the start."""
    experiment = find(name)
    small = {"layers": LAYERS, "heads": MODEL_HEADS, "width": 16, "feed_forward": 13}
    one = build(experiment, changed(experiment.defaults(), small))
    for _ in range(5):
        one.step()
    one.model.eval()
    return one


def checkpoint(name: str, step: int = 5) -> Checkpoint:
    """The same model as what a run hands out."""
    one = training(name)
    return Checkpoint(
        experiment=one.experiment, settings=one.settings, step=step, loss=None, task=one.task, model=one.model
    )


def seen(name: str, **asked: Any) -> Any:
    """A look at a sentence."""
    one = training(name)
    return look(one.model, one.task, one.settings, LookRequest(text=SENTENCES[name], **asked))


def layer_and_tokens(seed: int) -> tuple[MultiHeadAttention, torch.Tensor]:
    """A random layer and what it reads."""
    torch.manual_seed(seed)
    return MultiHeadAttention(WIDTH, HEADS).eval(), torch.randn(BATCH, LENGTH, WIDTH)


seeds = st.integers(0, 10**6)


@given(seeds, st.booleans())
def test_ablating_nothing_changes_nothing(seed: int, causal: bool) -> None:
    layer, tokens = layer_and_tokens(seed)
    with ablating(layer, heads={(1, 0), (0, HEADS)}, keys={LENGTH}):  # none of which there is
        ablated = layer(tokens, causal=causal)
    assert torch.equal(ablated, layer(tokens, causal=causal))


@given(seeds, st.sets(st.integers(0, HEADS - 1)), st.booleans())
def test_silent_heads_hand_on_nothing_and_the_others_what_they_did(seed: int, silent: set[int], causal: bool) -> None:
    layer, tokens = layer_and_tokens(seed)
    with recording(layer) as whole:
        layer(tokens, causal=causal)
    with ablating(layer, heads={(0, head) for head in silent}), recording(layer) as maps:
        watched = layer(tokens, causal=causal)
    with ablating(layer, heads={(0, head) for head in silent}):
        torch.testing.assert_close(layer(tokens, causal=causal), watched, atol=1e-6, rtol=0)  # the fused kernel too
    assert torch.equal(maps[0].weights, whole[0].weights)
    for head in range(HEADS):
        expected = torch.zeros(()) if head in silent else whole[0].mixed[:, head]
        assert torch.equal(maps[0].mixed[:, head], expected.expand_as(maps[0].mixed[:, head]))
    torch.testing.assert_close(watched, layer.output(maps[0].mixed.transpose(1, 2).flatten(2)))


@given(seeds, some_keys, st.booleans())
def test_hidden_keys_get_nothing_and_the_others_share_it(seed: int, hidden: set[int], causal: bool) -> None:
    layer, tokens = layer_and_tokens(seed)
    with recording(layer) as whole:
        layer(tokens, causal=causal)
    with ablating(layer, keys=hidden), recording(layer) as maps:
        layer(tokens, causal=causal)
    weights, allowed = maps[0].weights, maps[0].allowed.expand_as(maps[0].weights)
    assert not weights[..., list(hidden)].any()
    assert not allowed[..., list(hidden)].any()
    left = whole[0].weights.clone()
    left[..., list(hidden)] = 0.0
    sums = left.sum(dim=-1, keepdim=True)
    torch.testing.assert_close(weights.sum(dim=-1), allowed.any(dim=-1).float(), atol=1e-5, rtol=0)
    torch.testing.assert_close(weights, (left / sums).where(sums > 0, 0.0), atol=1e-4, rtol=0)


@pytest.mark.parametrize("name", TEXTS)
@given(place=st.integers(0, 5), other=st.integers(0, 5))
def test_without_any_head_a_prediction_depends_on_its_own_token_alone(name: str, place: int, other: int) -> None:
    model = training(name).model
    numbers = torch.tensor([[3, 1, 4, 2, 5, 0]])
    changed_numbers = numbers.clone()
    changed_numbers[0, other] = 7
    with torch.no_grad(), ablating(model, heads=every_head):
        before, after = model(numbers)[0, place], model(changed_numbers)[0, place]
    assert torch.allclose(before, after, atol=1e-6) == (place != other)


def test_layers_are_counted_as_they_are_recorded() -> None:
    one = training("mini_gpt")
    numbers = torch.tensor([[3, 1, 4]])
    for layer in range(LAYERS):
        with ablating(one.model, heads={(layer, 1)}), recording(one.model) as maps, torch.no_grad():
            for _ in range(2):  # a second pass counts from the beginning again
                one.model(numbers)
        silent = [not shown.mixed[:, 1].any() for shown in maps]
        assert silent == [number % LAYERS == layer for number in range(2 * LAYERS)]
        assert all(shown.mixed[:, 0].any() for shown in maps)


def test_ablation_reaches_its_own_model_and_its_own_thread_only_and_ends() -> None:
    mine, tokens = layer_and_tokens(1)
    other, _ = layer_and_tokens(2)
    plain = [mine(tokens), other(tokens)]
    elsewhere = []
    with ablating(mine, heads={(0, 0)}):
        assert not torch.equal(mine(tokens), plain[0])
        assert torch.equal(other(tokens), plain[1])
        thread = threading.Thread(target=lambda: elsewhere.append(mine(tokens)))
        thread.start()
        thread.join()
    assert torch.equal(elsewhere[0], plain[0])
    assert torch.equal(mine(tokens), plain[0])


@pytest.mark.parametrize("name", catalogue())
@given(heads=some_heads, keys=st.sets(st.integers(0, 3)))
def test_a_look_with_an_ablation_shows_the_baseline_too(name: str, heads: set[tuple[int, int]], keys: set[int]) -> None:
    plain = seen(name)
    ablated = seen(name, ablate=tuple(heads), without_keys=tuple(keys))
    assert ablated.ablation == Ablation(frozenset(heads), frozenset(keys))
    assert len(ablated.baseline) == (len(plain.predictions) if heads or keys else 0)
    alike = 1 if find(name).answers else None  # after its first token a model that answers reads what it wrote itself
    for shown, expected in zip(ablated.baseline[:alike], plain.predictions[:alike], strict=bool(ablated.baseline)):
        torch.testing.assert_close(shown.logits, expected.logits, atol=1e-5, rtol=0)
    if not ablated.ablation:
        assert all(torch.equal(a.logits, b.logits) for a, b in zip(ablated.predictions, plain.predictions, strict=True))
    for value in (ablated.checks.row_sum_error, ablated.checks.future_weight, ablated.checks.output_error):
        assert value <= 1e-4


@pytest.mark.parametrize("name", catalogue())
def test_what_there_is_not_is_left_out_and_named(name: str) -> None:
    asked = {"ablate": ((0, 1), (7, 0), (1, 2), (7, 0)), "without_keys": (0, 127, 99)}
    looked = seen(name, **asked)
    assert looked.ablation == Ablation(frozenset({(0, 1)}), frozenset({0}))
    assert {"code": "no_such_head", "asked": "L1H2, L7H0"} in looked.notices
    assert {"code": "no_such_key", "asked": "99, 127"} in looked.notices
    nothing = seen(name, ablate=((7, 0),), without_keys=(99,))
    assert not nothing.ablation and nothing.baseline == ()


def test_a_model_writes_without_the_heads_that_are_silent() -> None:
    one = training("mini_gpt")
    assert isinstance(one.task, NextCharacter)
    request = GenerateRequest(prompt="道可道", tokens=13)
    plain = generate(one.model, one.task, one.settings, request)
    silenced = GenerateRequest(prompt="道可道", tokens=13, ablate=(*every_head, (9, 0)))
    written = generate(one.model, one.task, one.settings, silenced)
    assert written["notices"] == [{"code": "no_such_head", "asked": "L9H0"}]
    numbers = list(one.task.read("道可道").numbers)
    with ablating(one.model, heads=every_head):
        rows = continuations(one.model, numbers, temperatures=[0.0], tokens=13, block=one.task.block, seed=0)
    assert one.task.vocabulary.decode(rows[0].tolist()) == written["greedy"]["text"]
    again = generate(one.model, one.task, one.settings, request)
    assert again == plain != written


@pytest.mark.parametrize("name", catalogue())
def test_the_loss_is_that_of_the_whole_corpus(name: str) -> None:
    one, known = training(name), Losses()
    causal = getattr(one.settings, "causal_mask", False)
    whole = known.of(checkpoint(name), Ablation(), causal)
    assert whole is not None and whole.whole
    assert whole.value == pytest.approx(one.corpus_loss(), rel=1e-5)
    without = known.of(checkpoint(name), Ablation(frozenset(every_head)), causal)
    assert without is not None
    with ablating(one.model, heads=every_head):
        assert without.value == pytest.approx(one.corpus_loss(), rel=1e-5)
    assert without.value != pytest.approx(whole.value, rel=1e-4)


def test_losses_are_remembered_by_step_ablation_and_mask() -> None:
    known = Losses()
    silent = Ablation(frozenset({(0, 0)}))
    first = known.of(checkpoint("mini_gpt"), silent, True)
    assert known.of(checkpoint("mini_gpt"), silent, True) is first
    others = [
        known.of(checkpoint("mini_gpt", step=6), silent, True),
        known.of(checkpoint("mini_gpt"), Ablation(), True),
        known.of(checkpoint("mini_gpt"), silent, False),
    ]
    assert others[0] == first  # the same weights
    assert first not in others[1:]


def test_a_long_text_is_measured_at_windows_spread_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = training("mini_gpt")
    data = one.task.training_data()
    monkeypatch.setattr(losses, "MOST_TOKENS", 5 * data.inputs.shape[1])
    found = Losses().of(checkpoint("mini_gpt"), Ablation(), True)
    assert found is not None and not found.whole
    rows = [len(data.inputs) * number // 5 for number in range(5)]
    with torch.no_grad():
        logits = one.model(data.inputs[rows])
    expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), data.targets[rows].flatten())
    assert found.value == pytest.approx(expected.item(), rel=1e-5)
