"""Ids of matches are those of a profile alone, whether their seeds are worked out ahead or not."""

from __future__ import annotations

import pytest

from cepheid.matchers.profile.one_step import step_set
from cepheid.profiles import profile, profiles

EVENTS = [{"t": t, "kind": "A", "x": t % 7, "s": f"it's {t % 7}%"} for t in range(14)]
TEXTS = [
    *(f"PATTERN A a WHERE a.x = {k}" for k in range(7)),
    *(f"PATTERN A a WHERE a.x > {k}.5 AND a.s = 'it''s {k + 1}%'" for k in range(5)),
]


@pytest.mark.parametrize("many", [1, 3, 10_000])
def test_ids_do_not_depend_on_when_seeds_are_made(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_set, "MANY", many)
    made = {f"p{k}": profile(text) for k, text in enumerate(TEXTS)}
    found = profiles(made).run(EVENTS, time="t", type="kind").table
    for name, each in made.items():
        own = [row["match_id"] for row in found.to_pylist() if row["profile"] == name]
        assert own == each.run(EVENTS, time="t", type="kind").table.column("match_id").to_pylist()
        assert len(own) == 2, name
