"""Snapshots keep within their memory, evenly spaced, the first one always."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from core.runs.snapshots import MOST, Snapshot, Snapshots

MODEL = list(nn.Linear(5, 3).parameters())
SIZE = Snapshot.take(0, None, None, MODEL).weights.nbytes


def along(steps: int, room: int) -> Snapshots:
    """The snapshots of a run of so many steps, with room for so many of them."""
    snapshots = Snapshots(room * SIZE)
    for step in range(steps + 1):
        if snapshots.wants(step):
            snapshots.add(Snapshot.take(step, None, None, MODEL))
    return snapshots


@given(st.integers(0, 300), st.integers(0, 131))
def test_they_are_evenly_spaced_within_the_budget(steps: int, room: int) -> None:
    snapshots = along(steps, room)
    kept = [one.step for one in snapshots.kept]
    assert kept == list(range(0, snapshots.interval * len(kept), snapshots.interval))
    assert len(kept) <= max(1, min(MOST, room))
    assert 2 * len(kept) >= min(MOST, room, steps + 1) or room < 2  # and no more is thrown away than has to be


@given(st.integers(0, 300), st.integers(1, 31), st.integers(0, 400))
def test_the_newest_at_or_before_a_step_is_found(steps: int, room: int, asked: int) -> None:
    snapshots = along(steps, room)
    assert snapshots.at(asked).step == max(one.step for one in snapshots.kept if one.step <= asked)


def test_a_snapshot_gives_back_what_it_took_however_both_models_moved_since() -> None:
    one, other = nn.Linear(5, 3), nn.Linear(5, 3)
    before = {name: tensor.clone() for name, tensor in one.state_dict().items()}
    snapshot = Snapshot.take(0, None, None, list(one.parameters()))
    for _ in range(2):
        snapshot.put(list(other.parameters()))
        assert all(torch.equal(tensor, before[name]) for name, tensor in other.state_dict().items())
        with torch.no_grad():
            for parameter in (*one.parameters(), *other.parameters()):
                parameter.add_(1.0)


def test_broken_weights_are_noticed() -> None:
    model = nn.Linear(5, 3)
    assert Snapshot.take(0, None, None, list(model.parameters())).sound
    with torch.no_grad():
        model.bias[2] = float("nan")
    assert not Snapshot.take(0, None, None, list(model.parameters())).sound
