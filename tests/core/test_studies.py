"""What the studies find: laws and known figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch

from core import studies
from core.models.bert import Bert
from core.studies import sizes


def found(name: str, options: Mapping[str, Any] | None = None, seen: Any = None) -> Any:
    """The result of a study."""
    work = studies.find(name)(options or {}, seen)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def test_bert_counts_as_its_authors_counted() -> None:
    counted = found("sizes")
    for name, one in counted.items():
        settings = sizes.SHAPES[name]
        assert sum(one["parts"].values()) == one["parameters"] == settings.parameters
        assert abs(one["parameters"] / one["published"] - 1) < 0.02
    assert counted["base"]["parameters"] == 109_482_240  # as Hugging Face's bert-base-uncased, pooler included
    assert counted["large"]["parameters"] == 335_141_888
    base = counted["base"]["parts"]
    assert base["attention"] == 12 * 4 * (768 * 768 + 768)
    assert base["feed_forward"] == 12 * (2 * 768 * 3072 + 3072 + 768)
    assert base["norms"] == 25 * 2 * 768


def test_no_memory_is_taken_for_a_count() -> None:
    with torch.device("meta"):
        model = Bert(sizes.SHAPES["large"])
    assert all(one.is_meta for one in model.parameters())


def test_a_parameter_of_no_part_is_noticed() -> None:
    with pytest.raises(ValueError, match="decoder"):
        sizes.part_of("decoder.weight")
