"""One task, three readers with as many parameters each: name the first symbol after having read the last.

Nothing but the first symbol matters, so what is measured is how well it gets to the end. Steps of the three alternate,
on the same batches; accuracy is that on sequences that none of them learns from.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.optim import Optimizer

from core.inference.checkpoint import Checkpoint
from core.models.recall import KINDS, Reader, parameters, within
from core.settings import N_, SettingError
from core.studies import Progress
from core.training.optimizers import AdamW

SYMBOLS = 8
BUDGET = 11_300  # parameters: what sizes of all three come closest to
STEPS, EVERY = 400, 20
BATCH, HELD_OUT = 32, 512
LEARNING_RATE = 3e-3
SHORTEST, LONGEST = 4, 64


def study(options: Mapping[str, Any], _seen: Checkpoint | None) -> Generator[Progress, None, dict[str, Any]]:
    """``length`` of the sequences and ``seed`` → of every kind its parameters, its accuracy along the way, its pull.

    ``pull`` is how strongly the answer depends on the first symbol, against the last, before the first step of
    training: the ratio of the gradients' norms; exactly 0 where no path leads from one to the other. Raises
    :class:`SettingError` for a length that would take too long.
    """
    length, seed = int(options["length"]), int(options["seed"])
    if not SHORTEST <= length <= LONGEST:
        raise SettingError(
            N_("{name} lies between {minimum} and {maximum}, not {value}"),
            name="length",
            minimum=SHORTEST,
            maximum=LONGEST,
            value=length,
        )
    generator = torch.Generator().manual_seed(seed)
    held_out = torch.randint(SYMBOLS, (HELD_OUT, length), generator=generator)
    readers: dict[str, Reader] = {}
    found: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        torch.manual_seed(seed)
        readers[kind] = Reader(kind, SYMBOLS, within(BUDGET, kind, SYMBOLS))
        found[kind] = {
            "parameters": parameters(readers[kind]),
            "pull": pull(readers[kind], held_out[:BATCH]),
            "steps": [0],
            "accuracy": [accuracy(readers[kind], held_out)],
        }
        yield Progress(fraction=0.0)
    result = {"length": length, "chance": 1 / SYMBOLS, "steps": STEPS, "readers": found}
    optimizers = {kind: AdamW(one.parameters(), lr=LEARNING_RATE) for kind, one in readers.items()}
    for step in range(1, STEPS + 1):
        batch = torch.randint(SYMBOLS, (BATCH, length), generator=generator)
        for kind, reader in readers.items():
            learn(reader, optimizers[kind], batch)
            if step % EVERY == 0:
                found[kind]["steps"].append(step)
                found[kind]["accuracy"].append(accuracy(reader, held_out))
        yield Progress(fraction=step / STEPS, partial=result if step % EVERY == 0 else None)
    return result


def learn(reader: Reader, optimizer: Optimizer, batch: Tensor) -> None:
    """One step on ``batch`` (batch, length)."""
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(reader(batch), batch[:, 0])
    torch.autograd.backward(loss)
    optimizer.step()


@torch.no_grad()
def accuracy(reader: Reader, symbols: Tensor) -> float:
    """The share of sequences (sequences, length) whose first symbol it names."""
    return float((reader(symbols).argmax(dim=-1) == symbols[:, 0]).float().mean())


def pull(reader: Reader, symbols: Tensor) -> float:
    """The norm of the answer's gradient at the first symbol's vector, divided by that at the last one's."""
    vectors = reader.embedding(symbols).detach().requires_grad_()  # (batch, length, width)
    loss = F.cross_entropy(reader.read(vectors), symbols[:, 0])
    torch.autograd.backward(loss)
    assert vectors.grad is not None
    return float(vectors.grad[:, 0].norm() / vectors.grad[:, -1].norm())
