"""Whether a pattern says that something happens, and whether it must."""

from cepheid.pattern.fold import fold_pattern
from cepheid.pattern.nodes import Absent, At, Atom, Choice, Every, Kleene, Optional, Pattern, walk


def has_positive_part(pattern: Pattern) -> bool:
    """Whether some part of it selects events, perhaps optionally."""
    return any(
        isinstance(node, At | Every) or (isinstance(node, Atom) and not isinstance(node, Absent))
        for node in walk(pattern)
    )


def needs_an_event(pattern: Pattern) -> bool:
    """Whether every match of it has an event."""
    return fold_pattern(pattern, _needs_an_event)


def _needs_an_event(node: Pattern, below: list[bool]) -> bool:
    match node:
        case Absent() | Optional():
            return False
        case Kleene(least=least):
            return least > 0
        case Choice():
            return all(below)
        case _:
            return any(below) if below else True
