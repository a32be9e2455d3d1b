"""What a matcher counts beside its work: events that passed each condition, runs that took each edge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from cepheid.plan.plan import QueryPlan

Counts = Mapping[str, Mapping[str, float]]
"""By the key of an edge or a node, as explanations have it: numbers, each with what it counts."""


class RunTally(NamedTuple):
    """The counts of one query's run."""

    plan: QueryPlan  # whose tests and edges are counted
    passed: tuple[tuple[int, ...], ...]  # for each test, how many events passed its type, then each condition
    edges: Counts


@runtime_checkable
class Counting(Protocol):
    """A matcher that counts."""

    @property
    def counted(self) -> RunTally:
        """What it has counted so far."""


@runtime_checkable
class BuiltOnAnother(Protocol):
    """A matcher whose matches another one finds."""

    @property
    def inner(self) -> object:
        """The other one."""


@runtime_checkable
class Holding(Protocol):
    """A matcher that tells what it holds, beside bytes."""

    @property
    def held(self) -> Mapping[str, int]:
        """How many of what."""


def held_by(matcher: object) -> Mapping[str, int]:
    """What a matcher, or the one that it is built on, holds."""
    if isinstance(matcher, Holding):
        return matcher.held
    return held_by(matcher.inner) if isinstance(matcher, BuiltOnAnother) else {}


def counted_of(matcher: object) -> RunTally | None:
    """What a matcher, or the one that it is built on, has counted; None if it counts nothing."""
    if isinstance(matcher, Counting):
        return matcher.counted
    return counted_of(matcher.inner) if isinstance(matcher, BuiltOnAnother) else None
