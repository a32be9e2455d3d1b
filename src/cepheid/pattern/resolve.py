"""`v.len` is a length only where `v` is a Kleene variable; elsewhere it is an attribute."""

from dataclasses import replace

from cepheid.expressions import Attribute, Expression, Index, Length, walk
from cepheid.pattern.fold import fold_expression, with_children
from cepheid.pattern.nodes import Kleene, atoms
from cepheid.pattern.query import PatternQuery


def resolve(query: PatternQuery) -> PatternQuery:
    """The query with every `v.len` decided by how `v` is declared."""
    single = frozenset(atom.variable for atom in atoms(query.pattern) if not isinstance(atom, Kleene))
    returns = query.returns and tuple(
        replace(item, expression=item.expression and _decided(item.expression, single))
        for item in query.returns
    )
    aggregation = query.aggregation and replace(
        query.aggregation,
        items=tuple(
            replace(item, argument=item.argument and _decided(item.argument, single))
            for item in query.aggregation.items
        ),
    )
    conjuncts = tuple(_decided(conjunct, single) for conjunct in query.conjuncts)
    return replace(query, conjuncts=conjuncts, returns=returns, aggregation=aggregation)


def _decided(expression: Expression, single: frozenset[str]) -> Expression:
    if not any(isinstance(node, Length) and node.variable in single for node in walk(expression)):
        return expression

    def decide(node: Expression, below: list[Expression]) -> Expression:
        if isinstance(node, Length) and node.variable in single:
            return Attribute(node.variable, Index.ONLY, "len", span=node.span)
        return with_children(node, below)

    return fold_expression(expression, decide)
