"""Waves, permutations and lengths: what the studies of positions find obeys the laws of each kind."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from core.inference.checkpoint import load
from core.positions import SinusoidalPositions
from core.settings import SettingError
from core.studies import stretch, waves
from tests.core.test_studies import found

SHIPPED = Path(__file__).parents[2] / "assets" / "checkpoints"


def test_the_waves_are_the_formula() -> None:
    shown = found("waves", {"kind": "sinusoidal"})
    assert shown["table"][7, 4] == pytest.approx(math.sin(7 / 10_000 ** (4 / waves.WIDTH)), abs=1e-6)
    assert shown["table"][7, 5] == pytest.approx(math.cos(7 / 10_000 ** (4 / waves.WIDTH)), abs=1e-6)
    assert shown["by_distance"][0] == pytest.approx(1)
    # The cosine of two places is the mean of cos(distance · frequency): it depends on nothing else.
    frequencies = SinusoidalPositions(waves.WIDTH).get_buffer("frequencies")
    assert shown["by_distance"][9] == pytest.approx(float((9 * frequencies).cos().mean()), abs=1e-5)


def test_a_learned_table_is_that_of_the_model() -> None:
    seen = load(SHIPPED / "mini_gpt.safetensors")
    shown = found("waves", {"kind": "learned"}, seen)
    assert torch.equal(shown["table"], seen.model.state_dict()["positions.table.weight"])
    assert shown["step"] == seen.step


@pytest.mark.parametrize("shipped", [None, "tiny_transformer"])
def test_without_a_learned_table_there_is_nothing_to_show(shipped: str | None) -> None:
    seen = None if shipped is None else load(SHIPPED / f"{shipped}.safetensors")
    with pytest.raises(SettingError, match="learned positions"):
        found("waves", {"kind": "learned"}, seen)


def test_there_is_no_picture_of_nothing() -> None:
    with pytest.raises(SettingError, match="none"):
        found("waves", {"kind": "none"})


def test_rope_counts_the_difference_alone() -> None:
    shown = found("waves", {"kind": "rope"})
    assert shown["spread"] < 1e-4
    assert max(shown["by_distance"]) - min(shown["by_distance"]) > 1


def test_alibi_is_a_slope_a_head() -> None:
    shown = found("waves", {"kind": "alibi"})
    assert shown["slopes"].tolist() == [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8]
    assert shown["heads"][1, 5] == pytest.approx(-5 * 2.0**-4)


@pytest.mark.parametrize("change", ["swap", "reverse"])
@pytest.mark.parametrize("text", ["the dog sees the cat", "道可道非常道"])
def test_without_positions_outputs_move_with_their_tokens(text: str, change: str) -> None:
    changes = found("order", {"text": text, "change": change, "seed": 3})["changes"]
    blind = (
        {"none"} if change == "swap" else {"none", "alibi"}
    )  # a reversal keeps every distance, which is all it knows
    for case, one in changes.items():
        assert (one["change"] < 1e-5) == (case in blind), case
        assert one["change"] < 1e-5 or one["change"] > 1e-3, case
    assert all(len(one["by_token"]) in (5, 6) for one in changes.values())


def test_a_permutation_is_that_of_the_sentence() -> None:
    swapped = found("order", {"text": "one two three", "change": "swap", "seed": 0})
    assert swapped["permuted"] == ["three", "two", "one"]
    assert found("order", {"text": "abcd", "change": "swap", "seed": 0})["permuted"] == ["d", "b", "c", "a"]


@pytest.mark.parametrize("text", ["", " ", "a", "x" * 49])
def test_what_cannot_be_permuted_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="permuted"):
        found("order", {"text": text, "change": "swap", "seed": 0})


def test_learned_positions_end_where_their_table_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretch, "STEPS", 12)
    monkeypatch.setattr(stretch, "KINDS", ("alibi", "learned"))
    kinds = found("stretch", {"seed": 1})["kinds"]
    assert kinds["learned"]["problem"] == "48 tokens do not fit a position table of 16"
    assert [len(one["losses"]) for one in kinds.values()] == [48, 16]
    assert [len(one["parts"]) for one in kinds.values()] == [3, 1]
    assert kinds["alibi"]["parts"][1] == pytest.approx(float(kinds["alibi"]["losses"][16:32].mean()), rel=1e-5)
    assert kinds["alibi"]["problem"] is None
