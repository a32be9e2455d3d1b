"""Every scenario of tests/scenarios: as a table and, where it speaks of batches, as a session."""

from __future__ import annotations

from pathlib import Path

import pytest

import cepheid
from cepheid.errors import CepheidError, UnsupportedError
from cepheid.testing import Scenario, assert_scenario, scenario

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.scn"))
SCENARIOS = [item for file in FILES for item in scenario(file)]
NO_ENGINE = "AGG is not supported by any engine yet"


def _name(item: Scenario) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in item.title.lower()).split()
    return f"{Path(item.source).stem}-{'-'.join(words)}"


def _skip_without_an_engine(item: Scenario) -> None:
    """While nothing runs AGG, the planner says so; once an engine does, this leaves out nothing."""
    try:
        cepheid.query(item.query).run(item.events, **item.binding)
    except UnsupportedError as error:
        if error.message == NO_ENGINE:
            pytest.skip(NO_ENGINE)
    except CepheidError:
        return  # it is for the scenario to say whether that is right


@pytest.mark.parametrize("item", SCENARIOS, ids=_name)
def test_scenario(item: Scenario) -> None:
    if item.source.startswith("aggregates"):
        _skip_without_an_engine(item)
    assert_scenario(item)


def test_no_title_is_used_twice() -> None:
    names = [_name(item) for item in SCENARIOS]
    assert sorted(set(names)) == sorted(names)
