"""`(~A a) WITHIN 5 min` is `~A a`: a window around absences alone has no event to be measured from."""

from dataclasses import replace

from cepheid.pattern.fold import fold_pattern, with_parts
from cepheid.pattern.nodes import Pattern, Within
from cepheid.pattern.presence import has_positive_part
from cepheid.pattern.query import PatternQuery


def drop_windows_without_events(query: PatternQuery) -> PatternQuery:
    """No WITHIN around parts that select no event."""
    return replace(query, pattern=fold_pattern(query.pattern, _measured))


def _measured(node: Pattern, below: list[Pattern]) -> Pattern:
    if isinstance(node, Within) and not has_positive_part(node):
        return below[0]
    return with_parts(node, below)
