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


def test_what_is_no_weight_never_looks_masked() -> None:
    strange = np.array([np.nan, np.inf, -np.inf, 1.5, -0.5], dtype=np.float32)
    assert wire.quantise(strange, True).tolist() == [0, wire.UNIT, 0, wire.UNIT, 0]


def test_only_finite_numbers_enter_a_header() -> None:
    assert [wire.finite(value) for value in (0.5, float("nan"), float("inf"), None)] == [0.5, None, None, None]
    with pytest.raises(ValueError, match="Out of range"):
        wire.pack({"loss": float("nan")})
