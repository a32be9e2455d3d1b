"""What a query without AGG returns: positive matches, then absence, then order and EMIT, then RETURN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cepheid import expressions as ex
from cepheid.pattern.nodes import Kleene, atoms
from cepheid.pattern.query import PatternQuery, ReturnItem

from .absence import spoilers
from .emit import emitted
from .evaluate import Event, value
from .evaluate import Match as Bindings
from .facts import Facts
from .order import in_order
from .positive import positive_matches
from .stream import Stream, Taken
from .zones import outward


@dataclass(frozen=True)
class Match:
    """Which event (by its index in the given list) is bound to which positive variable."""

    bindings: Mapping[str, tuple[int, ...] | int | None]


def matches(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> list[Match]:
    """All matches, in the order of output."""
    facts = Facts(query, Stream(events, query.keys, time, type, order, time_unit))
    return [Match(bindings(facts, taken)) for taken in emitted(facts, found(facts))]


def rows(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> list[dict[str, Any]]:
    """What each match returns, in the order of output, without `match_id`."""
    facts = Facts(query, Stream(events, query.keys, time, type, order, time_unit))
    return rows_of(facts, emitted(facts, found(facts)), events)


def found(facts: Facts) -> list[Taken]:
    """All matches, in the order of output: those of the positive matches that nothing spoils."""
    whole = (taken for taken in positive_matches(facts) if next(spoilers(facts, taken), None) is None)
    return in_order(facts, whole)


def rows_of(facts: Facts, chosen: Sequence[Taken], events: Sequence[Event]) -> list[dict[str, Any]]:
    """What each of these matches returns; without RETURN, every variable."""
    items = facts.query.returns or tuple(ReturnItem(None, whole=v) for v in facts.positive)
    columns = list(dict.fromkeys(column for event in events for column in event))
    rows = ([_cells(facts, taken, item, events, columns) for item in items] for taken in chosen)
    return [{name: cell for cells in row for name, cell in cells} for row in rows]


def _cells(
    facts: Facts, taken: Taken, item: ReturnItem, events: Sequence[Event], columns: list[str]
) -> Iterator[tuple[str, Any]]:
    """The columns of an item of RETURN with their values."""
    if item.whole is not None:
        yield item.name or item.whole, _whole(_binding(facts, item.whole, taken), events)
        return
    for name, expression in _returned(item, facts.query, columns):
        yield name, outward(value(expression, Bindings(facts.bound(taken), {})))


def _whole(bound: tuple[int, ...] | int | None, events: Sequence[Event]) -> Any:
    """A variable alone: its event, or the list of its events."""
    if bound is None:
        return None
    return dict(events[bound]) if isinstance(bound, int) else [dict(events[i]) for i in bound]


def _returned(
    item: ReturnItem, query: PatternQuery, columns: list[str]
) -> Iterator[tuple[str, ex.Expression]]:
    """The columns of an item of RETURN; `v.*` is all attributes, as lists for a Kleene variable."""
    if item.expression is not None:
        named = item.expression if isinstance(item.expression, ex.Attribute) else None
        yield item.name or (f"{named.variable}_{named.name}" if named else "value"), item.expression
        return
    assert item.star is not None
    is_kleene = any(isinstance(a, Kleene) for a in atoms(query.pattern) if a.variable == item.star)
    for column in columns:
        one = ex.Attribute(item.star, ex.Index.ONLY, column)
        all_of = ex.Aggregate("collect", item.star, ex.Scope.WHOLE, ex.Element(column))
        yield f"{item.star}_{column}", all_of if is_kleene else one


def bindings(facts: Facts, taken: Taken) -> dict[str, tuple[int, ...] | int | None]:
    """The indices of the events of each positive variable."""
    return {v: _binding(facts, v, taken) for v in facts.positive}


def _binding(facts: Facts, variable: str, taken: Taken) -> tuple[int, ...] | int | None:
    indices = tuple(facts.stream.index[p] for p in taken.get(variable, ()))
    if isinstance(facts.atoms[variable], Kleene):
        return indices if facts.stands(variable, taken) else None
    return indices[0] if indices else None
