"""What EMIT COUNT and EMIT COMPRESSED say of the matches that one event completes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cepheid.pattern.query import PatternQuery

from .emit import Group, grouped
from .evaluate import Event
from .facts import Facts
from .matches import found, rows_of
from .stream import Completion, Stream, Taken

Row = dict[str, Any]
Path = tuple[tuple[str, int], ...]  # a match: the variable and the index of each of its events, in order

OWN_COLUMNS = ("time", "count", "match_id")  # a key of such a name has no column


@dataclass(frozen=True)
class Completed:
    """The matches with one completion and one last event."""

    head: Row  # time, keys and count: the row of EMIT COUNT
    rows: list[Row]  # what EMIT ALL says of them, in the order of output
    paths: list[Path]
    completion: Completion


def counted(query: PatternQuery, events: Sequence[Event], **binding: Any) -> list[Row]:
    """The rows of EMIT COUNT, in the order of output, without `match_id`."""
    return [group.head for group in completed(query, events, **binding)]


def completed(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> list[Completed]:
    """All matches by what completes them, in the order of output."""
    stream = Stream(events, query.keys, time, type, order, time_unit)
    facts = Facts(query, stream)
    return [
        Completed(
            _head(facts, group, events[stream.index[group.last]], time),
            rows_of(facts, group.members, events),
            [_path(facts, taken) for taken in group.members],
            group.completion,
        )
        for group in grouped(facts, found(facts))
    ]


def _head(facts: Facts, group: Group, last: Event, time: str) -> Row:
    """The time and the keys are those of the last event."""
    named = {**facts.stream.events[group.last], **last}  # `type` may be the name of another column
    keys = {name: named[name] for name in facts.query.keys if name not in OWN_COLUMNS}
    return {"time": last[time], **keys, "count": len(group.members)}


def _path(facts: Facts, taken: Taken) -> Path:
    selected = sorted((position, v) for v, positions in taken.items() for position in positions)
    return tuple((v, facts.stream.index[position]) for position, v in selected)
