"""The judge of AND is judged: by a second definition, which looks at whole matches alone; and its cases."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, product

import pytest

from cepheid.events import bind
from cepheid.language.sase.parse import parse
from cepheid.pattern.check import check, check_against
from cepheid.pattern.nodes import (
    Absent,
    Choice,
    Conjunction,
    Kleene,
    Optional,
    Pattern,
    Seq,
    Within,
    atoms,
    parts,
)
from cepheid.pattern.query import Emit, EmitMode, PatternQuery
from cepheid.time import Window
from tests.cases import Case, random_and_aggregate_case, random_and_case
from tests.cases.constructs import CONSTRUCTS, constructs
from tests.oracle import aggregates, matches
from tests.oracle.conditions import conjunct
from tests.oracle.stream import Stream

Positions = dict[str, tuple[int, ...]]
MOST_LABELLINGS = 800


@dataclass(frozen=True)
class Whole:
    """One selection of events, and what is asked of a match."""

    query: PatternQuery
    stream: Stream
    taken: Positions

    def is_match(self) -> bool:
        positions = self.events(self.query.pattern)
        negated = {a.variable for a in atoms(self.query.pattern) if isinstance(a, Absent)}
        bound = {v: tuple(self.stream.events[p] for p in some) for v, some in self.taken.items()}
        tests = [conjunct(item) for item in self.query.conjuncts]
        return (
            len({self.stream.keys[p] for p in positions} - {None}) == 1
            and None not in {self.stream.keys[p] for p in positions}
            and self.has_form(self.query.pattern)
            and (self.query.window is None or self.fits(self.query.window, self.query.pattern))
            and all(test.holds(bound) for test in tests if not test.names & negated)
            and next(self.spoilers(self.query.pattern, [], [], self.windows()), None) is None
        )

    def events(self, node: Pattern) -> list[int]:
        return [p for atom in atoms(node) for p in self.taken.get(atom.variable, ())]

    def windows(self) -> list[tuple[Window, Pattern]]:
        return [] if self.query.window is None else [(self.query.window, self.query.pattern)]

    def fits(self, window: Window, node: Pattern) -> bool:
        inside = self.events(node)
        return not inside or self.stream.spans(window, min(inside), max(inside))

    def has_form(self, node: Pattern) -> bool:
        """Whether the events of a part are so many, and so ordered, as the part says."""
        size = len(self.events(node))
        match node:
            case Absent():
                return size == 0
            case Optional():
                return size <= 1
            case Kleene(least=least, most=most):
                return least <= size <= (math.inf if most is None else most)
            case Within(part=part, window=window):
                return self.has_form(part) and self.fits(window, part)
            case Choice(parts=branches):
                return any(self.has_form(one) and len(self.events(one)) == size for one in branches)
            case Seq(parts=inner):
                spans = [some for some in map(self.events, inner) if some]
                return all(map(self.has_form, inner)) and all(max(a) < min(b) for a, b in pairwise(spans))
            case Conjunction(parts=inner):
                return all(map(self.has_form, inner))
            case _:
                return size == 1

    def spoilers(
        self, node: Pattern, before: list[int], after: list[int], windows: list[tuple[Window, Pattern]]
    ) -> Iterator[int]:
        """What should be absent in a part and is there, given what SEQ puts before and after the part."""
        if isinstance(node, Absent):
            yield from self.present(node, before, after, windows)
        inner = parts(node)
        for place, part in enumerate(inner):
            left, right, around = before, after, windows
            if isinstance(node, Seq):
                left = before + [p for one in inner[:place] for p in self.events(one)]
                right = after + [p for one in inner[place + 1 :] for p in self.events(one)]
            elif isinstance(node, Within):
                around = [*windows, (node.window, part)]
            elif isinstance(node, Choice) and not self.events(part):
                continue
            yield from self.spoilers(part, left, right, around)

    def present(
        self, node: Absent, before: list[int], after: list[int], windows: list[tuple[Window, Pattern]]
    ) -> Iterator[int]:
        stream, own = self.stream, self.events(self.query.pattern)
        bound = {v: tuple(stream.events[p] for p in some) for v, some in self.taken.items()}
        tests = [test for test in map(conjunct, self.query.conjuncts) if node.variable in test.names]
        spans = [(window, inside) for window, part in windows if (inside := self.events(part))]
        for p in set(range(len(stream))) - set(own):
            early = max(before) < p if before else all(stream.spans(w, p, max(some)) for w, some in spans)
            late = p < min(after) if after else all(stream.spans(w, min(some), p) for w, some in spans)
            holds = all(test.holds({**bound, node.variable: (stream.events[p],)}) for test in tests)
            if early and late and holds and stream.keys[p] == stream.keys[own[0]] and _is_of(node, stream, p):
                yield p


def _is_of(atom: object, stream: Stream, position: int) -> bool:
    kind = getattr(atom, "type", None)
    return kind is None or kind == stream.types[position]


def _labellings(query: PatternQuery, stream: Stream) -> Iterator[Positions] | None:
    """Every way to give each event to a variable of its type, or to none; None if there are too many."""
    positive = [atom for atom in atoms(query.pattern) if not isinstance(atom, Absent)]
    choices = [["", *(a.variable for a in positive if _is_of(a, stream, p))] for p in range(len(stream))]
    if math.prod(map(len, choices)) > MOST_LABELLINGS:
        return None
    labels = filter(any, product(*choices))
    return ({v: _places(label, v) for v in set(label) - {""}} for label in labels)


def _places(label: tuple[str, ...], variable: str) -> tuple[int, ...]:
    return tuple(p for p, named in enumerate(label) if named == variable)


@pytest.mark.slow
def test_a_match_is_any_labelling_that_satisfies_everything() -> None:
    compared = found = 0
    counts: Counter[str] = Counter()
    for seed in range(900):
        case = random_and_case(random.Random(f"labels-{seed}"))
        query = replace(parse(case.query_text), emit=Emit())
        options = {"type": None, "order": (), "time_unit": None, **case.binding}
        stream = Stream(case.events, query.keys, **options)
        every = _labellings(query, stream)
        if every is None:
            continue
        expected = [taken for taken in every if Whole(query, stream, taken).is_match()]
        got = [match.bindings for match in matches(query, case.events, **case.binding)]
        assert Counter(map(_events, got)) == Counter(
            frozenset((v, stream.index[p]) for v, some in taken.items() for p in some) for taken in expected
        ), case
        compared, found = compared + 1, found + bool(got)
        counts.update(constructs(case))
    assert compared > 180
    assert found > 50
    assert all(counts[name] > 10 for name in CONSTRUCTS), counts


def _events(bindings: object) -> frozenset[tuple[str, int]]:
    assert isinstance(bindings, dict)
    tuples = {v: bound if isinstance(bound, tuple) else (bound,) for v, bound in bindings.items()}
    return frozenset((v, i) for v, bound in tuples.items() for i in bound or () if i is not None)


# -- random cases ----------------------------------------------------------------------------------

Draw = Callable[[random.Random], Case]


@pytest.mark.parametrize("draw", [random_and_case, random_and_aggregate_case], ids=["matches", "aggregates"])
def test_random_cases_with_and_are_not_trivial(draw: Draw) -> None:
    """Half of them have a match, each construct is in at least 8 in 100, and every EMIT occurs."""
    cases = [draw(random.Random(f"trivial-{seed}")) for seed in range(500)]
    queries = [parse(case.query_text) for case in cases]
    counts = Counter(name for case in cases for name in constructs(case))
    assert all(counts[name] >= 0.08 * len(cases) for name in CONSTRUCTS), counts
    assert sum(map(_has_a_match, queries, cases)) > 0.5 * len(cases)
    of_aggregates = {EmitMode.ALL, EmitMode.ON_CLOSE, EmitMode.ON_RISE, EmitMode.EVERY}
    of_matches = set(EmitMode) - of_aggregates | {EmitMode.ALL}
    is_aggregate = draw is random_and_aggregate_case
    assert {query.emit.mode for query in queries} == (of_aggregates if is_aggregate else of_matches)


def _has_a_match(query: PatternQuery, case: Case) -> bool:
    if query.aggregation is None:
        return bool(matches(query, case.events, **case.binding))
    assert aggregates(query, case.events, **case.binding) is not None
    return bool(matches(replace(query, aggregation=None, emit=Emit()), case.events, **case.binding))


@pytest.mark.parametrize("draw", [random_and_case, random_and_aggregate_case], ids=["matches", "aggregates"])
def test_random_cases_with_and_fit_their_streams(draw: Draw) -> None:
    for seed in range(300):
        case = draw(random.Random(f"valid-{seed}"))
        query = parse(case.query_text)
        check(query)
        check_against(query, bind(case.table.schema, **case.binding))
        assert any(isinstance(node, Conjunction) for node in _nodes(query.pattern))
        assert all(a <= b for a, b in pairwise(case.cuts))


def _nodes(node: Pattern) -> Iterator[Pattern]:
    yield node
    for part in parts(node):
        yield from _nodes(part)
