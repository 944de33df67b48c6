"""Attention's formula, step by step, in one head of a model while it reads a text.

Query, key, value, weights and mixed values are those of one forward pass, changed as the switches say. What lies
between them (scores, scaled, masked) is not kept by the pass: it is computed once more from the pass's own query and
key, and the laws measure that this leads to the very weights that the pass used.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.capture import AttentionMap, recording
from core.data.reading import Notice, Reading
from core.data.sums import Sums
from core.data.task import Task
from core.experiments.seq2seq import END, START
from core.inference.look import Streams, masking, taken
from core.layers import MultiHeadAttention
from core.positions import INSIDE_ATTENTION, LearnedPositions, SinusoidalPositions
from core.runs.requests import LabRequest
from core.what_if import what_if


@dataclass(frozen=True, kw_only=True)
class Laws:
    """What has to hold, measured on what is shown."""

    row_sum_error: float  # how far the worst row of the weights is from summing to 1
    future_weight: float  # the largest weight on a masked cell
    weight_error: float  # softmax of the masked scores against the weights that the pass used
    output_error: float  # what the head passed on against the fused kernel on the same query, key and value


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an encoder–decoder writes, token by token up to its end, and what would be right."""

    written: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Worked:
    """The formula in one head. Rows are queries, columns keys, or the numbers of a vector."""

    reading: Reading
    streams: Streams  # rows and columns are tokens of the streams that the map names
    answer: Answer | None  # of models that answer
    notices: tuple[Notice, ...]
    maps: tuple[AttentionMap, ...]
    layer: int
    head: int
    causal_mask: bool  # whether the model has a causal mask in this pass: an encoder–decoder in its decoder
    causal: bool  # whether this head has it
    scaled: bool
    positions: bool
    has_positions: bool  # whether the model has any that could be left out
    query: Tensor  # (queries, d_k)
    key: Tensor  # (keys, d_k)
    value: Tensor  # (keys, d_v)
    scores: Tensor  # (queries, keys): Q Kᵀ
    scale: float
    scaled_scores: Tensor  # (queries, keys), with what distance adds to them where the model has ALiBi
    allowed: Tensor  # (queries, keys), True where a query may look
    weights: Tensor  # (queries, keys)
    mixed: Tensor  # (queries, d_v): weights · V
    share: Tensor  # (queries, width): the head's part of what the layer adds, without the bias
    cell: tuple[int, int]
    at_cell: Tensor  # (layers, heads): the weight of the cell in every head; NaN where a head joins other tokens
    laws: Laws

    @property
    def map(self) -> AttentionMap:
        """All heads of the layer."""
        return self.maps[self.layer]


@torch.no_grad()
def work_out(model: nn.Module, task: Task, settings: Any, request: LabRequest) -> Worked:
    """Read the request's text with a model in evaluation mode and spell out one head.

    A layer, a head or a cell that there is not is replaced, with a notice.
    """
    reading = task.read(request.text)
    own_mask = masking(settings, None)
    trained = own_mask.get("causal_mask", isinstance(task, Sums))
    causal_mask = trained if request.causal_mask is None else request.causal_mask
    change = what_if(causal=request.causal_mask, scaled=request.scaled, positions=request.positions is not False)
    with change:
        inputs, streams = taken(model, task, reading)
        with recording(model) as maps:
            logits = model(*inputs, **own_mask)
    notices = list(reading.notices)
    if request.given is not None and request.given > len(request.text):
        notices.append({"code": "text_cut", "given": request.given, "kept": len(request.text)})
    layer = _within("no_such_layer", request.layer, len(maps), notices)
    seen = maps[layer]
    head = _within("head_replaced", request.head, seen.weights.shape[1], notices)
    cell = _cell(request, reading, streams, seen, head, notices)
    query, key, value, weights, mixed = (
        tensor[0, head] for tensor in (seen.query, seen.key, seen.value, seen.weights, seen.mixed)
    )
    allowed = seen.allowed[0, 0]
    scores = query @ key.T
    scaled_scores = scores * seen.scale if seen.bias is None else scores * seen.scale + seen.bias[0, head]
    has_positions = any(_places(one) for one in model.modules())
    return Worked(
        reading=reading,
        streams=streams,
        answer=_answer(task, reading, streams, logits) if isinstance(task, Sums) else None,
        notices=tuple(notices),
        maps=tuple(maps),
        layer=layer,
        head=head,
        causal_mask=causal_mask,
        causal=causal_mask and seen.queries == seen.keys != "source",
        scaled=seen.scale != 1.0 or query.shape[-1] == 1,
        positions=has_positions and request.positions is not False,
        has_positions=has_positions,
        query=query,
        key=key,
        value=value,
        scores=scores,
        scale=seen.scale,
        scaled_scores=scaled_scores,
        allowed=allowed,
        weights=weights,
        mixed=mixed,
        share=mixed @ _output(model.get_submodule(seen.name), head, value.shape[-1]).T,
        cell=cell,
        at_cell=_in_every_head(maps, seen, cell),
        laws=_measured(seen, head, scaled_scores),
    )


def _places(module: nn.Module) -> bool:
    """Whether a part of a model tells it where its tokens stand."""
    inside = isinstance(module, MultiHeadAttention) and module.positions in INSIDE_ATTENTION
    return inside or isinstance(module, SinusoidalPositions | LearnedPositions)


def _within(code: str, asked: int, count: int, notices: list[Notice]) -> int:
    """The layer or head asked for, or the last one there is."""
    shown = min(asked, count - 1)
    if shown != asked:
        notices.append({"code": code, "asked": asked, "shown": shown})
    return shown


def _answer(task: Sums, reading: Reading, streams: Streams, logits: Tensor) -> Answer:
    """What was written, of which the decoder was given all but the last token. ``logits`` (1, targets, vocabulary)"""
    start, end = task.names((START, END))
    written = [*streams["target"], *task.names(logits[0, -1:].argmax(dim=-1))]
    written.remove(start)
    length = written.index(end) + 1 if end in written else len(written)
    right = (one.correct for one in task.predictions(logits, reading))
    return Answer(written=tuple(written[:length]), right=tuple(one for one in right if one is not None))


def _cell(
    request: LabRequest, reading: Reading, streams: Streams, seen: AttentionMap, head: int, notices: list[Notice]
) -> tuple[int, int]:
    """The cell asked for, by its place or by its words; else the largest weight between two tokens of the text."""
    weights = seen.weights[0, head]
    size = (len(weights), weights.shape[1])
    if request.cell is not None:
        beyond = [(asked, count) for asked, count in zip(request.cell, size, strict=True) if asked >= count]
        if not beyond:
            return request.cell
        notices.append({"code": "no_such_token", "asked": beyond[0][0], "last": beyond[0][1] - 1})
    elif request.words is not None:
        with suppress(ValueError):
            asks, answers = request.words
            return streams[seen.queries].index(asks), streams[seen.keys].index(answers)
    free = weights.clone()
    if seen.queries == seen.keys:  # that a token attends to itself, or to [CLS], is less of a question
        special = 1 if seen.keys == "target" else reading.special
        free.fill_diagonal_(-1.0)
        free[:, :special] -= 1.0
        free[:special] -= 1.0
    query, key = divmod(int(free.argmax()), size[1])
    return query, key


def _output(layer: nn.Module, head: int, width: int) -> Tensor:
    """The columns of the layer's output matrix that belong to a head. (width of the model, d_v)"""
    assert isinstance(layer, MultiHeadAttention)
    return layer.output.weight[:, head * width : (head + 1) * width]


def _in_every_head(maps: list[AttentionMap], seen: AttentionMap, cell: tuple[int, int]) -> Tensor:
    """The weight of one cell in every head of every layer that joins the same tokens as the map. (layers, heads)"""
    most = max(one.weights.shape[1] for one in maps)
    found = torch.full((len(maps), most), torch.nan)
    for layer, one in enumerate(maps):
        if (one.queries, one.keys) == (seen.queries, seen.keys) and bool(one.allowed[0, 0, *cell]):
            found[layer, : one.weights.shape[1]] = one.weights[0, :, *cell]
    return found


def _measured(seen: AttentionMap, head: int, scaled: Tensor) -> Laws:
    weights, mixed, allowed = seen.weights[0, head], seen.mixed[0, head], seen.allowed[0, 0]
    query, key, value = seen.query[0, head], seen.key[0, head], seen.value[0, head]
    mask = allowed if seen.bias is None else seen.mask[0, head]
    fused = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=seen.scale)
    blind = ~allowed.any(dim=-1)  # rows that may look nowhere sum to 0, not to 1
    again = scaled.masked_fill(~allowed, -torch.inf).softmax(dim=-1).masked_fill(blind[:, None], 0.0)
    return Laws(
        row_sum_error=(weights.sum(dim=-1) - 1).masked_fill(blind, 0.0).abs().max().item(),
        future_weight=weights.masked_fill(allowed, 0.0).max().item(),
        weight_error=(again - weights).abs().max().item(),
        output_error=(fused - mixed).abs().max().item(),
    )
