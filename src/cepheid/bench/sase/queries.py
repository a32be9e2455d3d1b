"""The query template of the SASE+ paper, its predicates and strategies, and how two tables are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from cepheid.matches import Matches
from cepheid.query import Query, query

PREDICATES = {
    "p1": "1 = 1",
    "p2": "a[i].price > a[i-1].price",
    "p3min": "a[i].price > min(a[..i-1].price)",
    "p3max": "a[i].price > max(a[..i-1].price)",
    "p3avg": "a[i].price > avg(a[..i-1].price)",
}
HARD_TO_FIND = ("c.price > a[1].price", "c.price < a[a.len].price")
SESSION_ROWS = 8192  # a batch, where a session is fed
SEED = 7
STRATEGIES = {"s2": "partition_contiguity", "s3": "skip_till_next_match"}


@dataclass(frozen=True, slots=True)
class QueryTemplate:
    """One query of the template: a predicate, a strategy and a window."""

    predicate: str
    strategy: str
    window: int = 500
    emit: str = "ALL"
    start: str = "a[1].price % 500 = 0"
    end: str = "b.volume < 150"
    starred: bool = False  # as the paper's p3*: one more event, which few runs find

    @property
    def name(self) -> str:
        """As the paper names it: p2s3."""
        return self.predicate + "*" * self.starred + self.strategy

    @property
    def text(self) -> str:
        variables = "stock+ a[], stock b" + ", stock c" * self.starred
        conditions = [
            "[symbol]",
            self.start,
            PREDICATES[self.predicate],
            self.end,
            *HARD_TO_FIND * self.starred,
        ]
        return (
            f"PATTERN SEQ({variables}) WHERE {STRATEGIES[self.strategy]} {{ {' AND '.join(conditions)} }} "
            f"WITHIN {self.window} EVENTS" + (f" EMIT {self.emit}" if self.emit != "ALL" else "")
        )

    def parsed(self, sharing: str | None = None) -> Query:
        """The query, ready to run; runs share work as is said, or as the engine sees fit."""
        asked = query(self.text)
        return asked if sharing is None else asked.using("nfa", sharing=sharing)


def whole_run(asked: Query, events: pa.Table) -> Callable[[], Matches]:
    """A run over a table, end to end: from Arrow to Arrow, matches materialised."""
    return lambda: asked.run(events, time="time", type="type")


@dataclass(frozen=True, slots=True)
class OutputSize:
    """How much a query found."""

    matches: int
    events: int  # the summed lengths of all matches: the paper's output complexity

    @property
    def average(self) -> float:
        """Events a match."""
        return self.events / self.matches if self.matches else 0.0

    @classmethod
    def of(cls, table: pa.Table) -> OutputSize:
        """Of a table with a list `a` and an event `b`."""
        listed = sum(len(chunk.flatten()) for chunk in table.column("a").chunks)
        return cls(table.num_rows, listed + table.num_rows)


def drained(asked: Query, events: pa.Table, batch_rows: int) -> OutputSize:
    """Feed a session and drop its matches batch by batch, for outputs that would not fit in memory."""
    session = asked.session(events.schema, time="time", type="type")
    matches = listed = 0
    pieces = [*events.to_batches(max_chunksize=batch_rows), None]
    for piece in pieces:
        found = OutputSize.of(session.close() if piece is None else session.push(piece))
        matches, listed = matches + found.matches, listed + found.events
    return OutputSize(matches, listed)


def same_matches(left: pa.Table, right: pa.Table) -> bool:
    """Whether two tables bind the same events to `a` and `b`, row by row, whatever the width of codes."""
    if left.num_rows != right.num_rows:
        return False
    lists = [table.column("a").combine_chunks() for table in (left, right)]
    singles = [table.column("b").combine_chunks() for table in (left, right)]
    lengths = [_whole(array).value_lengths() for array in lists]
    inner = [_whole(array).flatten() for array in lists]
    return lengths[0].equals(lengths[1]) and _same_structs(*inner) and _same_structs(*map(_whole, singles))


def _same_structs(left: pa.StructArray, right: pa.StructArray) -> bool:
    names = [field.name for field in left.type]
    return names == [field.name for field in right.type] and all(
        _plain(one).equals(_plain(other)) for one, other in zip(left.flatten(), right.flatten(), strict=True)
    )


def _plain(array: pa.Array) -> pa.Array:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _whole(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(array, pa.ChunkedArray):
        return array.chunk(0) if array.num_chunks else pa.array([], array.type)
    return array
