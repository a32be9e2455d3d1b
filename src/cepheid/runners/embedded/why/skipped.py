"""What skip_till_any_match would have found, and the event that the query's strategy did not pass over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cepheid.pattern.query import Strategy
from cepheid.runners.embedded.why.asked import AskedQuery
from cepheid.runners.embedded.why.candidate import NONE_YET, PartialMatch
from cepheid.runners.embedded.why.found import RowsByVariable, rows_of
from cepheid.runners.embedded.why.spoilers import Spoilers
from cepheid.runners.embedded.why.stops import Stop, StopKind
from cepheid.runners.embedded.why.walk import Walk, Walked

MOST = 100


def passed_over(walk: Walk, spoilers: Spoilers, known: set[RowsByVariable]) -> Iterator[Stop]:
    """Candidates that are complete but for the strategy; `known` are those that it allows."""
    any_query = replace(walk.asked.query, strategy=Strategy.ANY)
    asked: AskedQuery = replace(walk.asked, query=any_query)
    fewer = replace(walk.effort, candidates=walk.effort.candidates // 4, moves=walk.effort.moves // 4)
    found = Walk(asked, walk.stretch, fewer).walked().whole
    told = 0
    for candidate in found:
        if told >= MOST or rows_of(walk.asked, candidate.bound) in known:
            continue
        row = None if spoilers.of(candidate) is not None else _unskipped(walk, candidate)
        if row is not None:
            told += 1
            yield Stop(candidate, StopKind.STRATEGY, candidate.state, row)


def _unskipped(walk: Walk, candidate: PartialMatch) -> int | None:
    """The first event between those of a candidate that the strategy does not pass over."""
    placed = sorted((row, variable) for variable, rows in candidate.bound.items() for row in rows)
    run = NONE_YET
    for row, variable in placed:
        if run.state is not None:
            stood_at = _stands_at(walk, run, row)
            if stood_at is not None:
                return stood_at
        rest = [rest for v, rest in walk.asked.remainders[run.rest].openings if v == variable]
        run = run.taking(variable, rest[0], row)
    return None


def _stands_at(walk: Walk, run: PartialMatch, row: int) -> int | None:
    """The event before this row at which a run ends, or takes another way."""
    if walk.asked.strategy is Strategy.STRICT:
        return run.last + 1 if run.last + 1 < row else None
    if walk.asked.strategy is Strategy.PARTITION:
        following = walk.next_of_partition(run)
        return following if following < row else None
    rows = [move.row for move in walk.moves([run], Walked()) if _ends_waiting(walk, run, move.variable)]
    return min((taken for taken in rows if taken < row), default=None)


def _ends_waiting(walk: Walk, run: PartialMatch, variable: str) -> bool:
    """Whether a run that takes an event so is not also left waiting where it was."""
    assert run.state is not None
    return not walk.asked.has_several(run.state) or variable == run.state
