"""A look: what a model makes of a text, and what every head attended to while it did."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.ablation import Ablation, ablating
from core.capture import AttentionMap, recording
from core.data.digits import Digits
from core.data.reading import Notice, Reading
from core.data.sums import Sums
from core.data.task import Prediction, Task
from core.inference.shares import Shares, attention_shares
from core.runs.requests import LookRequest

Streams = dict[str, tuple[str, ...]]  # the tokens of every stream that maps have as rows or columns


@dataclass(frozen=True, kw_only=True)
class Checks:
    """The laws of attention, measured on the very maps that are shown."""

    row_sum_error: float  # how far the worst row is from summing to 1
    future_weight: float  # the largest weight on a masked cell
    output_error: float  # the largest difference between weights · V and the fused kernel on the same Q, K and V


@dataclass(frozen=True, kw_only=True)
class Looked:
    """The answer to a look. ``maps`` holds every layer; ``layer`` is the one asked for, or the last one there is."""

    reading: Reading
    streams: Streams
    notices: tuple[Notice, ...]
    maps: tuple[AttentionMap, ...]
    layer: int
    causal: bool
    predictions: tuple[Prediction, ...]
    checks: Checks
    shares: Shares | None  # of models that read digits
    ablation: Ablation  # of what was asked for, the heads and keys that there are
    baseline: tuple[Prediction, ...]  # what the model says without the ablation; empty where there is none

    @property
    def map(self) -> AttentionMap:
        """The map of the layer that is shown."""
        return self.maps[self.layer]


def masking(settings: Any, causal_mask: bool | None) -> dict[str, bool]:
    """The argument that a model with a causal mask takes: as asked, or as the settings say."""
    if not hasattr(settings, "causal_mask"):
        return {}
    return {"causal_mask": settings.causal_mask if causal_mask is None else causal_mask}


@torch.no_grad()
def taken(model: Any, task: Task, reading: Reading) -> tuple[tuple[Tensor, ...], Streams]:
    """What a model takes for a reading, each a batch of one, and the tokens of the streams that its maps join.

    An encoder–decoder also takes what it writes: its own answer, token by token, is made here first.
    """
    source = torch.tensor([reading.numbers])
    if not isinstance(task, Sums):
        return (source,), {"tokens": reading.tokens}
    length = task.answer_length(reading)  # whatever is written: an earlier moment of a run has the same rows
    written = model.write(source, length)
    target = task.begun(F.pad(written, (0, length - written.shape[1])))  # (1, targets)
    return (source, target), {"source": reading.tokens, "target": task.names(target[0])}


@torch.no_grad()
def look(model: nn.Module, task: Task, settings: Any, request: LookRequest, *, measure_shares: bool = True) -> Looked:
    """Read the request's text with a model in evaluation mode, recording all of its attention.

    Every weight and every prediction comes from one and the same forward pass; the baseline of an ablation takes
    another, of a model that answers after the same written tokens. A layer that the model does not have is replaced by
    the last one, heads and keys that it does not have are left out of the ablation, each with a notice.
    ``measure_shares=False`` leaves out the shares, which cost a pass of their own.
    """
    reading = task.read(request.text)
    notices = list(reading.notices)
    masked = masking(settings, request.causal_mask)
    with ablating(model, heads=request.ablate, keys=request.without_keys):
        inputs, streams = taken(model, task, reading)
        with recording(model) as maps:
            logits = model(*inputs, **masked)
    heads, missing = heads_that_exist(request.ablate, [one.weights.shape[1] for one in maps])
    keys = frozenset(key for key in request.without_keys if key < len(reading.tokens))
    ablation = Ablation(heads, keys)
    notices += missing
    if unknown := sorted(set(request.without_keys) - keys):
        notices.append({"code": "no_such_key", "asked": ", ".join(map(str, unknown))})
    baseline = task.predictions(model(*inputs, **masked), reading, request.position) if ablation else ()
    layer = min(request.layer, len(maps) - 1)
    if layer != request.layer:
        notices.append({"code": "no_such_layer", "asked": request.layer, "shown": layer})
    if request.given is not None and request.given > len(request.text):
        notices.append({"code": "text_cut", "given": request.given, "kept": len(request.text)})
    return Looked(
        reading=reading,
        streams=streams,
        notices=tuple(notices),
        maps=tuple(maps),
        layer=layer,
        causal=masked.get("causal_mask", False),
        predictions=tuple(task.predictions(logits, reading, request.position)),
        checks=check(maps[layer]),
        shares=attention_shares(model, task) if measure_shares and isinstance(task, Digits) else None,
        ablation=ablation,
        baseline=tuple(baseline),
    )


def heads_that_exist(
    asked: Collection[tuple[int, int]], heads: Sequence[int]
) -> tuple[frozenset[tuple[int, int]], list[Notice]]:
    """Those of the heads asked for, as (layer, head), that there are in layers of so many heads; a notice of others."""
    known = frozenset((layer, head) for layer, head in asked if layer < len(heads) and head < heads[layer])
    missing = ", ".join(f"L{layer}H{head}" for layer, head in sorted(set(asked) - known))
    return known, [{"code": "no_such_head", "asked": missing}] if missing else []


def check(shown: AttentionMap) -> Checks:
    """Measure the laws of attention on a map.

    The fused kernel, which a model uses when nobody looks, is the witness of the output.
    """
    blind = ~shown.allowed.any(dim=-1)  # rows that may look nowhere sum to 0, not to 1
    sums = shown.weights.sum(dim=-1)
    masked = shown.weights.masked_fill(shown.allowed, 0.0)
    fused = F.scaled_dot_product_attention(shown.query, shown.key, shown.value, attn_mask=shown.mask, scale=shown.scale)
    remixed = shown.weights @ shown.value  # (batch, heads, queries, head width), before any head is silenced
    return Checks(
        row_sum_error=(sums - 1).masked_fill(blind, 0.0).abs().max().item(),
        future_weight=masked.max().item(),
        output_error=(remixed - fused).masked_fill(blind[..., None], 0.0).abs().max().item(),
    )
