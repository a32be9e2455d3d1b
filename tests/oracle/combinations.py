"""Positive matches under skip_till_any_match, by recursion: all combinations of the matches of the parts.

A selection of events is dropped as soon as it breaks something that no further event can mend, so that few
are left to combine. For patterns without AND, tests compare this with the simulation of runs; with AND, with
a definition that looks at whole matches alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from cepheid.pattern.nodes import (
    Absent,
    Choice,
    Conjunction,
    Kleene,
    Optional,
    Pattern,
    Seq,
    Single,
    Within,
    atoms,
)

from .conditions import Conjunct
from .facts import Bounds, Facts
from .stream import Taken, first_event, last_event


def found_by_combining(facts: Facts) -> Iterator[Taken]:
    """Every combination of events that has the pattern's form and satisfies the query."""
    if facts.holds_at_all:
        yield from filter(None, _matches(facts, facts.query.pattern))


def _matches(facts: Facts, node: Pattern) -> list[Taken]:
    """The matches of a part by themselves; one without events, where it may be empty."""
    match node:
        case Absent():
            return [{}]
        case Single(variable=v):
            return _of_one_variable(facts, v, 1, 1)
        case Optional(variable=v):
            return _of_one_variable(facts, v, 0, 1)
        case Kleene(variable=v, least=least, most=most):
            return _of_one_variable(facts, v, least, most)
        case Within(part=part, window=window):
            bounds = Bounds(window, _variables(part))
            return [taken for taken in _matches(facts, part) if facts.fits(bounds, taken)]
        case Choice(parts=parts):
            found = [taken for part in parts for taken in _matches(facts, part)]
            return [taken for place, taken in enumerate(found) if taken or place == found.index({})]
        case Seq(parts=parts) | Conjunction(parts=parts):
            return _of_several_parts(facts, parts, is_ordered=isinstance(node, Seq))
        case _:
            raise NotImplementedError(type(node).__name__)


def _of_one_variable(facts: Facts, variable: str, least: int, most: int | None) -> list[Taken]:
    """Every choice of that many events of the variable's type."""
    fit = [p for p in range(len(facts.stream)) if facts.is_of_type(variable, p)]
    tests = [test for test in facts.of_positive if test.names == {variable}]
    sizes = range(least, (len(fit) if most is None else most) + 1)
    chosen = (some for size in sizes for some in combinations(fit, size))
    taken = ({variable: some} if some else {} for some in chosen)
    return [one for one in taken if _holds_so_far(facts, one, tests)]


def _of_several_parts(facts: Facts, parts: tuple[Pattern, ...], is_ordered: bool) -> list[Taken]:
    """The matches of the parts together: each after those before it, or all in any order."""
    fits = _is_after if is_ordered else _is_distinct
    found: list[Taken] = [{}]
    known: frozenset[str] = frozenset()
    for part in parts:
        own, new = _matches(facts, part), _variables(part)
        tests = [test for test in facts.of_positive if test.names & known and test.names & new]
        known |= new
        joint = [test for test in tests if test.names <= known]
        pairs = ({**left, **right} for left in found for right in own if fits(left, right))
        found = [one for one in pairs if _holds_so_far(facts, one, joint)]
    return found


def _holds_so_far(facts: Facts, taken: Taken, tests: Iterable[Conjunct]) -> bool:
    """Whether the events are of one partition and within the query's window, and satisfy these conjuncts."""
    window = facts.query.window
    return (
        all(facts.is_of_partition(taken, p) for positions in taken.values() for p in positions)
        and (window is None or facts.fits(Bounds(window, frozenset(taken)), taken))
        and all(test.holds(facts.bound(taken)) for test in tests)
    )


def _variables(node: Pattern) -> frozenset[str]:
    return frozenset(atom.variable for atom in atoms(node))


def _is_after(left: Taken, right: Taken) -> bool:
    """Whether the one begins after the other has ended; what has no events stands anywhere."""
    return not left or not right or last_event(left) < first_event(right)


def _is_distinct(left: Taken, right: Taken) -> bool:
    """Whether no event is in both."""
    return {p for some in left.values() for p in some}.isdisjoint(p for some in right.values() for p in some)
