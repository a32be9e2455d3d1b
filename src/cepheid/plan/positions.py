"""The positive variables of a pattern, and its inner windows, numbered in the order of the text."""

from dataclasses import dataclass, replace

from cepheid.events import EventSchema
from cepheid.pattern import nodes as pt
from cepheid.plan.program import WindowTest
from cepheid.plan.windows import MOST_EVENTS, window_test


@dataclass(frozen=True, slots=True)
class Position:
    """A positive variable: one state of the NFA^b, or for a Kleene variable the pair v[1], v[i]."""

    variable: str
    type: str | None
    kleene: bool
    least: int  # how many events it needs once it has begun
    most: int | None
    optional: bool  # a match may lack it
    branches: tuple[tuple[int, ...], ...] = ()  # the positions of each OR branch around it, outermost first

    @property
    def is_open_ended(self) -> bool:
        """Whether it may hold any number of events, or wait for another one."""
        return self.kleene and (self.most is None or self.most > 1)


def positions_of(pattern: pt.Pattern, has_types: bool) -> tuple[Position, ...]:
    """The positive variables of a pattern."""
    return tuple(_positions(pattern, 0, has_types, optional=False))


def _positions(node: pt.Pattern, first: int, has_types: bool, optional: bool) -> list[Position]:
    """The positions of a part of the pattern whose first one has the number `first`."""
    if isinstance(node, pt.Single | pt.Optional | pt.Kleene):
        return [_position(node, has_types, optional)]
    found: list[Position] = []
    for part in pt.parts(node):
        start, is_branch = first + len(found), isinstance(node, pt.Choice)
        inside = _positions(part, start, has_types, optional or is_branch)
        branch = tuple(range(start, start + len(inside)))
        found += [replace(p, branches=(branch, *p.branches)) if is_branch else p for p in inside]
    return found


def _position(node: pt.Single | pt.Optional | pt.Kleene, has_types: bool, optional: bool) -> Position:
    if not isinstance(node, pt.Kleene):
        is_optional = optional or isinstance(node, pt.Optional)
        return Position(node.variable, type_name(node, has_types), False, 1, 1, is_optional)
    return Position(
        variable=node.variable,
        type=type_name(node, has_types),
        kleene=True,
        least=min(max(node.least, 1), MOST_EVENTS),
        most=None if node.most is None else min(node.most, MOST_EVENTS),
        optional=optional or node.least == 0,
    )


def type_name(node: pt.Atom, has_types: bool) -> str | None:
    """The type that an atom's events must have; a bare name without a type column is any event."""
    return None if node.bare and not has_types else node.type


def inner_windows(pattern: pt.Pattern, schema: EventSchema) -> tuple[WindowTest, ...]:
    """The windows of sub-patterns, each with the positions inside it; an outer one before those inside it."""
    found: list[WindowTest] = []
    _collect(pattern, 0, schema, found)
    return tuple(found)


def _collect(node: pt.Pattern, first: int, schema: EventSchema, found: list[WindowTest]) -> int:
    """How many positions a part of the pattern has; its windows are added to `found`."""
    if isinstance(node, pt.Single | pt.Optional | pt.Kleene):
        return 1
    number = len(found)
    if isinstance(node, pt.Within):
        found.append(window_test(node.window, schema))
    count = 0
    for part in pt.parts(node):
        count += _collect(part, first + count, schema, found)
    if isinstance(node, pt.Within):
        found[number] = replace(found[number], members=tuple(range(first, first + count)))
    return count
