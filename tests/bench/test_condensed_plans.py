"""What the benchmark says of plans, on tiny data."""

from __future__ import annotations

from cepheid.bench.condensed.swapped_rates import swapped_rates


def test_the_rates_of_two_types_swap() -> None:
    *fixed, auto = swapped_rates(events=12_000, repeats=1)
    assert [row.shape for row in fixed] == ["((a b) c)", "(a (b c))"]
    assert auto.shape == "auto"
    assert auto.shape_changes == 2
    assert auto.pairs_and_composites < min(row.pairs_and_composites for row in fixed)
