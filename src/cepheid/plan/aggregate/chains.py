"""Equalities that hold a match together: `a.id = b.id = c.id` divides a stream as `[id]` does.

Counting needs that conditions look at one event. A chain of equalities of one attribute that leads from
variable to variable does as well, if each absent one is held to a variable of the chain: events with
different values of it can never be in one match, nor be absent from one, so that each value is a stream
of its own. One variable by itself is held to nothing: its events may lack the attribute.
"""

from dataclasses import replace

from cepheid import expressions as ex
from cepheid.expressions import Index
from cepheid.pattern.nodes import Absent, Choice, Kleene, Optional, Pattern, atoms, walk
from cepheid.pattern.query import PatternQuery


def without_chains(query: PatternQuery) -> tuple[PatternQuery, tuple[str, ...]]:
    """The query without the equalities that divide its stream, and the attributes that they are of."""
    absent = {atom.variable for atom in atoms(query.pattern) if isinstance(atom, Absent)}
    present = {atom.variable for atom in atoms(query.pattern)} - absent
    if any(isinstance(node, Choice | Optional) or _may_be_empty(node) for node in walk(query.pattern)):
        return query, ()  # a variable that a match may lack does not lead on to others
    if query.window is not None and query.window.counts_events:
        return query, ()  # which counts the events of the whole stream
    links: dict[str, list[tuple[str, str]]] = {}
    for conjunct in query.conjuncts:
        link = _link(conjunct)
        if link is not None:
            links.setdefault(link[0], []).append(link[1:])
    found = tuple(name for name, pairs in links.items() if _holds_together(present, absent, pairs))
    kept = tuple(c for c in query.conjuncts if (link := _link(c)) is None or link[0] not in found)
    return replace(query, conjuncts=kept), found


def _may_be_empty(node: Pattern) -> bool:
    return isinstance(node, Kleene) and node.least == 0


def _link(conjunct: ex.Expression) -> tuple[str, str, str] | None:
    """The attribute that a conjunct says to be equal, and the two variables."""
    match conjunct:
        case ex.Comparison(
            operator="=",
            left=ex.Attribute(variable=left, index=first, name=name, path=()),
            right=ex.Attribute(variable=right, index=second, name=other, path=()),
        ) if name == other and left != right and {first, second} <= {Index.ONLY, Index.CURRENT}:
            return name, left, right
        case _:
            return None


def _holds_together(present: set[str], absent: set[str], pairs: list[tuple[str, str]]) -> bool:
    held = {v for pair in pairs if set(pair) & present for v in pair if v in absent}
    between = [set(pair) for pair in pairs if set(pair) <= present]
    if held != absent or not between:
        return False
    reached = between[0]
    while more := {v for pair in between if reached & pair for v in pair} - reached:
        reached = reached | more
    return reached == present
