"""What the oracle expects of a case, and whether a table is that: matches, whatever their EMIT, or AGG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Protocol

import pyarrow as pa

import cepheid
from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import Conjunction, walk
from cepheid.pattern.query import Emit, EmitMode, PatternQuery
from cepheid.testing import compare_aggregates, compare_rows
from tests.cases import AggregateCase, Case
from tests.cases.times import instant
from tests.laws.compressed import GRAPH, Events, event_columns, matches_in
from tests.oracle import Completed, aggregates, completed, counts, rows

Row = dict[str, Any]
COUNTED = (EmitMode.COUNT, EmitMode.COMPRESSED)


class Verdict(Protocol):
    """What should come of a case."""

    def __len__(self) -> int: ...

    def check(self, table: pa.Table, *, ordered: bool = True) -> list[str]:
        """Fail unless a table has what it should; the ids of its rows, and of what they expand to.

        The table of a session has matches in the order in which they became certain.
        """
        ...


@dataclass(frozen=True)
class MatchVerdict:
    """Rows of matches, or groups of them."""

    case: Case
    query: PatternQuery
    rows: list[Row]  # of the matches that EMIT lets out; all of them, if it counts
    groups: list[Completed]  # none, if it does not count

    def __len__(self) -> int:
        return len(self.groups) if self.query.emit.mode in COUNTED else len(self.rows)

    @property
    def is_compressed(self) -> bool:
        return self.query.emit.mode is EmitMode.COMPRESSED

    @property
    def is_grouped_in_order(self) -> bool:
        """Whether the rows, in the order of output, are those of one group after the other.

        One closing window may complete matches with several last events; their order is by events.
        """
        moments = [group.completion for group in self.groups]
        return len(set(moments)) == len(moments)

    def as_path(self, events: Events) -> Events:
        """The events of a match on its way through a graph; with AND, no order of them is promised."""
        has_and = any(isinstance(node, Conjunction) for node in walk(self.query.pattern))
        return sorted(events, key=_text) if has_and else events

    def check(self, table: pa.Table, *, ordered: bool = True) -> list[str]:
        CHECKS.get(self.query.emit.mode, _check_matches)(self, table, ordered)
        ids = _distinct(table)
        return [*ids, *_distinct(cepheid.expand(table).table)] if self.is_compressed else ids

    def check_expansion(self, table: pa.Table, all_of_them: pa.Table, seed: int) -> None:
        """Fail unless expand() counts, cuts and samples what EMIT ALL gives, with its ids and its columns."""
        found = cepheid.expand(table)
        listed, total = list(found), len(self.rows)
        assert found.table.schema.equals(all_of_them.schema), "EMIT ALL has other columns"
        compare_rows(found.table.to_pylist(), listed)
        ids, wanted = ([row["match_id"] for row in some] for some in (listed, all_of_them.to_pylist()))
        if not self.is_grouped_in_order:
            ids, wanted = sorted(ids), sorted(wanted)
        assert ids == wanted, "EMIT ALL has other ids"
        assert (len(found), found.count()) == (total, total), f"{found.count()} counted, {total} expected"
        for most in (1, 2, total + 1):
            compare_rows(_rows(found.first(most)), listed[:most])
            sampled = [_text(row) for row in _rows(found.sample(most, seed=seed))]
            assert len(sampled) in (min(most, total), most if total else 0)
            assert {*sampled} <= {_text(row) for row in listed}, "a sample that is no match"


@dataclass(frozen=True)
class AggregateVerdict:
    """Rows of AGG, which have no ids."""

    query: PatternQuery
    rows: list[Row]

    def __len__(self) -> int:
        return len(self.rows)

    def check(self, table: pa.Table, *, ordered: bool = True) -> list[str]:
        compare_tables(table, self.rows, self.query)
        return []


def verdict(case: Case) -> Verdict:
    """What the oracle says of a case."""
    query = parse(case.query_text)
    if query.aggregation is not None:
        listing = counts if isinstance(case, AggregateCase) and case.is_long else aggregates
        return AggregateVerdict(query, listing(query, case.events, **case.binding))
    groups = completed(query, case.events, **case.binding) if query.emit.mode in COUNTED else []
    return MatchVerdict(case, query, rows(query, case.events, **case.binding), groups)


def agree(query: PatternQuery, found: pa.Table, expected: pa.Table, *, ordered: bool = True) -> None:
    """Fail unless two runs have the same rows, ids included; in one order, where that is asked for."""
    if query.aggregation is not None:
        assert found.column_names == expected.column_names
        compare_aggregates(*(_settled(_exact(table), query) for table in (found, expected)))
        return
    got, wanted = listed(found), listed(expected)
    assert got == wanted if ordered else Counter(got) == Counter(wanted)


def with_all(query: PatternQuery) -> PatternQuery:
    """The same query with EMIT ALL."""
    return replace(query, emit=Emit())


def listed(table: pa.Table) -> list[str]:
    """Rows as text, in their order; of compressed ones what they expand to, since graphs may differ."""
    if not set(GRAPH) <= set(table.column_names):
        return [_text(_plain_count(row)) for row in table.to_pylist()]
    return [
        _text([_plain_count(head), list(cepheid.expand(table.slice(place, 1)))])
        for place, head in enumerate(table.drop_columns(list(GRAPH)).to_pylist())
    ]


# -- AGG -------------------------------------------------------------------------------------------


def compare_tables(found: pa.Table, expected: list[Row], query: PatternQuery) -> None:
    """Fail unless the rows of AGG are the expected ones, in order, in the right columns and kinds."""
    got = found.to_pylist()
    for row, wanted in zip(got, expected, strict=False):
        assert list(row) == list(wanted), f"columns {list(row)}, but {list(wanted)} expected"
        for name, cell in wanted.items():
            is_inexact = type(cell) is int and isinstance(row[name], float)
            assert not is_inexact, f"'{name}' is a float, and should be a whole number"
    compare_aggregates(_settled(got, query), _settled(expected, query))


def _exact(table: pa.Table) -> list[Row]:
    """A session knows no bound of its counts, so its whole numbers may be decimals or digits, and those of a
    table integers."""
    return [
        {name: int(cell) if isinstance(cell, Decimal) else cell for name, cell in row.items()}
        for row in table.to_pylist()
    ]


def _settled(rows: list[Row], query: PatternQuery) -> list[Row]:
    """Of the rows of one moment, or of the end, which group comes first is nobody's business."""
    assert query.aggregation is not None
    groups = query.aggregation.group_by
    if query.emit.mode is EmitMode.ALL or not groups:
        return rows
    every = query.emit.mode is EmitMode.EVERY
    return sorted(
        rows, key=lambda row: (instant(row["time"]) if every else 0, [repr(row[name]) for name in groups])
    )


# -- by the mode of EMIT ---------------------------------------------------------------------------


def _check_matches(verdict: MatchVerdict, table: pa.Table, ordered: bool) -> None:
    _compare(_without_id(table), verdict.rows, ordered)


def _check_counts(verdict: MatchVerdict, table: pa.Table, ordered: bool) -> None:
    _compare(_heads(table, verdict.query), [group.head for group in verdict.groups], ordered)


def _check_compressed(verdict: MatchVerdict, table: pa.Table, ordered: bool) -> None:
    """Each row by itself: its count, its paths and what it expands to; then all that they expand to."""
    names = event_columns(table)
    assert set(names) <= set(verdict.case.table.column_names), "events with columns that the stream has not"
    heads = _heads(table.drop_columns(list(GRAPH)), verdict.query)
    found = [
        {
            **head,
            "paths": sorted(_text(verdict.as_path(events)) for events in matches_in(row)),
            "rows": _text(_without_id(cepheid.expand(table.slice(place, 1)).table)),
        }
        for place, (head, row) in enumerate(zip(heads, table.to_pylist(), strict=True))
    ]
    wanted = [
        {
            **group.head,
            "paths": sorted(
                _text(verdict.as_path(events)) for events in _events_of(group, verdict.case.events, names)
            ),
            "rows": _text(group.rows),
        }
        for group in verdict.groups
    ]
    _compare(found, wanted, ordered)
    in_order = ordered and verdict.is_grouped_in_order
    _compare(_without_id(cepheid.expand(table).table), verdict.rows, in_order)


CHECKS = {EmitMode.COUNT: _check_counts, EmitMode.COMPRESSED: _check_compressed}


def _heads(table: pa.Table, query: PatternQuery) -> list[Row]:
    keys = [name for name in query.keys if name not in ("time", "count", "match_id")]
    columns = ["time", *keys, "count", "match_id"]
    assert table.column_names == columns, f"columns {table.column_names}, but {columns} expected"
    return [_plain_count(row) for row in _without_id(table)]


def _plain_count(row: Row) -> Row:
    """The count as the whole number that it is: an integer, a decimal or digits."""
    if "count" not in row:
        return row
    assert isinstance(row["count"], int | Decimal | str), f"{row['count']!r} is no exact count"
    return {**row, "count": int(row["count"])}


def _events_of(
    group: Completed, events: Sequence[Row], names: Sequence[str]
) -> Iterator[list[tuple[str, Row]]]:
    for path in group.paths:
        yield [(variable, {name: events[index][name] for name in names}) for variable, index in path]


# -- rows ------------------------------------------------------------------------------------------


def _without_id(table: pa.Table) -> list[Row]:
    found: list[Row] = table.drop_columns(["match_id"]).to_pylist()
    return found


def _rows(some: Any) -> list[Row]:
    """The rows of a table, or of anything that goes over them."""
    return some.to_pylist() if isinstance(some, pa.Table) else list(some)


def _distinct(table: pa.Table) -> list[str]:
    ids: list[str] = table.column("match_id").to_pylist()
    assert len(set(ids)) == len(ids), "two rows share a match_id"
    return ids


def _compare(found: list[Row], expected: list[Row], ordered: bool) -> None:
    if ordered:
        compare_rows(found, expected)
        return
    got, wanted = Counter(map(_text, found)), Counter(map(_text, expected))
    if got != wanted:
        raise AssertionError(f"missing {list(wanted - got)}\nand found besides {list(got - wanted)}")


def _text(cell: Any) -> str:
    """A value as text, whatever the order of its fields."""
    if isinstance(cell, dict):
        return str(sorted((name, _text(item)) for name, item in cell.items()))
    return str([_text(item) for item in cell]) if isinstance(cell, list | tuple) else repr(cell)
