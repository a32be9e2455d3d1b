"""`WHERE 1 = 1 AND …`: what always holds says nothing."""

from dataclasses import replace

from cepheid.expressions import Literal
from cepheid.pattern.query import PatternQuery


def drop_true_conjuncts(query: PatternQuery) -> PatternQuery:
    """No conjunct is the constant TRUE."""
    kept = tuple(
        conjunct
        for conjunct in query.conjuncts
        if not (isinstance(conjunct, Literal) and conjunct.value is True)
    )
    return replace(query, conjuncts=kept)
