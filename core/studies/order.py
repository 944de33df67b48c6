"""What a model without positions cannot know: its own sentence, permuted.

Attention without positions is permutation-equivariant: permute the tokens, and the outputs are permuted alike, with no
other change. Whether that is so is measured for every kind of positions, with freshly initialised models that differ
in nothing else.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.data.vocabulary import Vocabulary
from core.experiments.mini_gpt import MiniGPTSettings
from core.inference.checkpoint import Checkpoint
from core.models.mini_gpt import MiniGPT
from core.settings import N_, SettingError, changed
from core.studies import Progress

KINDS = ("none", "sinusoidal", "learned", "rope", "alibi")
LONGEST = 48


def study(options: Mapping[str, Any], _seen: Checkpoint | None) -> Generator[Progress, None, dict[str, Any]]:
    """``text`` (a token is a word, or a character where there is no space), ``change`` (swap, reverse) and ``seed``.

    Of every kind, and once more of ``none`` behind a causal mask: by how much each token's output differs from what
    the same token had before, as a share of the outputs' own size (root mean squares). Raises :class:`SettingError`
    for a text of one token, or one that is too long.
    """
    tokens = split(str(options["text"]))
    if not 2 <= len(tokens) <= LONGEST:
        raise SettingError(
            N_("the sentence has {count} tokens; between 2 and {most} can be permuted here"),
            count=len(tokens),
            most=LONGEST,
        )
    order = permutation(str(options["change"]), len(tokens))
    vocabulary = Vocabulary(tokens)
    numbers = torch.tensor([vocabulary.encode(tokens)])
    changes: dict[str, Any] = {}
    cases = [(kind, kind, False) for kind in KINDS] + [("causal", "none", True)]
    for case, kind, causal in cases:
        model = fresh(kind, len(vocabulary), int(options["seed"]))
        by_token = change(model, numbers, order, causal=causal)
        changes[case] = {"by_token": by_token, "change": float(by_token.square().mean().sqrt())}
        yield Progress(fraction=len(changes) / len(cases))
    return {"tokens": tokens, "permuted": [tokens[place] for place in order], "changes": changes}


def split(text: str) -> list[str]:
    """The words of a sentence; its characters where it has no spaces."""
    words = text.split()
    return words if len(words) > 1 else list(text.strip())


def permutation(name: str, length: int) -> list[int]:
    """Where each token of the permuted sentence stood: ``swap`` exchanges the first and the last, ``reverse`` all."""
    order = list(range(length))
    if name == "reverse":
        return order[::-1]
    return [order[-1], *order[1:-1], order[0]]


def fresh(kind: str, vocabulary: int, seed: int) -> nn.Module:
    """A MiniGPT that nobody has trained; the same but for its positions."""
    torch.manual_seed(seed)
    settings = changed(MiniGPTSettings(), {"positions": kind, "block": LONGEST})
    return MiniGPT(settings, vocabulary).eval()


@torch.no_grad()
def change(model: nn.Module, numbers: Tensor, order: Sequence[int], *, causal: bool) -> Tensor:
    """How much the output of every token differs once ``numbers`` (1, length) are permuted. (length,)"""
    before = model(numbers, causal_mask=causal)[0]  # (length, vocabulary)
    after = model(numbers[:, list(order)], causal_mask=causal)[0]
    moved = (after - before[list(order)]).square().mean(dim=-1).sqrt()
    return moved / before.square().mean().sqrt()
