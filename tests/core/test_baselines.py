"""The baselines, from their definitions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data import corpora
from core.data.baselines import bigram_loss, majority_share, uniform_loss, unigram_loss

TEXT = st.text("abc", min_size=2, max_size=30)


@given(TEXT)
def test_more_context_is_never_a_worse_guess(text: str) -> None:
    assert unigram_loss(text) <= uniform_loss(len(set(text))) + 1e-9
    # The first character has nothing before it: the bigram is compared with the unigram of the others.
    assert bigram_loss(text) <= unigram_loss(text[1:]) + 1e-9


def test_known_cases() -> None:
    assert unigram_loss("abab") == pytest.approx(math.log(2))
    assert bigram_loss("ababab") == 0
    assert bigram_loss("aabba") == pytest.approx(math.log(2))
    assert majority_share([0, 1, 1, 1, 0]) == 0.6


def test_the_shipped_corpora_have_their_size() -> None:
    sizes = {name: (len(corpora.read(name)), len(set(corpora.read(name)))) for name in ("daodejing", "lunyu")}
    assert sizes == {"daodejing": (246, 117), "lunyu": (87, 46)}
