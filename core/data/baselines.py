"""What a model must beat to have learned anything: guesses that use no context, or one character of it.

Losses are in nats a character, as the curves show them. They are counted on the very data that a run trains on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise


def uniform_loss(choices: int) -> float:
    """The loss of giving every choice the same probability: ln V."""
    return math.log(choices)


def unigram_loss(text: Sequence[Hashable]) -> float:
    """The loss of giving every character the share that it has in the text: its entropy."""
    return _entropy(Counter(text))


def bigram_loss(text: Sequence[Hashable]) -> float:
    """The loss of knowing, for each character, how often which one follows it: the entropy given the one before."""
    followers: dict[Hashable, Counter[Hashable]] = {}
    for before, after in pairwise(text):
        followers.setdefault(before, Counter())[after] += 1
    pairs = len(text) - 1
    return sum(counts.total() / pairs * _entropy(counts) for counts in followers.values())


def majority_share(answers: Iterable[Hashable]) -> float:
    """The accuracy of always giving the most frequent answer."""
    counts = Counter(answers)
    return max(counts.values()) / counts.total()


def _entropy(counts: Counter[Hashable]) -> float:
    total = counts.total()
    return -sum(count / total * math.log(count / total) for count in counts.values())
