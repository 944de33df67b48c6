"""What holds for every test: one torch thread, no deadlines in property tests, the browser last."""

from __future__ import annotations

import os
from pathlib import Path

# Before torch is first imported, and inherited by every process that a test starts.
os.environ["OMP_NUM_THREADS"] = "1"

import pytest
from hypothesis import settings

settings.register_profile("attention", deadline=None)  # Two shared cores: time says nothing about correctness.
settings.load_profile("attention")

BROWSER_TESTS = Path(__file__).parent / "browser"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the browser tests last, in their random order: the quick tests speak first, Chromium starts once."""
    items.sort(key=lambda item: BROWSER_TESTS in item.path.parents)
    for item in items:
        if BROWSER_TESTS in item.path.parents:
            # Two Chromiums, their servers and workers share two cores: a third failure is no accident.
            item.add_marker(pytest.mark.flaky(reruns=2))
