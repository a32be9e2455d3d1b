"""Simpler queries with the same meaning: ordered rules, one a file."""

from collections.abc import Callable

from cepheid.pattern.query import PatternQuery
from cepheid.pattern.rewrite.drop_true_conjuncts import drop_true_conjuncts
from cepheid.pattern.rewrite.drop_windows_without_events import drop_windows_without_events
from cepheid.pattern.rewrite.flatten_patterns import flatten_patterns
from cepheid.pattern.rewrite.fold_constants import fold_constants

Rule = Callable[[PatternQuery], PatternQuery]

RULES: tuple[Rule, ...] = (
    drop_windows_without_events,
    flatten_patterns,
    fold_constants,
    drop_true_conjuncts,
)


def rewrite(query: PatternQuery) -> PatternQuery:
    """The query after every rule, in order."""
    for rule in RULES:
        query = rule(query)
    return query
