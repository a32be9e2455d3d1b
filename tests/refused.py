"""Which scenarios no engine takes yet: those with AND, until one does. Nothing else has to change then."""

from __future__ import annotations

import functools

import cepheid
from cepheid.errors import UnsupportedError
from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import Conjunction, walk
from cepheid.testing import Scenario


def is_refused(item: Scenario) -> bool:
    """Whether a scenario has AND, and no engine takes even the simplest AND."""
    has_and = not item.errors and any(isinstance(n, Conjunction) for n in walk(parse(item.query).pattern))
    return has_and and _refuses_and(item.is_aggregate)


@functools.cache
def _refuses_and(is_aggregate: bool) -> bool:
    query = cepheid.query(f"PATTERN AND(A a, B b) WITHIN 5 {'AGG COUNT' if is_aggregate else ''}")
    try:
        query.run([{"time": 1, "type": "A"}, {"time": 2, "type": "B"}], time="time", type="type")
    except UnsupportedError:
        return True
    return False
