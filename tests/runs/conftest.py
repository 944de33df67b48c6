"""One pool with real workers for all tests of this folder: a worker takes seconds to import torch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.runs.pool import Pool


@pytest.fixture(scope="session")
def shared_pool() -> Iterator[Pool]:
    """A pool of two workers."""
    pool = Pool(workers=2)
    yield pool
    pool.shutdown()


@pytest.fixture
def pool(shared_pool: Pool) -> Iterator[Pool]:
    """The shared pool; what a test leaves in it is dropped."""
    yield shared_pool
    for run in list(shared_pool.runs):
        shared_pool.drop(run)
