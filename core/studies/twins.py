"""A mistake and its correction as twins: the same first weights, the same batches, trained side by side.

What can be measured is named in :mod:`core.experiments.mistakes_made`. A seed is finished before the next begins.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from core.capture import AttentionMap, recording
from core.data.texts import MASK, NextCharacter
from core.experiments.mistakes import MOST_SEEDS, Variant
from core.experiments.mistakes_made import find_variant
from core.inference.checkpoint import Checkpoint
from core.inference.heads import statistics
from core.inference.look import masking
from core.layers import MultiHeadAttention
from core.settings import N_, SettingError
from core.studies import Progress
from core.training.build import NonFiniteLoss, Training, build

EVALUATIONS = 10  # along a run
SHOWN = 16  # tokens of the map
WINDOWS = 8  # of the text, evenly spread, that what is past the block is measured on

Twin = dict[str, Any]


def study(options: Mapping[str, Any], _seen: Checkpoint | None) -> Generator[Progress, None, dict[str, Any]]:
    """Train the pairs of ``options``: ``mistake``, ``variant`` and how many ``seeds``, counted from 0.

    Returns ``seeds``, one entry a pair (``seed``, ``correct``, ``broken``), and ``baselines`` of guesses without a
    model. A twin has the ``losses`` of its steps, its ``evaluations``, the step at which its loss was no finite number
    (``ended``) and what torch said when it could not go on (``error``). The first pair also has the head in which the
    two attend most differently (``maps``). Raises :class:`SettingError` for options that there are not.
    """
    variant = find_variant(str(options["mistake"]), str(options["variant"]))
    count = int(options["seeds"])
    if not 1 <= count <= MOST_SEEDS:
        raise SettingError(N_("between {minimum} and {maximum} seeds can be trained"), minimum=1, maximum=MOST_SEEDS)
    found: dict[str, Any] = {"seeds": [], "baselines": {}}
    for seed in range(count):
        for fraction in _pair(variant, seed, found):
            yield Progress(fraction=(seed + fraction) / count, partial=found)
    return found


def _pair(variant: Variant, seed: int, found: dict[str, Any]) -> Iterator[float]:
    """Train two twins by turns; yields how far they are."""
    correct, broken = (_built(variant, wrong, seed) for wrong in (False, True))
    begin_alike(correct, broken)
    found["baselines"] = correct.task.baselines()
    told: dict[str, Any] = {"seed": seed, "correct": _twin(), "broken": _twin()}
    found["seeds"].append(told)
    steps = correct.settings.steps
    for step in range(1, steps + 1):
        broken.generator.set_state(correct.generator.get_state())
        _step(correct, told["correct"])
        if variant.trained_apart:
            _step(broken, told["broken"])
        if step % max(1, steps // EVALUATIONS) == 0 or step == steps:
            yield step / (steps + 1)
            _measure(variant, correct, told["correct"], wrong=False)
            _measure(variant, broken if variant.trained_apart else correct, told["broken"], wrong=True)
        yield step / (steps + 1)
    if seed == 0 and variant.trained_apart:
        told["maps"] = _maps(correct, broken)
        yield 1.0


def _built(variant: Variant, wrong: bool, seed: int) -> Training:
    return build(variant.experiment_of(wrong), variant.settings(wrong, seed))


def _twin() -> Twin:
    return {"losses": [], "evaluations": [], "ended": None, "error": None}


def begin_alike(correct: Training, broken: Training) -> None:
    """Give the second model the first weights of the first one; parts that only one of them has stay its own."""
    weights = correct.model.state_dict()
    shared = {n: w for n, w in broken.model.state_dict().items() if n in weights and weights[n].shape == w.shape}
    broken.model.load_state_dict({name: weights[name].clone() for name in shared}, strict=False)


def _step(training: Training, twin: Twin) -> None:
    if twin["ended"] is not None or twin["error"] is not None:
        return
    try:
        twin["losses"].append(training.step().loss)
    except NonFiniteLoss as end:
        twin["ended"] = end.step
    except RuntimeError as error:
        twin["error"] = _said(error)


def _said(error: Exception) -> str:
    """What torch says of it, without the trace that may follow."""
    return str(error).strip().splitlines()[0]


@torch.no_grad()
def _measure(variant: Variant, training: Training, twin: Twin, *, wrong: bool) -> None:
    """Append an evaluation to a twin that goes on."""
    if twin["ended"] is not None or twin["error"] is not None:
        return
    try:
        measured = READINGS[variant.reading](training, wrong)
    except ValueError as error:
        twin["error"] = _said(error)
        return
    twin["evaluations"].append({"step": training.number} | measured)


def _evaluation(training: Training, _wrong: bool) -> dict[str, float]:
    """What its experiment measures, and how evenly its heads look."""
    found = training.evaluate()
    if maps := _look(training)[0]:
        found["row_entropy"] = row_entropy(maps)
    return found


def row_entropy(maps: list[AttentionMap]) -> float:
    """The mean entropy of a row of attention over that of even attention, over all heads of all layers: 0 to 1."""
    shares = []
    for shown in maps:
        measured = statistics(shown)
        shares.append(measured.entropy.mean().item() / measured.uniform_entropy)
    return sum(shares) / len(shares)


def _look(training: Training) -> tuple[list[AttentionMap], list[str]]:
    """Every map of a model on the first sequence of its data, and the tokens of that. torch's own layer tells none."""
    if not any(isinstance(module, MultiHeadAttention) for module in training.model.modules()):
        return [], []
    whole = training.task.training_data()
    numbers = whole.inputs[:1, :SHOWN]
    training.model.eval()
    with torch.no_grad(), recording(training.model) as maps:
        training.model(numbers, **masking(training.settings, None))
    return maps, _tokens(training.task, numbers[0])


def _tokens(task: Any, numbers: Tensor) -> list[str]:
    if not hasattr(task, "vocabulary"):
        return [str(number) for number in numbers.tolist()]
    characters = [*task.vocabulary.characters, MASK]
    return [characters[number] for number in numbers.tolist()]


def _maps(correct: Training, broken: Training) -> dict[str, Any] | None:
    """The head in which two models attend most differently to the same tokens; None where nothing is recorded."""
    pairs = list(zip(_look(correct)[0], _look(broken)[0], strict=True))
    if not pairs:
        return None
    apart = torch.stack([(one.weights[0] - other.weights[0]).abs().mean(dim=(1, 2)) for one, other in pairs])
    layer, head = divmod(int(apart.argmax()), apart.shape[1])
    one, other = pairs[layer]
    return {
        "layer": layer,
        "head": head,
        "tokens": _look(correct)[1],
        "correct": one.weights[0, head],
        "broken": other.weights[0, head],
        "open": {"correct": one.allowed[0, 0], "broken": other.allowed[0, 0]},
    }


def _dropout(training: Training, wrong: bool) -> dict[str, float]:
    """How far two answers to the same text agree, and what a row of the weights that mix the values sums to."""
    inputs = _spread(training, training.settings.block)[:, :-1]
    training.model.train(wrong)
    with recording(training.model) as maps:
        first = training.model(inputs).argmax(dim=-1)
    second = training.model(inputs).argmax(dim=-1)
    training.model.eval()
    # The layer drops weights after they are recorded: they are dropped here once more, as it does.
    mixing = [F.dropout(shown.weights, training.settings.dropout, training=wrong) for shown in maps]
    return {
        "answers_changed": (first != second).float().mean().item(),
        "largest_row_sum": max(weights.sum(dim=-1).max().item() for weights in mixing),
    }


def _stretched(training: Training, wrong: bool) -> dict[str, float]:
    """The loss of what stands past the first block: read in one piece, or each time with one block before it.

    Raises ``ValueError`` where the model has no position for it.
    """
    block = training.settings.block
    windows = _spread(training, 2 * block)  # (windows, 2 · block + 1)
    targets = windows[:, block + 1 :]  # (windows, block)
    training.model.eval()
    if wrong:
        logits = training.model(windows[:, :-1])[:, block:]
    else:
        pieces = windows[:, 1:-1].unfold(1, block, 1)  # (windows, block, block): each ends before its target
        logits = training.model(pieces.flatten(0, 1))[:, -1].unflatten(0, pieces.shape[:2])
    return {"past_block_loss": F.cross_entropy(logits.flatten(0, 1), targets.flatten()).item()}


def _spread(training: Training, length: int) -> Tensor:
    """A few windows of the training text, evenly spread. (windows, length + 1)"""
    assert isinstance(training.task, NextCharacter)
    windows = training.task.windows
    numbers = torch.tensor(windows.vocabulary.encode(windows.text)).unfold(0, length + 1, 1)
    return numbers[torch.linspace(0, len(numbers) - 1, WINDOWS).long()]


READINGS: dict[str, Callable[[Training, bool], dict[str, float]]] = {
    "evaluation": _evaluation,
    "dropout": _dropout,
    "stretched": _stretched,
}
