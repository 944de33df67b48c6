"""Numbers as axes and sentences write them."""

from __future__ import annotations

import pytest

from core.figures.numbers import power, scale


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (0.0214, "0.02"),
        (0.001, "0.001"),
        (2.3e-6, "2 × 10⁻⁶"),
        (1.1e-7, "10⁻⁷"),
        (-3e-12, "-3 × 10⁻¹²"),
        (9.7, "10"),
        (16.0, "16"),
        (500.0, "500"),
        (8112660.0, "8 × 10⁶"),
    ],
)
def test_a_very_small_or_large_number_is_written_with_a_power_of_ten(value: float, said: str) -> None:
    assert power(value) == said


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.5, 3.0], [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]),
        ([1.0], [1, 2, 5]),
        ([0.5, 330.0], [0.1, 1, 10, 100, 1000]),
        ([], [1, 2, 5]),
    ],
)
def test_a_logarithmic_axis_has_whole_numbers_around_its_values(values: list[float], ticks: list[float]) -> None:
    assert scale(values) == pytest.approx(ticks)
