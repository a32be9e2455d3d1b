"""The shape of an NFA^b: which variable may follow which, which may begin and which may end.

A pattern of SEQ, OR, quantified types and absences is a regular expression over its
variables, each standing once, so its automaton has one position a variable
(Glushkov's construction); a Kleene variable repeats by its own take edge.
"""

from dataclasses import dataclass, field, replace

from cepheid.errors import UnsupportedError
from cepheid.pattern import nodes as pt
from cepheid.plan.profiles_only import refuse_outside_profiles


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
    """How positions follow one another, and where absences stand among them."""

    follow: list[set[int]] = field(default_factory=list)
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    absences: list[PlacedAbsence] = field(default_factory=list)
    branches: list[range] = field(default_factory=list)  # the positions of each OR branch
    windows: int = 0  # how many inner windows there are


@dataclass(frozen=True, slots=True)
class _Part:
    first: frozenset[int]
    last: frozenset[int]
    nullable: bool


def automaton_refusal(pattern: pt.Pattern) -> UnsupportedError | None:
    """Why a pattern has no automaton of this kind, or None if it has one."""
    of_profiles = refuse_outside_profiles(pattern)
    if of_profiles is not None:
        return of_profiles
    for node in pt.walk(pattern):
        if isinstance(node, pt.Conjunction):
            return UnsupportedError("AND is for the tree engine", span=node.span)
    return None


def has_conjunction(pattern: pt.Pattern) -> bool:
    """Whether there is an AND in a pattern."""
    return any(isinstance(node, pt.Conjunction) for node in pt.walk(pattern))


def structure_of(pattern: pt.Pattern) -> Structure:
    """The structure of a pattern that has an automaton."""
    structure = Structure()
    whole = _build(pattern, structure, Around())
    structure.first, structure.last = whole.first, whole.last
    return structure


def _build(node: pt.Pattern, into: Structure, around: Around) -> _Part:
    match node:
        case pt.Seq(parts=parts):
            return _sequence([_build(part, into, around) for part in parts], into)
        case pt.Choice(parts=parts):
            return _choice(parts, into, around)
        case pt.Conjunction(parts=parts):
            return _conjunction([_build(part, into, around) for part in parts], into)
        case pt.Within(part=part):
            into.windows += 1
            return _build(part, into, replace(around, windows=(*around.windows, into.windows - 1)))
        case pt.Absent():
            into.absences.append(PlacedAbsence(node, len(into.follow), around))
            return _Part(frozenset(), frozenset(), True)
        case _:
            place = frozenset({len(into.follow)})
            into.follow.append(set())
            nullable = isinstance(node, pt.Optional) or (isinstance(node, pt.Kleene) and node.least == 0)
            return _Part(place, place, nullable)


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


def _conjunction(parts: list[_Part], into: Structure) -> _Part:
    """Each part may come first or last. There is no automaton of it: parts may also be interleaved."""
    for number, part in enumerate(parts):
        for place in part.last:
            into.follow[place] |= frozenset().union(*(p.first for k, p in enumerate(parts) if k != number))
    return _Part(
        frozenset().union(*(part.first for part in parts)),
        frozenset().union(*(part.last for part in parts)),
        all(part.nullable for part in parts),
    )


def _choice(parts: tuple[pt.Pattern, ...], into: Structure, around: Around) -> _Part:
    built = []
    for part in parts:
        start, number = len(into.follow), len(into.branches)
        into.branches.append(range(start, start))
        built.append(_build(part, into, replace(around, branches=(*around.branches, number))))
        into.branches[number] = range(start, len(into.follow))
    return _Part(
        frozenset().union(*(part.first for part in built)),
        frozenset().union(*(part.last for part in built)),
        any(part.nullable for part in built),
    )
