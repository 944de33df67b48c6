"""Letting a language model write, and counting what it recites."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from core.ablation import ablating
from core.data.task import Task
from core.data.texts import NextCharacter
from core.inference.look import heads_that_exist, masking
from core.runs.requests import GenerateRequest


def probabilities(logits: Tensor, temperature: float, top_k: int = 0, top_p: float = 1.0) -> Tensor:
    """The distribution to draw from: the softmax of ``logits / temperature`` (…, vocabulary).

    Only the ``top_k`` likeliest take part; 0, or more than there are, is no limit. Of those, only the likeliest that
    together have at least the probability ``top_p`` (nucleus sampling, Holtzman et al. 2019, arXiv:1904.09751).
    Temperature 0 puts everything on the likeliest token, the first of equals.
    """
    if temperature == 0:
        return torch.zeros_like(logits).scatter(-1, logits.argmax(dim=-1, keepdim=True), 1.0)
    if 0 < top_k < logits.shape[-1]:
        likeliest = logits.topk(top_k, dim=-1)  # exactly k, also where logits are equal
        logits = torch.full_like(logits, -torch.inf).scatter(-1, likeliest.indices, likeliest.values)
    # In double precision and relative to the maximum, the tiniest temperature neither overflows nor becomes zero.
    above = (logits - logits.max(dim=-1, keepdim=True).values).double()
    chances = (above / temperature).softmax(dim=-1)
    if top_p < 1.0:
        ordered, places = chances.sort(dim=-1, descending=True, stable=True)
        needed = ordered.cumsum(dim=-1) - ordered < top_p  # what stands before has not enough yet
        needed[..., 0] = True
        chances = torch.zeros_like(chances).scatter(-1, places, ordered * needed)
        chances = chances / chances.sum(dim=-1, keepdim=True)
    return chances.to(logits.dtype)


@torch.no_grad()
def continuations(
    model: nn.Module,
    prompt: list[int],
    *,
    temperatures: list[float],
    top_k: int = 0,
    top_p: float = 1.0,
    tokens: int,
    block: int,
    seed: int,
    **masked: bool,
) -> Tensor:
    """Write ``tokens`` more tokens after ``prompt``, one row a temperature. Returns (rows, tokens).

    The model reads at most the last ``block`` tokens. Every row draws from a generator of its own, made from ``seed``
    and the row's number: what one row writes does not depend on the others.
    """
    draws = [torch.Generator().manual_seed(seed + 1_000_003 * row) for row in range(len(temperatures))]
    rows = torch.tensor([prompt] * len(temperatures))  # (rows, length)
    for _ in range(tokens):
        logits = model(rows[:, -block:], **masked)[:, -1]  # (rows, vocabulary)
        following = [
            torch.multinomial(probabilities(row, temperature, top_k, top_p), 1, generator=draw)
            for row, temperature, draw in zip(logits, temperatures, draws, strict=True)
        ]
        rows = torch.cat((rows, torch.stack(following)), dim=1)
    return rows[:, len(prompt) :]


def recited(corpus: str, prompt: str, written: str) -> int:
    """How many characters of ``written`` go on as the corpus does after ``prompt``, at the best place it stands in."""
    best, place = 0, corpus.find(prompt)
    while place >= 0:
        original = corpus[place + len(prompt) :]
        agreed = next((n for n, (a, b) in enumerate(zip(original, written, strict=False)) if a != b), None)
        best = max(best, min(len(original), len(written)) if agreed is None else agreed)
        place = corpus.find(prompt, place + 1)
    return best


def copied(corpus: str, written: str, *, shortest: int = 5) -> list[tuple[int, int]]:
    """The passages of ``written``, as (start, end), of at least ``shortest`` characters that stand in the corpus."""
    passages, start = [], 0
    while start < len(written):
        end = start
        while end < len(written) and written[start : end + 1] in corpus:
            end += 1
        if end - start >= shortest:
            passages.append((start, end))
        start = max(end, start + 1)
    return passages


def generate(model: nn.Module, task: Task, settings: Any, request: GenerateRequest) -> dict[str, Any]:
    """Greedy text and samples after the request's prompt, each with its count of correctly recited characters."""
    assert isinstance(task, NextCharacter)  # the only task whose experiment says that it generates
    reading = task.read(request.prompt)
    heads, missing = heads_that_exist(request.ablate, [settings.heads] * settings.layers)
    with ablating(model, heads=heads):
        rows = continuations(
            model,
            list(reading.numbers),
            temperatures=[0.0] + [request.temperature] * request.samples,
            top_k=request.top_k,
            top_p=request.top_p,
            tokens=request.tokens,
            block=settings.block,
            seed=request.seed,
            **masking(settings, request.causal_mask),
        )
    prompt = "".join(reading.tokens)
    texts = [task.vocabulary.decode(row) for row in rows.tolist()]
    written = [
        {"text": text, "recited": recited(task.corpus, prompt, text), "copied": copied(task.corpus, text)}
        for text in texts
    ]
    notices = [*reading.notices, *missing]
    return {"prompt": prompt, "greedy": written[0], "samples": written[1:], "notices": notices}
