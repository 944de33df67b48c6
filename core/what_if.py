"""What if: a forward pass with a part of attention's formula changed, without touching the model.

Who wants to see opens :func:`what_if`, the layers ask :func:`asked`. The change stands in a ``ContextVar``, so another
thread that uses the same model never meets it. It acts in every layer: what a later layer reads has changed too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a forward pass computes otherwise than the model says; None leaves it to the model."""

    causal: bool | None = None  # whether self-attention hides later keys; an encoder's never does
    scaled: bool | None = None  # whether scores are multiplied by 1/√d_k
    positions: bool = True  # whether positions are added to the tokens, where the model has any


_change: ContextVar[Change] = ContextVar("what if", default=Change())  # noqa: B039 (frozen, so nobody can change it)


@contextmanager
def what_if(*, causal: bool | None = None, scaled: bool | None = None, positions: bool = True) -> Iterator[None]:
    """Change what every forward pass inside the block computes."""
    token = _change.set(Change(causal=causal, scaled=scaled, positions=positions))
    try:
        yield
    finally:
        _change.reset(token)


def asked() -> Change:
    """The change that is asked for; a layer looks it up when it computes."""
    return _change.get()
