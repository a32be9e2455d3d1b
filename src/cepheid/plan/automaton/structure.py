"""The shape of an NFA^b: which variable may follow which, which may begin and which may end.

A pattern of SEQ, OR, quantified types and absences is a regular expression over its
variables, each standing once, so its automaton has one position a variable
(Glushkov's construction); a Kleene variable repeats by its own take edge.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cepheid.errors import UnsupportedError
from cepheid.pattern import nodes as pt
from cepheid.plan.automaton.automaton import MAX_EVENTS, Position
from cepheid.time import Window


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a place in the pattern: OR branches and inner windows, by number."""

    branches: tuple[int, ...] = ()
    windows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedAbsence:
    """A negated variable, how many positions stand before it, and what stands around it."""

    atom: pt.Absent
    place: int
    around: Around


@dataclass(slots=True)
class Structure:
    """Positions and how they follow one another; absences and inner windows with their places."""

    positions: list[Position] = field(default_factory=list)
    follow: list[set[int]] = field(default_factory=list)
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    absences: list[PlacedAbsence] = field(default_factory=list)
    windows: list[tuple[Window, range]] = field(default_factory=list)
    branches: list[range] = field(default_factory=list)  # the positions of each OR branch

    def branches_around(self, position: int) -> tuple[tuple[int, ...], ...]:
        """The OR branches that a position stands in."""
        return tuple(tuple(branch) for branch in self.branches if position in branch)


@dataclass(frozen=True, slots=True)
class _Part:
    first: frozenset[int]
    last: frozenset[int]
    nullable: bool


def structure_of(pattern: pt.Pattern, has_types: bool) -> Structure:
    """The structure of a pattern; refuses what no automaton of this kind can do."""
    structure = Structure()
    whole = _build(pattern, structure, Around(), has_types, optional=False)
    structure.first, structure.last = whole.first, whole.last
    return structure


def _build(node: pt.Pattern, into: Structure, around: Around, has_types: bool, optional: bool) -> _Part:
    match node:
        case pt.Seq(parts=parts):
            return _sequence([_build(p, into, around, has_types, optional) for p in parts], into)
        case pt.Choice(parts=parts):
            return _choice(parts, into, around, has_types)
        case pt.Within(part=part, window=window):
            start, number = len(into.positions), len(into.windows)
            into.windows.append((window, range(start, start)))
            inner = replace(around, windows=(*around.windows, number))
            built = _build(part, into, inner, has_types, optional)
            into.windows[number] = (window, range(start, len(into.positions)))
            return built
        case pt.Absent():
            into.absences.append(PlacedAbsence(node, len(into.positions), around))
            return _Part(frozenset(), frozenset(), True)
        case pt.Single() | pt.Optional() | pt.Kleene():
            return _atom(node, into, has_types, optional)
        case _:
            raise UnsupportedError(
                f"{_NAMES.get(type(node), type(node).__name__)} is not supported by any engine yet",
                span=node.span,
            )


def _atom(
    node: pt.Single | pt.Optional | pt.Kleene, into: Structure, has_types: bool, optional: bool
) -> _Part:
    nullable = isinstance(node, pt.Optional) or (isinstance(node, pt.Kleene) and node.least == 0)
    place = len(into.positions)
    into.positions.append(
        Position(
            variable=node.variable,
            type=type_name(node, has_types),
            kleene=isinstance(node, pt.Kleene),
            least=min(max(node.least, 1), MAX_EVENTS) if isinstance(node, pt.Kleene) else 1,
            most=_at_most(node.most) if isinstance(node, pt.Kleene) else 1,
            optional=nullable or optional,
        )
    )
    into.follow.append(set())
    return _Part(frozenset({place}), frozenset({place}), nullable)


def _at_most(count: int | None) -> int | None:
    return None if count is None else min(count, MAX_EVENTS)


def type_name(node: pt.Atom, has_types: bool) -> str | None:
    """The type that an atom's events must have; a bare name without a type column is any event."""
    return None if node.bare and not has_types else node.type


def _sequence(parts: list[_Part], into: Structure) -> _Part:
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    nullable = True
    for part in parts:
        for place in last:
            into.follow[place] |= part.first
        if nullable:
            first |= part.first
        last = last | part.last if part.nullable else part.last
        nullable = nullable and part.nullable
    return _Part(first, last, nullable)


def _choice(parts: tuple[pt.Pattern, ...], into: Structure, around: Around, has_types: bool) -> _Part:
    built = []
    for part in parts:
        start = len(into.positions)
        number = len(into.branches)
        into.branches.append(range(start, start))
        inner = replace(around, branches=(*around.branches, number))
        built.append(_build(part, into, inner, has_types, optional=True))
        into.branches[number] = range(start, len(into.positions))
    return _Part(
        frozenset().union(*(part.first for part in built)),
        frozenset().union(*(part.last for part in built)),
        any(part.nullable for part in built),
    )


_NAMES: dict[type[pt.Pattern], str] = {
    pt.Conjunction: "AND of patterns",
    pt.At: "AT, a time event of profiles,",
    pt.Every: "EVERY, a time event of profiles,",
    pt.Silence: "SILENCE OF, a time event of profiles,",
    pt.Nth: "Type[i] v, of profiles,",
}
