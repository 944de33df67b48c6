"""Letting a language model write, and counting what it recites."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from core.data.texts import NextCharacter
from core.inference.look import masking
from core.runs.requests import GenerateRequest


def probabilities(logits: Tensor, temperature: float, top_k: int = 0) -> Tensor:
    """The distribution to draw from: the softmax of ``logits / temperature`` (…, vocabulary).

    Only the ``top_k`` likeliest take part; 0, or more than there are, is no limit. Temperature 0 puts everything on the
    likeliest token, the first of equals.
    """
    if temperature == 0:
        return torch.zeros_like(logits).scatter(-1, logits.argmax(dim=-1, keepdim=True), 1.0)
    if 0 < top_k < logits.shape[-1]:
        likeliest = logits.topk(top_k, dim=-1)  # exactly k, also where logits are equal
        logits = torch.full_like(logits, -torch.inf).scatter(-1, likeliest.indices, likeliest.values)
    # In double precision and relative to the maximum, the tiniest temperature neither overflows nor becomes zero.
    above = (logits - logits.max(dim=-1, keepdim=True).values).double()
    return (above / temperature).softmax(dim=-1).to(logits.dtype)


@torch.no_grad()
def continuations(
    model: nn.Module,
    prompt: list[int],
    *,
    temperatures: list[float],
    top_k: int,
    tokens: int,
    block: int,
    seed: int,
    **masked: bool,
) -> Tensor:
    """Write ``tokens`` more tokens after ``prompt``, one row a temperature. Returns (rows, tokens).

    The model reads at most the last ``block`` tokens. Draws come from ``seed`` alone.
    """
    draw = torch.Generator().manual_seed(seed)
    rows = torch.tensor([prompt] * len(temperatures))  # (rows, length)
    for _ in range(tokens):
        logits = model(rows[:, -block:], **masked)[:, -1]  # (rows, vocabulary)
        chances = torch.stack([probabilities(row, t, top_k) for row, t in zip(logits, temperatures, strict=True)])
        rows = torch.cat((rows, torch.multinomial(chances, 1, generator=draw)), dim=1)
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


def generate(model: nn.Module, task: NextCharacter, settings: Any, request: GenerateRequest) -> dict[str, Any]:
    """Greedy and sampled text after the request's prompt, with the count of correctly recited characters of each."""
    reading = task.read(request.prompt)
    greedy, sampled = (
        task.vocabulary.decode(row)
        for row in continuations(
            model,
            list(reading.numbers),
            temperatures=[0.0, request.temperature],
            top_k=request.top_k,
            tokens=request.tokens,
            block=settings.block,
            seed=request.seed,
            **masking(settings, request.causal_mask),
        ).tolist()
    )
    prompt = "".join(reading.tokens)
    return {
        "prompt": prompt,
        "greedy": greedy,
        "sampled": sampled,
        "greedy_recited": recited(task.corpus, prompt, greedy),
        "sampled_recited": recited(task.corpus, prompt, sampled),
        "notices": list(reading.notices),
    }
