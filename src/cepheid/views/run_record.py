"""What is known of a run after it, for pictures of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from cepheid.plan.plan import Plan, QueryPlan
from cepheid.views.steps import PassedStep


@dataclass(frozen=True, slots=True)
class RunCounts:
    """What was counted while a query ran."""

    events: int
    plan: QueryPlan  # whose edges are counted: of a profile, that of its query
    steps: tuple[PassedStep, ...]  # how many events pass what each variable asks, condition by condition
    passed: tuple[int, ...]  # for each bit of a mask, how many events pass the whole of its test
    edges: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by the keys of explanations


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """How much was held after so many events, and at which time."""

    events: int
    time: int | float
    bytes: int
    held: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The plan that ran, and how its events are taken in. The events themselves are not kept."""

    plan: Plan
    take_in: Callable[[Any], pa.Table]  # events in any form, in their order, as the run had them
    counts: RunCounts | None = None  # None where nothing was counted of this query alone
    course: tuple[CoursePoint, ...] = ()  # after each batch
    rerun: Callable[[Any, int], list[CoursePoint]] | None = None  # the same events again, in so many pieces
    count_again: Callable[[Any], RunCounts | None] | None = None  # of the same events
