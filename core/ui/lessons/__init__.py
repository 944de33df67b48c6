"""Experiments to try on a page: a question, what has to be run, what was measured, and one sentence of why.

Nothing in this package draws. Every number in it comes from a run of the learner's own; which sentence explains it is
chosen by what was measured.
"""

from __future__ import annotations

from core.ui.lessons import blanks, digits, sums, writing
from core.ui.lessons.exercise import Exercise

_BY_EXPERIMENT = {
    "tiny_transformer": digits.EXERCISES,
    "mini_bert": blanks.EXERCISES,
    "mini_gpt": writing.EXERCISES,
    "seq2seq": sums.EXERCISES,
}


def exercises(experiment: str) -> tuple[Exercise, ...]:
    """The exercises of an experiment's page; one without any has an empty guide."""
    return _BY_EXPERIMENT.get(experiment, ())
