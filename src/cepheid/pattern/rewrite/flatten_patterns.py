"""`SEQ(SEQ(A a, B b), C c)` is `SEQ(A a, B b, C c)`, and `OR(OR(…), …)` likewise."""

from dataclasses import replace

from cepheid.pattern.fold import fold_pattern, with_parts
from cepheid.pattern.nodes import Absent, Choice, Pattern, Seq
from cepheid.pattern.presence import needs_an_event
from cepheid.pattern.query import PatternQuery


def flatten_patterns(query: PatternQuery) -> PatternQuery:
    """No SEQ directly in a SEQ, no OR directly in an OR, and none of one part."""
    return replace(query, pattern=fold_pattern(query.pattern, _flattened))


def _flattened(node: Pattern, below: list[Pattern]) -> Pattern:
    match node:
        case Seq():
            flat = [part for item in below for part in (item.parts if isinstance(item, Seq) else (item,))]
            lone = len(flat) == 1 and not isinstance(flat[0], Absent)  # in AND, absence means another thing
            return flat[0] if lone else replace(node, parts=tuple(flat))
        case Choice():
            return _flat_choice(node, below)
        case _:
            return with_parts(node, below)


def _flat_choice(node: Choice, below: list[Pattern]) -> Pattern:
    """OR(p) is p, unless p may be empty: the variables of a branch not taken are null, of an empty one []."""
    flat = [part for item in below for part in (item.parts if isinstance(item, Choice) else (item,))]
    if len(flat) == 1 and needs_an_event(flat[0]):
        return flat[0]
    return replace(node, parts=tuple(flat))
