"""The layers against torch's own, and the laws that every attention map obeys."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from core.capture import recording
from core.layers import (
    Block,
    FeedForward,
    MultiHeadAttention,
    OutputLayer,
    TokenEmbedding,
    attention,
    causal_mask,
    norm,
    set_dropout,
)

BATCH, LENGTH, KEYS, HEADS, WIDTH, INNER = 2, 7, 11, 5, 15, 13


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def copy_attention(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    with torch.no_grad():
        for part, weight, bias in zip(
            (ours.query, ours.key, ours.value),
            theirs.in_proj_weight.chunk(3),
            theirs.in_proj_bias.chunk(3),
            strict=True,
        ):
            part.weight.copy_(weight)
            part.bias.copy_(bias)
        nn.init.normal_(theirs.out_proj.bias)
        ours.output.weight.copy_(theirs.out_proj.weight)
        ours.output.bias.copy_(theirs.out_proj.bias)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("hidden_keys", [False, True])
def test_attention_equals_torch_multihead_attention(causal: bool, hidden_keys: bool) -> None:
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
    ours = MultiHeadAttention(WIDTH, HEADS).eval()
    copy_attention(ours, theirs)
    tokens = random(BATCH, LENGTH, WIDTH)
    seen = torch.ones(BATCH, LENGTH, dtype=torch.bool)
    seen[0, 4:] = not hidden_keys
    expected, weights = theirs(
        tokens,
        tokens,
        tokens,
        attn_mask=~causal_mask(LENGTH, LENGTH) if causal else None,
        key_padding_mask=~seen,
        average_attn_weights=False,
    )
    with recording(ours) as maps:
        recorded = ours(tokens, causal=causal, key_mask=seen)
    torch.testing.assert_close(recorded, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(maps[0].weights, weights, atol=1e-5, rtol=0)


def test_attention_to_a_memory_equals_torch_multihead_attention() -> None:
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
    ours = MultiHeadAttention(WIDTH, HEADS, queries="target", keys="source").eval()
    copy_attention(ours, theirs)
    target, source = random(BATCH, LENGTH, WIDTH), random(BATCH, KEYS, WIDTH)
    expected, weights = theirs(target, source, source, average_attn_weights=False)
    with recording(ours) as maps:
        torch.testing.assert_close(ours(target, source), expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(maps[0].weights, weights, atol=1e-5, rtol=0)
    assert (maps[0].queries, maps[0].keys) == ("target", "source")


@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("pre_norm", [True, False])
def test_block_equals_torch_encoder_layer(pre_norm: bool, activation: str) -> None:
    theirs = nn.TransformerEncoderLayer(
        WIDTH, HEADS, INNER, dropout=0.1, activation=activation, batch_first=True, norm_first=pre_norm
    ).eval()
    ours = Block(WIDTH, HEADS, INNER, dropout=0.1, pre_norm=pre_norm, activation=activation).eval()
    copy_attention(ours.attention, theirs.self_attn)
    pairs: list[tuple[nn.Module, nn.Linear | nn.LayerNorm]] = [
        (ours.feed_forward.expand, theirs.linear1),
        (ours.feed_forward.contract, theirs.linear2),
        (ours.attention_norm, theirs.norm1),
        (ours.feed_forward_norm, theirs.norm2),
    ]
    for mine, other in pairs:
        nn.init.normal_(other.weight)
        mine.load_state_dict(other.state_dict())
    tokens = random(BATCH, LENGTH, WIDTH)
    expected = theirs(tokens, src_mask=~causal_mask(LENGTH, LENGTH), is_causal=True)
    torch.testing.assert_close(ours(tokens, causal=True), expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(ours(tokens), theirs(tokens), atol=1e-5, rtol=0)


@given(
    queries=st.integers(1, 9),
    keys=st.integers(1, 9),
    seed=st.integers(0, 10**6),
    size=st.floats(0.01, 1e4),
    share=st.floats(0.0, 1.0),
)
def test_rows_sum_to_one_or_to_nothing(queries: int, keys: int, seed: int, size: float, share: float) -> None:
    draw = torch.Generator().manual_seed(seed)
    query, key = torch.randn(queries, 3, generator=draw) * size, torch.randn(keys, 3, generator=draw) * size
    value = torch.randn(keys, 2, generator=draw)
    allowed = torch.rand(queries, keys, generator=draw) < share
    mixed, weights = attention(query, key, value, allowed, scale=3**-0.5)
    expected = allowed.any(dim=-1).float()
    torch.testing.assert_close(weights.sum(dim=-1), expected, atol=1e-5, rtol=0)
    assert not weights[~allowed].any()
    torch.testing.assert_close(weights @ value, mixed, atol=1e-5, rtol=0)
    assert mixed.isfinite().all()


def test_a_row_without_keys_has_finite_gradients() -> None:
    query = random(LENGTH, 3).requires_grad_()
    allowed = torch.ones(LENGTH, KEYS, dtype=torch.bool)
    allowed[2] = False
    mixed, _ = attention(query, random(KEYS, 3), random(KEYS, 2), allowed, scale=1.0)
    mixed.sum().backward()  # type: ignore[no-untyped-call]
    assert query.grad is not None and query.grad.isfinite().all()


@given(length=st.integers(2, 9), place=st.data(), seed=st.integers(0, 10**6))
def test_a_later_token_changes_nothing_before_it(length: int, place: st.DataObject, seed: int) -> None:
    changed = place.draw(st.integers(1, length - 1))
    torch.manual_seed(seed)
    block = Block(WIDTH, HEADS, INNER).eval()
    tokens = torch.randn(1, length, WIDTH)
    other = tokens.clone()
    other[0, changed:] += 1
    with torch.no_grad():
        before, after = block(tokens, causal=True), block(other, causal=True)
    torch.testing.assert_close(before[:, :changed], after[:, :changed], atol=1e-6, rtol=0)
    assert not torch.allclose(before[:, changed:], after[:, changed:])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
def test_recording_does_not_change_the_result(causal: bool, scaled: bool) -> None:
    layer = MultiHeadAttention(WIDTH, HEADS, scaled=scaled).eval()
    tokens = random(BATCH, LENGTH, WIDTH) * 3
    fast = layer(tokens, causal=causal)
    with recording(layer) as maps:
        watched = layer(tokens, causal=causal)
    torch.testing.assert_close(fast, watched, atol=1e-6, rtol=0)
    shown = maps[0]
    rebuilt = layer.output((shown.weights @ shown.value).transpose(1, 2).flatten(2))
    torch.testing.assert_close(rebuilt, fast, atol=1e-5, rtol=0)


def test_a_causal_map_is_exactly_zero_above_the_diagonal() -> None:
    layer = MultiHeadAttention(WIDTH, HEADS).eval()
    with recording(layer) as maps:
        layer(random(BATCH, LENGTH, WIDTH), causal=True)
    future = ~causal_mask(LENGTH, LENGTH)
    assert maps[0].weights[..., future].eq(0).all()
    assert not maps[0].allowed[..., future].any()


def test_heads_are_different_tensors() -> None:
    layer = MultiHeadAttention(WIDTH, HEADS).eval()
    with recording(layer) as maps:
        layer(random(BATCH, LENGTH, WIDTH))
    heads = maps[0].weights[0]  # (heads, queries, keys)
    assert heads.shape == (HEADS, LENGTH, LENGTH)
    for first in range(HEADS):
        for second in range(first):
            assert not torch.allclose(heads[first], heads[second], atol=1e-4)


def test_leaving_out_the_scale_sharpens_the_rows() -> None:
    query, key, value = random(LENGTH, 64), random(KEYS, 64), random(KEYS, 2)

    def entropy(scale: float) -> float:
        weights = attention(query, key, value, scale=scale)[1]
        return float(-(weights * weights.clamp_min(1e-30).log()).sum(dim=-1).mean())

    assert entropy(1.0) < 0.3 * entropy(64**-0.5)


def test_recorded_weights_are_those_before_dropout() -> None:
    layer = MultiHeadAttention(WIDTH, HEADS, dropout=0.5).train()
    with recording(layer) as maps:
        layer(random(BATCH, LENGTH, WIDTH))
    torch.testing.assert_close(maps[0].weights.sum(dim=-1), torch.ones(BATCH, HEADS, LENGTH))


def test_recording_sees_its_own_model_only_and_ends() -> None:
    mine, other = MultiHeadAttention(WIDTH, HEADS).eval(), MultiHeadAttention(WIDTH, HEADS).eval()
    tokens = random(BATCH, LENGTH, WIDTH)
    with recording(mine) as maps:
        other(tokens)
        mine(tokens)
    mine(tokens)
    assert len(maps) == 1


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(ValueError, match="4 heads do not divide a width of 15"):
        MultiHeadAttention(WIDTH, 4)


def test_set_dropout_reaches_every_layer() -> None:
    block = Block(WIDTH, HEADS, INNER, dropout=0.1).train()
    set_dropout(block, 0.0)
    tokens = random(BATCH, LENGTH, WIDTH)
    torch.testing.assert_close(block(tokens), block.eval()(tokens))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_grouped_queries_equal_the_fused_kernel_of_their_own(groups: int) -> None:
    layer = MultiHeadAttention(16, 4, key_value_heads=groups).eval()
    tokens = random(BATCH, LENGTH, 16)
    query, key, value = (
        one(tokens).view(BATCH, LENGTH, -1, 4).transpose(1, 2) for one in (layer.query, layer.key, layer.value)
    )
    assert key.shape[1] == value.shape[1] == groups
    expected = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    with recording(layer) as maps:
        mixed = layer(tokens, causal=True)
    torch.testing.assert_close(mixed, layer.output(expected.transpose(1, 2).flatten(2)), atol=1e-5, rtol=0)
    torch.testing.assert_close(layer(tokens, causal=True), mixed, atol=1e-5, rtol=0)
    assert maps[0].weights.shape == (BATCH, 4, LENGTH, LENGTH)


def test_groups_must_divide_the_heads() -> None:
    with pytest.raises(ValueError, match="3 heads of keys and values do not divide 4 heads"):
        MultiHeadAttention(16, 4, key_value_heads=3)


def test_swiglu_follows_its_formula() -> None:
    layer = FeedForward(WIDTH, INNER, activation="swiglu")
    tokens = random(BATCH, LENGTH, WIDTH)
    assert layer.gate is not None
    gate = layer.gate(tokens)
    expected = layer.contract(gate * gate.sigmoid() * layer.expand(tokens))
    torch.testing.assert_close(layer(tokens), expected, atol=1e-6, rtol=0)


def test_rms_norm_divides_by_the_root_of_the_mean_square() -> None:
    tokens = random(BATCH, LENGTH, WIDTH)
    expected = tokens / (tokens.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()
    torch.testing.assert_close(norm("rms", WIDTH)(tokens), expected, atol=1e-5, rtol=0)
    assert norm("none", WIDTH)(tokens) is tokens


def test_without_residuals_a_block_forgets_what_it_was_given() -> None:
    block = Block(WIDTH, HEADS, INNER, normalisation="none", residual=False).eval()
    nn.init.zeros_(block.feed_forward.contract.weight)
    nn.init.zeros_(block.feed_forward.contract.bias)
    tokens = random(BATCH, LENGTH, WIDTH)
    assert not block(tokens).any()
    block.residual = True
    torch.testing.assert_close(block(tokens), tokens + block.attention(tokens), atol=1e-6, rtol=0)


def test_tied_layers_share_one_matrix() -> None:
    embedding = TokenEmbedding(INNER, WIDTH, tied=True)
    output = OutputLayer(WIDTH, INNER - 1, tied=True)  # the embedding may hold tokens that are never an answer
    hidden = random(BATCH, LENGTH, WIDTH)
    expected = hidden @ embedding.weight[: INNER - 1].T + output.bias
    torch.testing.assert_close(output(hidden, embedding.weight), expected, atol=1e-5, rtol=0)
    assert [name for name, _ in output.named_parameters()] == ["bias"]
    numbers = torch.arange(INNER)[None]
    torch.testing.assert_close(embedding(numbers)[0], embedding.weight * WIDTH**0.5, atol=1e-6, rtol=0)
