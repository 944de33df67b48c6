"""Masks, readers and lengths: what the studies of architectures find is what the layers do."""

from __future__ import annotations

import pytest
import torch

from core.models.recall import KINDS, CausalConvolution, Reader, parameters, within
from core.settings import SettingError
from core.studies import length, recall
from tests.core.test_studies import found


def test_masks_are_those_of_the_layers() -> None:
    maps = found("masks", {"tokens": 7, "padding": 2})
    causal = torch.ones(7, 7).tril()
    real = torch.tensor([1, 1, 1, 1, 1, 0, 0])
    assert torch.equal(maps["encoder"]["allowed"], real.expand(7, 7).int())
    assert torch.equal(maps["decoder"]["allowed"], (causal * real).int())
    assert maps["cross"]["allowed"].shape == (6, 7)
    assert maps["target"]["pairs"] == 6 * 7 // 2
    assert all(one["leak"] == 0 for one in maps.values())


def test_a_sequence_of_padding_alone_is_refused() -> None:
    with pytest.raises(SettingError, match="padding"):
        found("masks", {"tokens": 3, "padding": 3})


def test_readers_have_equal_budgets() -> None:
    sizes = [parameters(Reader(kind, 8, within(recall.BUDGET, kind, 8))) for kind in KINDS]
    assert max(sizes) / min(sizes) < 1.03


def test_no_reader_looks_at_the_answer_ahead() -> None:
    layer = CausalConvolution(5, 3, 2)
    tokens = torch.randn(1, 11, 5)
    later = tokens.clone()
    later[:, 7:] = 0
    torch.testing.assert_close(layer(tokens)[:, :7], layer(later)[:, :7])


def test_a_signal_without_a_path_is_exactly_nothing() -> None:
    symbols = torch.randint(8, (3, 40))
    pulls = {kind: recall.pull(Reader(kind, 8, within(2_000, kind, 8)), symbols) for kind in KINDS}
    assert pulls["cnn"] == 0
    assert pulls["lstm"] > 0
    assert pulls["attention"] > 100 * pulls["lstm"]
    assert recall.pull(Reader("cnn", 8, 9), symbols[:, :27]) > 0  # as far as its layers reach


def test_a_short_recall_is_learned_by_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "STEPS", 120)
    result = found("recall", {"length": 8, "seed": 3})
    reader = result["readers"]["attention"]
    assert reader["steps"][-1] == 120
    assert reader["accuracy"][0] < 0.5 < 0.9 < reader["accuracy"][-1]


def test_a_length_out_of_reach_is_refused() -> None:
    with pytest.raises(SettingError, match="length"):
        found("recall", {"length": 500, "seed": 0})


def test_paths_are_those_of_the_paper() -> None:
    assert [length.path("attention", n) for n in (3, 81)] == [1, 1]
    assert [length.path("lstm", n) for n in (3, 81)] == [3, 81]
    assert [length.path("cnn", n) for n in (3, 9, 10, 81)] == [1, 2, 3, 4]  # ⌈log₃ n⌉


def test_every_kind_is_timed_at_every_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(length, "LENGTHS", (4, 8))
    result = found("length")
    assert result["lengths"] == (4, 8)
    for one in result["kinds"].values():
        assert len(one["milliseconds"]) == len(one["path"]) == 2
        assert min(one["milliseconds"]) > 0
