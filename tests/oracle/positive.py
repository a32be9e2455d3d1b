"""Positive matches: which events are bound to which variables, before absence is considered."""

from __future__ import annotations

from collections.abc import Iterator

from cepheid.pattern.nodes import Conjunction, walk

from .combinations import found_by_combining
from .facts import Facts
from .runs import found_by_runs
from .stream import Taken


def positive_matches(facts: Facts) -> Iterator[Taken]:
    """In no particular order; AND is beyond the line of states, and means combinations."""
    has_and = any(isinstance(node, Conjunction) for node in walk(facts.query.pattern))
    return found_by_combining(facts) if has_and else found_by_runs(facts)
