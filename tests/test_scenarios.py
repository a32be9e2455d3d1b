"""Every scenario of tests/scenarios: as a table and, where it speaks of batches, as a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from cepheid.errors import UnsupportedError
from cepheid.testing import Scenario, assert_scenario, scenario
from tests.refused import is_refused

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.scn"))
SCENARIOS = [item for file in FILES for item in scenario(file)]


def _name(item: Scenario) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in item.title.lower()).split()
    return f"{Path(item.source).stem}-{'-'.join(words)}"


@pytest.mark.parametrize("item", SCENARIOS, ids=_name)
def test_scenario(item: Scenario) -> None:
    """Where no engine takes AND, a scenario with it is refused; as soon as one does, it has to hold."""
    if is_refused(item):
        with pytest.raises(UnsupportedError, match="AND"):
            assert_scenario(item)
        return
    assert_scenario(item)


def test_no_title_is_used_twice() -> None:
    names = [_name(item) for item in SCENARIOS]
    assert sorted(set(names)) == sorted(names)
