"""The queries of the A-Seq benchmark, how they are run, and what makes two results the same."""

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from cepheid.bench.harness import Timing
from cepheid.bench.sase.queries import whole_run
from cepheid.errors import CepheidError
from cepheid.events import bind
from cepheid.matchers.known import KnownEvents
from cepheid.matches import Matches
from cepheid.query import Query, query

DEFAULT = "default"
Run = Callable[[], Matches]


def counting(types: Sequence[str], window: str = "", where: str = "") -> str:
    """A query that counts a sequence of types; `~` before a type says that it is absent. Its variables are
    v1, v2, …"""
    parts = (f"{name} v{number}" for number, name in enumerate(types, 1))
    within = f"WITHIN {window} " if window else ""
    return f"PATTERN SEQ({', '.join(parts)}) {where and f'WHERE {where} '}{within}AGG COUNT"


def counted(text: str, method: str = DEFAULT) -> Query:
    """A query that is counted by a method."""
    asked = query(text)
    return asked if method == DEFAULT else asked.using("aggregate", method=method)


def runs_of(text: str, events: pa.Table, methods: Sequence[str]) -> dict[str, Run]:
    """A run of a query by each of some methods."""
    return {method: whole_run(counted(text, method), events) for method in methods}


def agreed(runs: Mapping[str, Run]) -> dict[str, Matches]:
    """What each run finds; they must find the same."""
    found = {name: run() for name, run in runs.items()}
    first, *others = found
    for other in others:
        if not same_rows(found[first].table, found[other].table):
            raise CepheidError(f"'{first}' and '{other}' differ in what they count")
    return found


def same_rows(left: pa.Table, right: pa.Table) -> bool:
    """Whether two tables hold the same values in the same order, whatever the width of their numbers."""
    return left.column_names == right.column_names and all(
        one.equals(other) if one.type == other.type else one.cast(pa.string()).equals(other.cast(pa.string()))
        for one, other in zip(left.columns, right.columns, strict=True)
    )


def method_of(asked: Query, events: pa.Table) -> str:
    """The method that counts a query over just these events."""
    plan = asked.plan(bind(events.schema, time="time", type="type"))
    return KnownEvents(events, plan.schema).fitted(plan).method if plan.output is None else ""


def nanoseconds(seconds: float, events: int) -> float:
    """Nanoseconds an event."""
    return round(seconds * 1e9 / events, 1)


def timing_columns(timing: Timing, events: int) -> dict[str, float]:
    """What an event takes, in a row of a table."""
    best, median = nanoseconds(timing.best, events), nanoseconds(timing.median, events)
    return {"ns/event": best, "ns/event (median)": median}
