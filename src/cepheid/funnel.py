"""Funnels as users hold them: how many users come how far along some steps, and how long they take.

A step is reached by the matches of a query, `SEQ(step 1, …, step k)` with skip_till_next_match: a funnel is
these queries, and counts whose matches they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cepheid.errors import CepheidError, QueryError
from cepheid.funnel_counts import FunnelCounts, counted
from cepheid.language.sase.funnel import FunnelStep, funnel_query, funnel_step
from cepheid.pattern.durations import parse_window
from cepheid.time import Window
from cepheid.workload import Workload, workload

UNLIMITED = 2**62
"""Ways through a funnel: each first event has one at most, so they cannot explode as matches may."""


@dataclass(frozen=True)
class Funnel:
    """Steps in their order, what is counted, and how long one may take from the first step to the last."""

    steps: tuple[FunnelStep, ...]
    keys: tuple[str, ...]
    window: Window | None

    def run(
        self,
        events: Any,
        *,
        time: str,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
        on_late: str = "side",
        on_bad: str = "side",
        max_matches: int | None = None,
        max_state: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Any:
        """How many users reach each step, over whatever a query runs over: `FunnelCounts`. Over a DataFrame
        of Spark `FunnelFrame`, whose table is a DataFrame too: nothing runs before an action asks for it."""
        self._refuse_unknown_type(type)
        terms: dict[str, Any] = {
            "time": time,
            "type": type,
            "order": order,
            "time_unit": time_unit,
            "on_late": on_late,
            "on_bad": on_bad,
            "max_matches": UNLIMITED if max_matches is None else max_matches,
            "max_state": max_state,
        }
        with _naming_the_funnel():
            queries = self._queries(time)
            if _is_of_spark(events):
                from cepheid.funnel_frame import counted_frame

                return counted_frame(events, queries, self.labels, self.keys, str(self), terms)
            return self._counted(list(queries.run(events, **terms, progress=progress).values()))

    def query(self, number: int, time: str = "time") -> str:
        """The text of the query that finds who reaches a step, counted from 1."""
        if number not in range(1, len(self.steps) + 1):
            raise CepheidError(f"the funnel has steps 1 to {len(self.steps)}, and no step {number!r}")
        return funnel_query(self.steps[:number], self.keys, self.window, time)

    @property
    def labels(self) -> tuple[str, ...]:
        """The steps in the words of the user."""
        return tuple(step.label for step in self.steps)

    def _counted(self, found: list[Any]) -> FunnelCounts:
        return counted(self.labels, self.keys, str(self), found)

    def _queries(self, time: str) -> Workload:
        """The query of each step."""
        if not isinstance(time, str):
            raise CepheidError(f"time= is the name of the time column, not {time!r}")
        names = (f"step {place}, {step.label}" for place, step in enumerate(self.steps, 1))
        return workload({name: self.query(place, time) for place, name in enumerate(names, 1)})

    def _refuse_unknown_type(self, type: str | None) -> None:
        """Without a type column the name of a type would mean any event."""
        named = next((step for step in self.steps if step.type is not None), None)
        if type is None and named is not None:
            raise CepheidError(
                f"the step '{named.label}' names a type of event: say type=, the column that holds the "
                "types; where there is none, steps are conditions, as in \"WHERE page = '/cart'\""
            )

    def __str__(self) -> str:
        within = "" if self.window is None else f" within {self.window}"
        return f"{' → '.join(self.labels)}{within}, by {', '.join(self.keys)}"


def funnel(
    steps: Sequence[str] | Mapping[str, str],
    *,
    within: str | float | timedelta | Window | None = None,
    by: str | Sequence[str] | None = None,
) -> Funnel:
    """How many users come how far: `funnel(["view", "cart", "pay"], within="30 min", by="user")`.

    A step is a type of event, a condition after WHERE, or both: "view WHERE page = '/'". Steps may have names
    of their own, as the keys of a dict.
    """
    named = _labelled(steps)
    if len(named) < 2:
        raise CepheidError(f"a funnel has at least two steps, and this one has {len(named)}")
    found = tuple(funnel_step(place, label, text) for place, (label, text) in enumerate(named, 1))
    return Funnel(found, _keys(by), None if within is None else _window(within))


def _labelled(steps: Sequence[str] | Mapping[str, str]) -> list[tuple[str, str]]:
    if isinstance(steps, Mapping):
        named = list(steps.items())
    elif isinstance(steps, list | tuple):
        named = [(step, step) for step in steps]
    else:
        raise CepheidError(f"the steps are a list, as in funnel(['view', 'cart'], …), not {steps!r}")
    wrong = [part for pair in named for part in pair if not isinstance(part, str)]
    if wrong:
        raise CepheidError(f"a step is a text, such as 'view' or \"view WHERE page = '/'\", not {wrong[0]!r}")
    return [(" ".join(label.split()), text) for label, text in named]


def _keys(by: str | Sequence[str] | None) -> tuple[str, ...]:
    keys = (by,) if isinstance(by, str) else by
    if isinstance(keys, list | tuple) and keys and all(isinstance(key, str) and key for key in keys):
        return tuple(dict.fromkeys(keys))
    raise CepheidError(
        f"by= is the column that tells users apart, as in by='user', or a list of columns, not {by!r}"
    )


def _window(within: Any) -> Window:
    says = f"within= is a time such as '30 min', a timedelta or a number, not {within!r}"
    if isinstance(within, bool) or not isinstance(within, str | int | float | timedelta | Window):
        raise CepheidError(says)
    try:
        window = parse_window(within)
    except (ValueError, OverflowError):
        raise CepheidError(says) from None
    if not isinstance(window.length, int) and window.length.amount <= 0:
        raise CepheidError(f"within= should be longer than nothing, and is {within!r}")
    return window


@contextmanager
def _naming_the_funnel() -> Iterator[None]:
    """Users of a funnel know of no workload."""
    try:
        yield
    except QueryError as error:
        error.message = error.message.replace(" of the workload:", " of the funnel:", 1)
        raise


def _is_of_spark(events: Any) -> bool:
    return type(events).__module__.startswith("pyspark.")
