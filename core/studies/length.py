"""What a layer costs as sequences grow, measured here: time, steps that wait for each other, and the longest path.

Vaswani et al. 2017, table 1, says how each grows: self-attention O(n²·d), 1, 1; recurrent O(n·d²), n, n; convolution
O(k·n·d²), 1, log_k n (cost of a layer, sequential operations, longest path).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Generator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from core.inference.checkpoint import Checkpoint
from core.layers import MultiHeadAttention
from core.models.recall import KERNEL, KINDS, CausalConvolution, Recurrent
from core.studies import Progress

LENGTHS: tuple[int, ...] = (16, 32, 64, 128, 256, 512)
WIDTH, HEADS, BATCH = 64, 4, 2
REPEATS = 7


def study(_options: Mapping[str, Any], _seen: Checkpoint | None) -> Generator[Progress, None, dict[str, Any]]:
    """Of every kind the milliseconds of a forward and backward pass, and the longest path, by length.

    Times are the median of some repeats, after one that does not count. They are those of the processor at work on
    this layer: the clock on the wall would also count what other runs on this machine get done meanwhile.
    """
    found: dict[str, Any] = {kind: {"milliseconds": [], "path": []} for kind in KINDS}
    result = {"lengths": LENGTHS, "width": WIDTH, "batch": BATCH, "kernel": KERNEL, "kinds": found}
    todo = len(LENGTHS) * len(KINDS) * (REPEATS + 1)
    done = 0
    for length in LENGTHS:
        for kind in KINDS:
            layer, seconds = made(kind), []
            tokens = torch.randn(BATCH, length, WIDTH, requires_grad=True)
            for repeat in range(REPEATS + 1):
                began = time.thread_time()
                layer(tokens).sum().backward()
                seconds.append(time.thread_time() - began)
                done += 1
                if repeat < REPEATS:
                    yield Progress(fraction=done / todo)
            found[kind]["milliseconds"].append(1000 * statistics.median(seconds[1:]))
            found[kind]["path"].append(path(kind, length))
            yield Progress(fraction=done / todo, partial=result)
    return result


def made(kind: str) -> nn.Module:
    """One layer of that kind, (batch, length, width) → the same."""
    if kind == "lstm":
        return Recurrent(WIDTH)
    return CausalConvolution(WIDTH, KERNEL) if kind == "cnn" else MultiHeadAttention(WIDTH, HEADS)


def path(kind: str, length: int) -> int:
    """How many operations after each other the first token needs to reach the last place, found by its gradient.

    Layers of attention and of convolutions (with dilations 1, k, k² …) are stacked until the last place depends on the
    first token. A recurrent layer reaches it at once, by applying its cell to one token after the other; those are
    counted. In double precision: through hundreds of cells a gradient becomes too small for 32 bits.
    """
    tokens = torch.randn(1, length, WIDTH, dtype=torch.float64, requires_grad=True)
    if kind == "lstm":
        return _steps(tokens)
    hidden, layers = tokens, 0
    while not depends(hidden[:, -1], tokens):
        dilated = CausalConvolution(WIDTH, KERNEL, KERNEL**layers)
        layer = dilated if kind == "cnn" else MultiHeadAttention(WIDTH, HEADS)
        hidden = layer.double()(hidden)
        layers += 1
    return layers


def _steps(tokens: Tensor) -> int:
    """Apply a cell to one token after the other until the last; how often, if the first one still counts then."""
    cell, state, steps = nn.LSTMCell(WIDTH, WIDTH).double(), None, 0
    for token in tokens.unbind(dim=1):
        state = cell(token, state)
        steps += 1
    assert state is not None
    return steps if depends(state[0], tokens) else 0


def depends(answer: Tensor, tokens: Tensor) -> bool:
    """Whether ``answer`` depends on the first of the ``tokens`` (1, length, width)."""
    (gradient,) = torch.autograd.grad(answer.sum(), tokens, retain_graph=True)
    return bool(gradient[:, 0].abs().sum() > 0)
