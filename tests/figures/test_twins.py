"""The curves of two ways of training: the legend names a way once, and a seed's dash only where there are several."""

from __future__ import annotations

import pytest

from core.figures.theme import DARK, LIGHT
from core.figures.twins import Course, TwinWords, twins

WORDS = TwinWords(step="step", measure="loss", correct="right", broken="wrong", seed="seed {seed}")


def courses(*seeds: int, ways: tuple[bool, ...] = (False, True)) -> list[Course]:
    """Three points each."""
    return [Course(seed=seed, broken=way, steps=[1, 2, 3], values=[3, 2, 1]) for seed in seeds for way in ways]


@pytest.mark.parametrize(
    ("drawn", "names"),
    [
        (courses(0), ["right", "wrong"]),
        (courses(0, 1), ["right", "wrong", "seed 0", "seed 1"]),
        (courses(0, ways=(False,)), []),
    ],
)
def test_the_legend_says_each_thing_once(drawn: list[Course], names: list[str]) -> None:
    figure = twins(drawn, logarithmic=False, share=False, palette=LIGHT, words=WORDS)
    assert [trace.name for trace in figure.data if trace.showlegend] == names


def test_a_way_has_the_colour_and_a_seed_the_dash_that_the_legend_shows() -> None:
    figure = twins(courses(0, 1), logarithmic=False, share=False, palette=DARK, words=WORDS)
    lines = {trace.name: trace.line for trace in figure.data}
    assert lines["wrong · seed 1"].color == lines["wrong"].color != lines["right"].color
    assert lines["wrong · seed 1"].dash == lines["seed 1"].dash != lines["seed 0"].dash
