"""Whether an answer to "why not?" is true, by the oracle: it is asked about every near miss that is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

import cepheid
from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import Conjunction, Kleene, walk
from cepheid.pattern.query import Emit, EmitMode, PatternQuery, Strategy
from cepheid.pattern.remaining import Remainders
from cepheid.pattern.render import render_expression
from cepheid.plan.header import temporal_unit
from cepheid.runners.embedded.why.asked import asked_query
from cepheid.runners.embedded.why.candidate import Effort
from cepheid.runners.embedded.why.found import rows_of
from cepheid.runners.embedded.why.stretch import EventStretch
from cepheid.runners.embedded.why.walk import Walk
from cepheid.runners.stream.binding import bound_events
from cepheid.runners.stream.order import has_time, in_order
from cepheid.why import FailedCondition, NearMiss, Why
from tests.cases import Case
from tests.oracle.absence import spoilers
from tests.oracle.conditions import conjunct
from tests.oracle.emit import emitted
from tests.oracle.evaluate import Match, value
from tests.oracle.facts import Facts
from tests.oracle.matches import found
from tests.oracle.positive import positive_matches
from tests.oracle.runs import Run, Runs
from tests.oracle.stream import Stream

Taken = dict[str, tuple[int, ...]]


def check_why(case: Case) -> Why:
    """Fail unless all that is said about a case is true; the answer."""
    answer = cepheid.query(case.query_text).why(case.table, **case.binding)
    judge = WhyJudge(case)
    assert answer.matches == len(judge.matches), "the engine and the oracle count other matches"
    assert answer.told == len(judge.told)
    for miss in answer.near:
        judge.check(miss)
    judge.check_search()
    if not judge.matches and judge.has_beginning:
        assert answer.near, "nothing is said about events that could have begun a match"
    return answer


class WhyJudge:
    """What the oracle knows of one case."""

    def __init__(self, case: Case) -> None:
        self.case, written = case, parse(case.query_text)
        self.query: PatternQuery = replace(written, aggregation=None, emit=Emit(), returns=None)
        self.facts = self._facts(self.query)
        self.matches = [dict(taken) for taken in found(self.facts)]
        is_chosen = written.emit.mode is EmitMode.NON_OVERLAPPING
        own = self._facts(replace(written, aggregation=None, returns=None)) if is_chosen else self.facts
        self.told = [dict(taken) for taken in (emitted(own, found(own)) if is_chosen else self.matches)]
        self.has_and = any(isinstance(node, Conjunction) for node in walk(self.query.pattern))

    def _facts(self, query: PatternQuery) -> Facts:
        binding = {"type": None, "order": (), "time_unit": None} | dict(self.case.binding)
        return Facts(query, Stream(self.case.events, query.keys, **binding))

    @property
    def has_beginning(self) -> bool:
        """Whether some event has the type of a variable that a match may begin with."""
        if not self.facts.holds_at_all:
            return False
        firsts = {variable for variable, _ in Remainders(self.query.pattern)[0].openings}
        return any(
            self.facts.is_of_type(v, position) for v in firsts for position in range(len(self.facts.stream))
        )

    def check_search(self) -> None:
        """Fail unless the search, where it leaves out nothing, finds what the runs of the oracle find."""
        binding = {"type": None, "order": (), "time_unit": None} | dict(self.case.binding)
        schema, _ = bound_events(self.case.table, **binding)
        keys = {schema.column_of(key) or key: key for key in self.query.keys}
        asked = asked_query(self.query, schema, self.query.conjuncts, keys)
        table = self.case.table
        ordered = in_order(table.filter(pa.array(has_time(table.column(schema.time)))), schema)
        stretch = EventStretch(ordered, schema, temporal_unit(self.query, schema), tuple(keys))
        walked = Walk(asked, stretch, Effort()).walked()
        if self.facts.holds_at_all and not walked.left_out and not walked.untried:
            positive = {rows_of(asked, taken) for taken in positive_matches(self.facts)}
            assert {rows_of(asked, candidate.bound) for candidate in walked.whole} == positive

    # -- near misses -------------------------------------------------------------------------------

    def check(self, miss: NearMiss) -> None:
        """Fail unless a near miss is one."""
        taken = self._taken(miss)
        if miss.kind == "not told":
            assert taken in self.matches and taken not in self.told
            return
        assert taken not in self.matches, "it is a match"
        if miss.kind == "absence":
            assert miss.event is not None and miss.event.row in set(spoilers(self.facts, taken))
        elif miss.kind == "strategy":
            self._check_strategy(miss, taken)
        elif miss.kind == "nothing":
            self._check_reached(self.facts, taken)
            self._check_nothing(miss, taken)
        else:
            self._check_failed(miss, taken)

    def _taken(self, miss: NearMiss) -> Taken:
        found: Taken = {}
        for event in miss.events:
            assert event.variable is not None
            found[event.variable] = (*found.get(event.variable, ()), event.row)
        return found

    def _check_strategy(self, miss: NearMiss, taken: Taken) -> None:
        if miss.came < miss.parts:
            self._check_reached(self.facts, taken)
            assert miss.event is not None and miss.waits_for is not None
            variable = self._variable(miss.waits_for)
            assert not self.facts.is_of_type(variable, miss.event.row)
            return
        anyhow = self._facts(replace(self.query, strategy=Strategy.ANY))
        assert taken in [dict(each) for each in positive_matches(anyhow)]
        assert taken not in [dict(each) for each in positive_matches(self.facts)]

    def _check_nothing(self, miss: NearMiss, taken: Taken) -> None:
        last = max((row for rows in taken.values() for row in rows), default=-1)
        assert miss.waits_for is not None
        variable, keys = self._variable(miss.waits_for), self.facts.stream.keys
        after = range(last + 1, len(self.facts.stream))
        contiguous = self.query.strategy in (Strategy.STRICT, Strategy.PARTITION)
        own = keys[next(iter(taken.values()))[0]] if taken else None
        if contiguous and taken:
            assert not [p for p in after if self.query.strategy is Strategy.STRICT or keys[p] == own]
        else:
            assert not [p for p in after if self.facts.is_of_type(variable, p)]

    def _variable(self, label: str) -> str:
        return label.split()[-1]

    # -- conditions --------------------------------------------------------------------------------

    def _check_failed(self, miss: NearMiss, taken: Taken) -> None:
        """Each thing that is said to have failed did, and without these the event is taken."""
        self._check_reached(self.facts, taken)
        assert miss.event is not None and miss.waits_for is not None and miss.failed
        variable, row = self._variable(miss.waits_for), miss.event.row
        is_whole = any(row in rows for rows in taken.values())
        after = taken if is_whole else {**taken, variable: (*taken.get(variable, ()), row)}
        for failed in miss.failed:
            self._check_one(failed, after, variable, row, None if is_whole else variable)
        easier = self._without(miss.failed)
        if is_whole:
            assert self._fits(easier, taken), "without the conditions it is still no match"
        else:
            self._check_reached(easier, after)

    def _check_one(
        self, failed: FailedCondition, after: Taken, variable: str, row: int, taking: str | None
    ) -> None:
        stream = self.facts.stream
        if failed.kind == "key":
            name = failed.text.strip("[]")
            place = self.query.keys.index(name)
            ours, theirs = (stream.keys[position] for position in (_first(after), row))
            assert theirs is None or ours is None or ours[place] != theirs[place]
            assert failed.is_null == (stream.events[row].get(name) is None)
        elif failed.kind == "window":
            bounds = [b for b in self.facts.bounds[variable] if f"WITHIN {b.window}" == failed.text]
            assert bounds and not all(self.facts.fits(each, after) for each in bounds)
        else:
            (test,) = {c.expression: c for c in self._tests(self.facts) if _text(c) == failed.text}.values()
            bound = self.facts.bound(after)
            assert not test.holds(bound, taking=taking)
            if isinstance(failed.left, int) and not test.steps:
                assert failed.left == value(test.expression.left, Match(bound, {}))

    @staticmethod
    def _tests(facts: Facts) -> list[Any]:
        return [conjunct(expression) for expression in facts.query.conjuncts]

    def _without(self, failed: tuple[FailedCondition, ...]) -> Facts:
        """The same query without what failed."""
        texts = {each.text for each in failed if each.kind == "condition"}
        keys = {each.text.strip("[]") for each in failed if each.kind == "key"}
        easier = replace(
            self.query,
            conjuncts=tuple(c for c in self.query.conjuncts if render_expression(c) not in texts),
            equivalences=tuple(
                replace(test, attributes=tuple(a for a in test.attributes if a not in keys))
                for test in self.query.equivalences
            ),
        )
        facts = self._facts(easier)
        windows = {each.text for each in failed if each.kind == "window"}
        for variable, bounds in facts.bounds.items():
            kept = [b for b in bounds if f"WITHIN {b.window}" not in windows]
            facts.bounds[variable] = [b for b in kept if not (keys and b.window.counts_events)]
        return facts  # a window of events counts those of a key, so without the key it means something else

    # -- how far it came ---------------------------------------------------------------------------

    def _check_reached(self, facts: Facts, taken: Taken) -> None:
        """A run of the query does come so far."""
        placed = sorted((row, v) for v, rows in taken.items() for row in rows)
        if not placed:
            return
        if self.has_and:
            assert self._fits(facts, taken)
            return
        runs = Runs(facts)
        states, run = list(runs.first), Run("", {})
        for row, variable in placed:
            assert variable in states, f"{variable} is not what comes next"
            moves = {move.state: move for move in runs.consumed(run.taken, states, row)}
            assert variable in moves, f"{variable} does not take event {row}"
            run = moves[variable]
            states = runs.open_states(run)

    def _fits(self, facts: Facts, taken: Taken) -> bool:
        rows = [row for some in taken.values() for row in some]
        return (
            all(facts.is_of_type(v, row) for v, some in taken.items() for row in some)
            and all(facts.is_of_partition(taken, row) for row in rows)
            and all(facts.fits(each, taken) for v in taken for each in facts.bounds[v])
            and all(self._holds(facts, test, taken) for test in facts.of_positive)
        )

    def _holds(self, facts: Facts, test: Any, taken: Mapping[str, tuple[int, ...]]) -> bool:
        """A condition over the whole of a variable that may take more is not judged yet."""
        several = {v for v, atom in facts.atoms.items() if isinstance(atom, Kleene)}
        if self.has_and and test.names & several:
            return True
        return bool(test.holds(facts.bound(taken)))


def _first(taken: Taken) -> int:
    return min(rows[0] for rows in taken.values())


def _text(test: Any) -> str:
    return render_expression(test.expression)
