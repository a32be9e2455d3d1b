"""Random profiles against the oracle: as tables, and as sessions with cuts and snapshots."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from cepheid.matchers.profile import partitions
from tests.cases.profiles import random_profile_case
from tests.laws.profile_sets import is_followed
from tests.laws.profiles import CONSTRUCTS, check_profile, tried

CASES = 160
CHUNK = 40
PARAMETERS = (
    *(f"select {choice}" for choice in ("all", "first", "last", 2)),
    *(f"consume {what}" for what in ("all", "unique", "reapply")),
    *("once None", "once ever", "once a period", "keys", "nesting"),
)


@pytest.mark.parametrize("chunk", range(CASES // CHUNK))
def test_profiles_are_told_as_the_oracle_tells_them(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "_SPARE", 0)  # keys are forgotten all the time
    told = 0
    for number in range(CHUNK):
        case = random_profile_case(random.Random(f"told-{chunk}-{number}"))
        try:
            told += check_profile(case, random.Random(number), breaks=2)
        except Exception as error:
            error.add_note(str(case))
            raise
    assert told > 0


def test_random_profiles_try_everything_often_enough() -> None:
    cases = [random_profile_case(random.Random(f"tried-{number}")) for number in range(800)]
    seen = Counter(name for case in cases for name in tried(case))
    rare = {
        name: seen[name] for name in (*CONSTRUCTS.values(), *PARAMETERS) if seen[name] < 0.08 * len(cases)
    }
    assert not rare
    assert sum(map(is_followed, cases)) >= 0.5 * len(cases)
