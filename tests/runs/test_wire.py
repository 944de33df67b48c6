"""Frames come back as they were sent, whatever is in them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from core.runs import wire


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text()), st.binary())
def test_a_frame_comes_back(header: dict[str, object], payload: bytes) -> None:
    frame = wire.pack(header, payload)
    assert wire.unpack(frame) == (header, payload)
    assert (len(frame) - len(payload)) % 4 == 0  # so that a browser can lay typed arrays over the payload


@given(st.lists(st.binary()), st.integers(min_value=1, max_value=7))
def test_frames_on_a_pipe_come_back_up_to_where_it_breaks(payloads: list[bytes], broken: int) -> None:
    pipe = io.BytesIO()
    for payload in payloads:
        wire.send(pipe, wire.pack({}, payload))
    whole = pipe.getvalue()
    received = list(iter(lambda: wire.receive(pipe), None)) if not pipe.seek(0) else []
    assert [wire.unpack(frame)[1] for frame in received] == payloads
    cut = io.BytesIO(whole[:-broken])
    assert len(list(iter(lambda: wire.receive(cut), None))) == max(0, len(payloads) - 1)


def test_a_broken_frame_is_named() -> None:
    with pytest.raises(ValueError, match="shorter"):
        wire.unpack(wire.pack({"kind": "look"})[:-1])
    with pytest.raises(ValueError, match="no frame"):
        wire.receive(io.BytesIO(b"What prints to a pipe is not a frame"))


@given(arrays(np.float32, array_shapes(max_side=5), elements=st.floats(0, 1, width=32)), st.data())
def test_weights_come_back_to_half_a_step_and_masked_cells_as_masked(weights: wire.Floats, data: st.DataObject) -> None:
    allowed = data.draw(arrays(np.bool_, weights.shape))
    restored = wire.restore(wire.quantise(weights, allowed))
    assert np.isnan(restored[~allowed]).all()
    assert np.abs(restored[allowed] - weights[allowed]).max(initial=0.0) <= 0.5 / wire.UNIT + 1e-7


@given(arrays(np.float32, array_shapes(max_side=5), elements=st.floats(0, 1, width=32)), st.data())
def test_a_byte_a_cell_tells_weights_to_half_a_step_too(weights: wire.Floats, data: st.DataObject) -> None:
    allowed = data.draw(arrays(np.bool_, weights.shape))
    restored = wire.restore_small(wire.quantise_small(weights, allowed))
    assert np.isnan(restored[~allowed]).all()
    assert np.abs(restored[allowed] - weights[allowed]).max(initial=0.0) <= 0.5 / wire.SMALL_UNIT + 1e-6


def test_what_is_no_weight_never_looks_masked() -> None:
    strange = np.array([np.nan, np.inf, -np.inf, 1.5, -0.5], dtype=np.float32)
    assert wire.quantise(strange, True).tolist() == [0, wire.UNIT, 0, wire.UNIT, 0]
    assert wire.quantise_small(strange, True).tolist() == [0, wire.SMALL_UNIT, 0, wire.SMALL_UNIT, 0]


sides = st.integers(1, 5)


@given(
    st.lists(sides, max_size=3),
    st.lists(st.tuples(sides, sides, sides), max_size=3),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_every_part_of_a_look_comes_back(
    sizes: list[int], shapes: list[tuple[int, int, int]], causal: bool, rolled: bool, ablated: bool
) -> None:
    random = np.random.default_rng(len(sizes))
    logits, baseline = ([random.random(size).astype(np.float32) for size in sizes] for _ in range(2))
    weights = random.random((2, 3, 5)).astype(np.float32)
    allowed = [random.random(shape) < 0.7 for shape in shapes]
    if causal:
        allowed = [np.tril(one) for one in allowed]
    overview = [wire.quantise_small(random.random(one.shape), one) for one in allowed]
    rollout = wire.quantise_small(random.random((3, 5, 5)), True)
    header = {
        "predictions": [{"size": size} for size in sizes],
        "shape": [2, 3, 5],
        "maps": [{"shape": list(shape)} for shape in shapes],
        "rollout": [3, 5, 5] if rolled else None,
        "ablation": {"heads": [[0, 1]]} if ablated else None,
    }
    frame = wire.pack_look(
        header,
        logits,
        wire.quantise(weights, True),
        overview,
        rollout if rolled else None,
        baseline if ablated else [],
    )
    seen = wire.unpack_look(frame)
    past = [False, *map(wire.only_past, overview), *([False] if rolled else [])]
    assert seen.header == header | {"only_past": past}
    np.testing.assert_allclose(seen.weights, weights, atol=0.51 / wire.UNIT)
    for read, sent in zip(seen.logits, logits, strict=True):
        assert np.array_equal(read, sent)
    for map_read, cells in zip(seen.overview, overview, strict=True):
        assert np.array_equal(map_read, wire.restore_small(cells), equal_nan=True)
    assert (seen.rollout is not None) == rolled
    assert seen.rollout is None or np.array_equal(seen.rollout, wire.restore_small(rollout))
    assert (seen.baseline is not None) == ablated
    for read, sent in zip(seen.baseline or [], baseline if ablated else [], strict=True):
        assert np.array_equal(read, sent)


@given(st.integers(1, 6), st.integers(1, 3))
def test_half_of_a_causal_map_is_sent(side: int, heads: int) -> None:
    cells = wire.quantise(np.random.default_rng(side).random((heads, side, side)), np.tri(side, dtype=bool))
    header = {"predictions": [], "shape": [heads, side, side]}
    frame = wire.pack_look(header, [], cells)
    assert wire.only_past(cells)
    assert len(wire.unpack(frame)[1]) == 2 * heads * side * (side + 1) // 2
    np.testing.assert_array_equal(wire.unpack_look(frame).weights, wire.restore(cells))


def test_a_map_that_is_not_square_or_sees_ahead_is_sent_whole() -> None:
    assert not wire.only_past(wire.quantise(np.ones((1, 2, 3)), np.tri(2, 3, dtype=bool)))
    ahead = np.tri(4, dtype=bool)
    ahead[1, 2] = True
    assert not wire.only_past(wire.quantise(np.ones((1, 4, 4)), ahead))


def test_only_finite_numbers_enter_a_header() -> None:
    assert [wire.finite(value) for value in (0.5, float("nan"), float("inf"), None)] == [0.5, None, None, None]
    with pytest.raises(ValueError, match="Out of range"):
        wire.pack({"loss": float("nan")})
