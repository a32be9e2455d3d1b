"""How a profile is run: on the engine of its query, whose matches are then told or not."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cepheid.expressions import Expression
from cepheid.pattern.profile import ProfileTerms, Wanted
from cepheid.plan.loose.stream import LooseColumn
from cepheid.plan.plan import QueryPlan
from cepheid.plan.profile.kinds import SilentKind, TimeKind


@dataclass(frozen=True, slots=True)
class Chosen:
    """A variable that may not have any event, and what those in its place must satisfy."""

    variable: str
    position: int
    type: str | None
    choice: Wanted
    before: frozenset[int]  # the positions that the pattern puts before it, and after it
    after: frozenset[int]
    alone: tuple[Expression, ...]  # the conjuncts on its edge: on it alone, and with variables before it
    joint: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Closing:
    """A window around an absence, and the positions that it spans."""

    members: frozenset[int]
    length: Fraction | int | float  # in ticks, or in events
    counts_events: bool
    half_open: bool


@dataclass(frozen=True, slots=True)
class OpenAbsence:
    """A negated variable that a match may have no event after: it then waits for a window to close."""

    after: frozenset[int]
    branches: tuple[frozenset[int], ...]
    windows: tuple[Closing, ...]


@dataclass(frozen=True, slots=True)
class ProfilePlan(QueryPlan):
    """The plan of a profile. Its `inner` plan also returns where the events of a match stand."""

    terms: ProfileTerms
    inner: QueryPlan
    kinds: tuple[TimeKind, ...]  # of time events, in the order of the text
    needs_every_tick: bool  # whether AT and EVERY alone may be a match
    chosen: tuple[Chosen, ...]
    absences: tuple[OpenAbsence, ...]
    period: Fraction | int | float | None  # of `once`, in ticks
    asked: tuple[str, tuple[tuple[str, Any], ...]]  # the engine that was asked for, and its options
    hidden: tuple[str, ...]  # the columns that an event has besides, as it goes to the inner engine
    loose: tuple[LooseColumn, ...] = ()  # what it reads of events without a schema
    json: frozenset[str] = frozenset()  # the results that are JSON texts already
    event: str | None = None  # the column of the event as JSON, where events have no schema

    @property
    def own_columns(self) -> int:
        """How many columns of the inner result are the user's; then those of places, then the id."""
        return len(self.output or ())

    @property
    def shared_ranks(self) -> frozenset[int]:
        """The numbers of the kinds of time events that all partitions share, from 1: AT and EVERY."""
        return frozenset(n for n, kind in enumerate(self.kinds, 1) if not isinstance(kind, SilentKind))

    @property
    def counts_events(self) -> bool:
        """Whether some window is measured in events."""
        windows = (self.window, *self.inner_windows)
        return any(window is not None and window.counts_events for window in windows)

    @property
    def reach(self) -> int | float | None:
        """How long a match may be, in ticks; None if no window of time says so."""
        window = self.window
        return None if window is None or window.counts_events else window.limit
