"""What is told of heads: laws of their statistics and of rollout."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from core.capture import AttentionMap
from core.inference.heads import rollout, statistics
from core.layers import attention, causal_mask

HEADS, WIDTH = 5, 3


def attended(
    length: int, seed: int, *, allowed: Tensor | None = None, sharpness: float = 1.0, keys: str = "tokens"
) -> AttentionMap:
    """A map of random queries and keys; sharpness 0 looks at everything alike."""
    draw = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(1, HEADS, length, WIDTH, generator=draw) for _ in "qkv")
    allowed = torch.ones(length, length, dtype=torch.bool) if allowed is None else allowed
    mixed, weights = attention(query, key, value, allowed, scale=sharpness)
    return AttentionMap(
        name="attention",
        weights=weights,
        allowed=allowed[None, None],
        query=query,
        key=key,
        value=value,
        mixed=mixed,
        scale=sharpness,
        queries="tokens",
        keys=keys,
    )


def mask(length: int, causal: bool, hidden: set[int]) -> Tensor:
    """What may be seen: with or without the causal mask, some keys by nobody."""
    allowed = causal_mask(length, length) if causal else torch.ones(length, length, dtype=torch.bool)
    allowed[:, [key for key in hidden if key < length]] = False
    return allowed


lengths = st.integers(1, 11)
seeds = st.integers(0, 10**6)
sharp = st.floats(0.0, 30.0)
hiding = st.sets(st.integers(0, 10), max_size=3)


@given(lengths, seeds, st.booleans())
def test_evenly_spread_attention_has_the_uniform_entropy(length: int, seed: int, causal: bool) -> None:
    measured = statistics(attended(length, seed, allowed=mask(length, causal, set()), sharpness=0.0))
    expected = sum(math.log(n) for n in range(1, length + 1)) / length if causal else math.log(length)
    assert measured.uniform_entropy == pytest.approx(expected, abs=1e-5)
    torch.testing.assert_close(measured.entropy, torch.full((HEADS,), expected), atol=1e-5, rtol=0)


@given(lengths, seeds, st.booleans(), hiding, sharp)
def test_statistics_keep_their_bounds(length: int, seed: int, causal: bool, hidden: set[int], sharpness: float) -> None:
    allowed = mask(length, causal, hidden)
    measured = statistics(attended(length, seed, allowed=allowed, sharpness=sharpness))
    if not allowed.any():
        assert math.isnan(measured.uniform_entropy) and measured.entropy.isnan().all()
        return
    assert (measured.entropy >= 0).all() and (measured.entropy <= measured.uniform_entropy + 1e-5).all()
    assert (measured.distance >= 0).all() and (measured.distance <= length - 1 + 1e-5).all()
    for weight, possible in (
        (measured.previous, allowed.diagonal(-1)),
        (measured.first, allowed[:, 0]),
        (measured.same, allowed.diagonal()),
    ):
        inside = (weight >= 0).all() and (weight <= 1 + 1e-5).all()
        assert inside if possible.any() else weight.isnan().all()


def test_a_head_that_looks_back_by_one_is_told_as_such() -> None:
    length = 7
    weights = torch.eye(length).roll(-1, dims=1)  # every token looks at the one before it, the first at the last
    shown = attended(length, 0)
    shown = AttentionMap(**{**vars(shown), "weights": weights.expand(1, HEADS, length, length)})
    measured = statistics(shown)
    assert measured.previous.tolist() == [1.0] * HEADS
    assert measured.same.tolist() == [0.0] * HEADS
    assert measured.entropy.tolist() == [0.0] * HEADS
    assert measured.first.tolist() == pytest.approx([1 / length] * HEADS)
    assert measured.distance.tolist() == pytest.approx([(length - 1 + length - 1) / length] * HEADS)


def test_between_two_streams_there_is_no_distance_and_no_rollout() -> None:
    across = attended(7, 0, keys="source")
    measured = statistics(across)
    for nothing in (measured.distance, measured.previous, measured.same):
        assert nothing.isnan().all()
    assert measured.entropy.isfinite().all() and measured.first.isfinite().all()
    assert rollout([attended(7, 1), across]) == (None, None)


@given(st.lists(seeds, min_size=1, max_size=5), lengths, st.booleans(), hiding, sharp)
def test_rows_of_rollout_sum_to_one(
    layers: list[int], length: int, causal: bool, hidden: set[int], sharpness: float
) -> None:
    maps = [attended(length, seed, allowed=mask(length, causal, hidden), sharpness=sharpness) for seed in layers]
    passed, reached = rollout(maps)
    assert passed is not None and reached is not None
    assert passed.shape == reached.shape == (len(layers), length, length)
    torch.testing.assert_close(passed.sum(dim=-1), torch.ones(len(layers), length))
    assert not passed[~reached].any()
    if causal:
        assert not reached[:, ~causal_mask(length, length)].any()


@given(st.lists(seeds, min_size=1, max_size=3), lengths)
def test_what_no_head_hands_on_stays_where_it_is(layers: list[int], length: int) -> None:
    everyone = {(layer, head) for layer in range(len(layers)) for head in range(HEADS)}
    passed, _ = rollout([attended(length, seed) for seed in layers], everyone)
    assert passed is not None
    torch.testing.assert_close(passed, torch.eye(length).expand_as(passed))


def test_rollout_is_the_product_of_the_paper() -> None:
    first, second = attended(7, 1), attended(7, 2)
    one, two = (0.5 * shown.weights[0].mean(dim=0) + 0.5 * torch.eye(7) for shown in (first, second))
    passed, _ = rollout([first, second])
    assert passed is not None
    torch.testing.assert_close(passed[0], one)
    torch.testing.assert_close(passed[1], two @ one)
