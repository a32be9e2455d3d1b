"""What a matcher may find: counted by output, anew when the feed says so."""

from __future__ import annotations

import pytest

from cepheid.errors import LimitError
from cepheid.matchers.allowance import Allowance

TOO_MANY = "more than {limit}"


def test_each_output_has_the_limit_for_itself() -> None:
    allowance = Allowance(1000, 1)
    allowance.take(1000, TOO_MANY)
    allowance.take(1000, TOO_MANY, output=1)
    with pytest.raises(LimitError, match="more than 1,000"):
        allowance.take(1, TOO_MANY, output=1)


def test_what_is_expected_is_refused_but_not_counted() -> None:
    allowance = Allowance(5, 1)
    with pytest.raises(LimitError):
        allowance.expect(6, TOO_MANY)
    allowance.take(5, TOO_MANY)


def test_a_part_counts_for_itself_and_begins_with_the_whole() -> None:
    allowance = Allowance(2, 1)
    part = allowance.part("{limit} is too much for the inner one")
    allowance.take(2, TOO_MANY)
    part.take(2, TOO_MANY)
    with pytest.raises(LimitError, match="2 is too much for the inner one"):
        part.take(1, TOO_MANY)
    allowance.begin()
    part.take(2, TOO_MANY)
    allowance.begin(limited=False)
    part.take(100, TOO_MANY)
    allowance.begin()
    with pytest.raises(LimitError, match="more than 2"):
        allowance.take(3, TOO_MANY)
