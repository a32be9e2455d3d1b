"""Which constructs a case with AND has, to count how often each of them is tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from cepheid.language.sase.parse import parse
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
from tests.cases.streams import Case

Around = tuple[type[Pattern], ...]  # the operators around a part, the nearest last; windows are none

CONSTRUCTS = (
    "AND at depth 2 or more",
    "a type twice in AND",
    "absence in AND",
    "absence in SEQ in AND",
    "quantifier in AND",
    "OR with AND",
    "a part's own window",
    "keys",
    "ties in time",
)


def constructs(case: Case) -> set[str]:
    """The constructs that a case has."""
    query = parse(case.query_text)
    times = Counter(str(event["time"]) for event in case.events if event["time"] is not None)
    found = {name for node, around in _nested(query.pattern, ()) for name in _of_node(node, around)}
    if query.keys:
        found.add("keys")
    if max(times.values(), default=0) > 1:
        found.add("ties in time")
    return found


def _nested(node: Pattern, around: Around) -> Iterator[tuple[Pattern, Around]]:
    yield node, around
    inside = around if isinstance(node, Within) else (*around, type(node))
    for part in parts(node):
        yield from _nested(part, inside)


def _of_node(node: Pattern, around: Around) -> Iterator[str]:
    match node:
        case Conjunction():
            if around:
                yield "AND at depth 2 or more"
            if Choice in around:
                yield "OR with AND"
            if _has_a_type_twice(node):
                yield "a type twice in AND"
        case Choice() if Conjunction in around:
            yield "OR with AND"
        case Absent() if around and around[-1] is Conjunction:
            yield "absence in AND"
        case Absent() if Conjunction in around and around[-1] is Seq:
            yield "absence in SEQ in AND"
        case Kleene() | Optional() if Conjunction in around:
            yield "quantifier in AND"
        case Within():
            yield "a part's own window"


def _has_a_type_twice(node: Conjunction) -> bool:
    """Whether two parts could take the same event."""
    types = [{a.type for a in atoms(part) if not isinstance(a, Absent)} for part in node.parts]
    return any(one & other for one, other in combinations(types, 2))
