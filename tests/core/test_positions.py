"""Positions against their formulas, and what each kind promises."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from core.capture import recording
from core.layers import Block, MultiHeadAttention
from core.positions import LearnedPositions, SinusoidalPositions, distance_bias, positions, rotated
from core.what_if import what_if

BATCH, LENGTH, HEADS, WIDTH, INNER = 2, 7, 4, 16, 12


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize("width", [6, 7])
def test_sinusoidal_positions_follow_the_formula(width: int) -> None:
    table = SinusoidalPositions(width).table(LENGTH)
    for place in range(LENGTH):
        for column in range(width):
            angle = place / 10_000 ** ((column - column % 2) / width)
            wave = math.cos(angle) if column % 2 else math.sin(angle)
            assert table[place, column].item() == pytest.approx(wave, abs=1e-5)


def test_learned_positions_end_with_a_clear_error() -> None:
    with pytest.raises(ValueError, match="8 tokens do not fit a position table of 7"):
        LearnedPositions(LENGTH, WIDTH)(random(BATCH, LENGTH + 1, WIDTH))


def test_no_positions_means_outputs_move_with_their_tokens() -> None:
    block = Block(WIDTH, HEADS, INNER).eval()
    tokens = random(BATCH, LENGTH, WIDTH)
    order = torch.randperm(LENGTH, generator=torch.Generator().manual_seed(3))
    moved = block(positions("none", LENGTH, WIDTH)(tokens[:, order]))
    torch.testing.assert_close(moved, block(tokens)[:, order], atol=1e-5, rtol=0)


@given(offset=st.integers(0, 60), seed=st.integers(0, 10**6))
def test_rotary_scores_depend_on_the_distance_alone(offset: int, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    query, key = torch.randn(1, 8, generator=draw), torch.randn(1, 8, generator=draw)
    turned_queries, turned_keys = rotated(query.expand(70, 8)), rotated(key.expand(70, 8))
    scores = turned_queries @ turned_keys.T  # (70, 70)
    expected = scores[5 : 5 + 4, 2 : 2 + 4]
    torch.testing.assert_close(scores[5 + offset : 9 + offset, 2 + offset : 6 + offset], expected, atol=1e-4, rtol=0)
    torch.testing.assert_close(turned_queries.norm(dim=-1), query.norm(dim=-1).expand(70), atol=1e-4, rtol=0)


def test_rotary_positions_follow_the_formula() -> None:
    vectors = random(LENGTH, 6)
    turned = rotated(vectors)
    for place in range(LENGTH):
        for pair in range(3):
            angle = place * 10_000 ** (-2 * pair / 6)
            x, y = vectors[place, 2 * pair].item(), vectors[place, 2 * pair + 1].item()
            assert turned[place, 2 * pair].item() == pytest.approx(x * math.cos(angle) - y * math.sin(angle), abs=1e-5)
            assert turned[place, 2 * pair + 1].item() == pytest.approx(
                x * math.sin(angle) + y * math.cos(angle), abs=1e-5
            )


def test_alibi_has_the_slopes_of_the_paper() -> None:
    bias = distance_bias(8, LENGTH)
    assert (-bias[0, :, 1, 0]).tolist() == [2.0**-power for power in range(1, 9)]
    torch.testing.assert_close(bias[0, 2, 6], -(2.0**-3) * torch.tensor([6.0, 5, 4, 3, 2, 1, 0]))


@pytest.mark.parametrize("kind", ["rope", "alibi"])
@pytest.mark.parametrize("causal", [True, False])
def test_positions_inside_attention_are_seen_as_they_act(kind: str, causal: bool) -> None:
    """A recorded pass and an unrecorded one agree, and what is recorded gives the recorded weights."""
    layer = MultiHeadAttention(WIDTH, HEADS, positions=kind).eval()
    tokens = random(BATCH, LENGTH, WIDTH)
    with recording(layer) as maps:
        recorded = layer(tokens, causal=causal)
    torch.testing.assert_close(layer(tokens, causal=causal), recorded, atol=1e-5, rtol=0)
    seen = maps[0]
    scores = seen.query @ seen.key.transpose(-2, -1) * seen.scale + (0.0 if seen.bias is None else seen.bias)
    again = scores.masked_fill(~seen.allowed, -math.inf).softmax(dim=-1)
    torch.testing.assert_close(again, seen.weights, atol=1e-5, rtol=0)
    assert (seen.bias is not None) == (kind == "alibi")


@pytest.mark.parametrize("kind", ["rope", "alibi"])
def test_positions_inside_attention_can_be_left_out(kind: str) -> None:
    block = Block(WIDTH, HEADS, INNER, positions=kind).eval()
    tokens = random(BATCH, LENGTH, WIDTH)
    order = torch.randperm(LENGTH, generator=torch.Generator().manual_seed(3))
    assert (block(tokens[:, order]) - block(tokens)[:, order]).abs().max() > 1e-3
    with what_if(positions=False):
        torch.testing.assert_close(block(tokens[:, order]), block(tokens)[:, order], atol=1e-5, rtol=0)


def test_cross_attention_knows_no_distance() -> None:
    layer = MultiHeadAttention(WIDTH, HEADS, positions="alibi", queries="target", keys="source").eval()
    tokens, memory = random(BATCH, LENGTH, WIDTH), random(BATCH, 5, WIDTH)
    with recording(layer) as maps:
        layer(tokens, memory)
    assert maps[0].bias is None and maps[0].weights.shape == (BATCH, HEADS, LENGTH, 5)
