"""The condensation terms of a node, as the paper writes them: variables with attributes that a node above
compares, and whose variable is below the node itself."""

from collections.abc import Iterator

from cepheid import expressions as ex
from cepheid.plan.tree.condensing import above, asked_at
from cepheid.plan.tree.plan import TreePlan


def terms_of(plan: TreePlan, number: int) -> tuple[str, ...]:
    """The terms of a node, in the order of the variables and then of the names."""
    members = plan.nodes[number].members
    variables = {plan.positions[place].variable: place for place in members}
    named = {
        name: variables[name[0]]
        for node in above(plan, number)
        for condition in asked_at(plan, node)
        for name in _named(condition.source)
        if name[0] in variables
    }
    ordered = sorted(named, key=lambda name: (named[name], name[1]))
    return tuple(dict.fromkeys(f"{variable}.{attribute}" for variable, attribute in ordered))


def _named(expression: ex.Expression) -> Iterator[tuple[str, str]]:
    """Each attribute that an expression names, with its variable."""
    for item in ex.walk(expression):
        if isinstance(item, ex.Attribute):
            yield item.variable, ".".join((item.name, *item.path))
        elif isinstance(item, ex.Length):
            yield item.variable, "len"
        elif isinstance(item, ex.Aggregate) and item.argument is not None:
            for inner in ex.walk(item.argument):
                if isinstance(inner, ex.Element):
                    yield item.variable, ".".join((inner.name, *inner.path))
