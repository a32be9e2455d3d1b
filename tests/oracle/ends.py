"""How a match may end: the variables after which the pattern asks for no further event."""

from __future__ import annotations

from cepheid.pattern.nodes import Absent, Atom, Choice, Conjunction, Kleene, Optional, Pattern, Seq, Within


def at_the_end(node: Pattern) -> set[str]:
    """The positive variables that may have the last event, and the negated ones with an open right side.

    Parts of an AND come in any order, so each of them may be the last.
    """
    match node:
        case Atom(variable=variable):
            return {variable}
        case Within(part=part):
            return at_the_end(part)
        case Choice(parts=parts) | Conjunction(parts=parts):
            return {v for part in parts for v in at_the_end(part)}
        case Seq(parts=parts):
            last = [p for i, p in enumerate(parts) if all(map(may_be_empty, parts[i + 1 :]))]
            return {v for part in last for v in at_the_end(part)}
        case _:
            raise NotImplementedError(type(node).__name__)


def may_be_empty(node: Pattern) -> bool:
    """Whether a part may have no events."""
    match node:
        case Absent() | Optional():
            return True
        case Kleene(least=least):
            return least == 0
        case Within(part=part):
            return may_be_empty(part)
        case Choice(parts=parts):
            return any(map(may_be_empty, parts))
        case Seq(parts=parts) | Conjunction(parts=parts):
            return all(map(may_be_empty, parts))
        case _:
            return False
