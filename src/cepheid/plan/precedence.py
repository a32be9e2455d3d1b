"""What a pattern puts before and after each of its variables.

Parts of a SEQ are in order, parts of an AND are not: nothing in the text of an AND says which comes first.
"""

from dataclasses import dataclass, field

from cepheid.pattern import nodes as pt
from cepheid.pattern.presence import needs_an_event
from cepheid.plan.positions import positions_of


@dataclass(slots=True)
class Neighbourhood:
    """The positions that stand before and after a variable, and what is around it, by number."""

    before: frozenset[int] = frozenset()
    after: frozenset[int] = frozenset()
    branches: tuple[frozenset[int], ...] = ()  # the positions of each OR branch around it, outermost first
    windows: tuple[int, ...] = ()  # inner windows, an outer one first
    followed: bool = False  # whether every match has an event after it, wherever its own branch is taken


@dataclass(slots=True)
class _Walk:
    places: dict[str, int]
    found: dict[str, Neighbourhood] = field(default_factory=dict)
    windows: int = 0


def neighbourhoods(pattern: pt.Pattern) -> dict[str, Neighbourhood]:
    """The neighbourhood of each variable, negated ones included, in the order of the text."""
    places = {p.variable: number for number, p in enumerate(positions_of(pattern, has_types=True))}
    walk = _Walk(places)
    _visit(pattern, walk, Neighbourhood())
    return walk.found


def _visit(node: pt.Pattern, walk: _Walk, here: Neighbourhood) -> None:
    if isinstance(node, pt.Atom):
        walk.found[node.variable] = here
        return
    windows = here.windows
    if isinstance(node, pt.Within):
        windows = (*windows, walk.windows)
        walk.windows += 1
    parts = pt.parts(node)
    inside = [frozenset(_positions(part, walk.places)) for part in parts]
    for number, part in enumerate(parts):
        before, after, branches, followed = here.before, here.after, here.branches, here.followed
        if isinstance(node, pt.Seq):
            followed = followed or any(map(needs_an_event, parts[number + 1 :]))
            before = before.union(*inside[:number])
            after = after.union(*inside[number + 1 :])
        elif isinstance(node, pt.Choice):
            branches = (*branches, inside[number])
        _visit(part, walk, Neighbourhood(before, after, branches, windows, followed))


def _positions(part: pt.Pattern, places: dict[str, int]) -> list[int]:
    return [places[atom.variable] for atom in pt.atoms(part) if atom.variable in places]
