"""Numbers as a sentence says them."""

from __future__ import annotations

import pytest

from core.ui.words import power


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (0.0214, "0.02"), (0.001, "0.001"), (2.3e-6, "2 × 10⁻⁶"), (1.1e-7, "10⁻⁷"), (-3e-12, "-3 × 10⁻¹²")],
)
def test_a_small_number_is_written_with_a_power_of_ten(value: float, said: str) -> None:
    assert power(value) == said
