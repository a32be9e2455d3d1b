"""From trees to text: `parse(render(query)) == query`, in one canonical form."""

from collections.abc import Callable
from datetime import datetime, time
from typing import Any

from cepheid import expressions as ex
from cepheid.expressions import children
from cepheid.pattern.fold import fold
from cepheid.pattern.query import Aggregation, Emit, PatternQuery, ReturnItem, Strategy
from cepheid.pattern.render_pattern import render_pattern
from cepheid.pattern.words import attribute_text, name_text
from cepheid.time import Duration

__all__ = ["render", "render_expression", "render_pattern"]

# How tightly each form binds, as in the grammar; a part that binds less tightly gets parentheses.
OR, AND, NOT, PREDICATE, SUM, PRODUCT, SIGNED, PRIMARY = range(1, 9)

Text = tuple[str, int]


def render(query: PatternQuery) -> str:
    """The query as text, a clause a line."""
    lines = [
        f"PATTERN {render_pattern(query.pattern, outermost=True)}",
        _where(query),
        f"WITHIN {query.window}" if query.window is not None else "",
        f"RETURN {', '.join(map(_return_item, query.returns))}" if query.returns is not None else "",
        _aggregation(query.aggregation) if query.aggregation is not None else "",
        _emit(query.emit) if query.emit != Emit() else "",
    ]
    return "\n".join(line for line in lines if line)


def render_expression(expression: ex.Expression) -> str:
    """The expression as text; attributes of the one event that it is over by their bare names."""
    return _rendered(expression, "")[0]


# ---------------------------------------------------------------- clauses


def _where(query: PatternQuery) -> str:
    tests = [f"[{', '.join(map(attribute_text, test.attributes))}]" for test in query.equivalences]
    least = OR if len(tests) + len(query.conjuncts) == 1 else NOT
    conjuncts = [_within(_rendered(conjunct, ""), least) for conjunct in query.conjuncts]
    if not tests and not conjuncts and query.strategy is Strategy.ANY:
        return ""
    return f"WHERE {query.strategy.value} {{ {' AND '.join([*tests, *conjuncts])} }}"


def _return_item(item: ReturnItem) -> str:
    if item.whole is not None:
        return name_text(item.whole) + _alias(item.name)
    if item.expression is None:
        return f"{name_text(item.star or '')}.*"
    return render_expression(item.expression) + _alias(item.name)


def _alias(name: str | None) -> str:
    return f" AS {attribute_text(name)}" if name is not None else ""


def _aggregation(aggregation: Aggregation) -> str:
    items = [
        item.function.upper()
        + (f"({render_expression(item.argument)})" if item.argument is not None else "")
        + _alias(item.name)
        for item in aggregation.items
    ]
    groups = ", ".join(map(attribute_text, aggregation.group_by))
    grouped = f"AGG {', '.join(items)}" + (f" GROUP BY {groups}" if groups else "")
    if aggregation.having is None:
        return grouped
    return f"{grouped}\nHAVING {render_expression(aggregation.having)}"


def _emit(emit: Emit) -> str:
    details = [str(detail) for detail in (emit.count, emit.period) if detail is not None]
    return " ".join(["EMIT", emit.mode.value, *details])


# ---------------------------------------------------------------- expressions


def _rendered(root: ex.Expression, element: str) -> Text:
    """The text and how tightly it binds; `element` is what stands before an attribute in an aggregate."""

    def below(node: ex.Expression) -> tuple[ex.Expression, ...]:
        return () if isinstance(node, ex.Aggregate) else tuple(children(node))

    def combine(node: ex.Expression, parts: list[Text]) -> Text:
        if isinstance(node, ex.Element):
            name = _attribute_name(node, ex.Index.ONLY)
            return f"{element}.{name}" if element else name, PRIMARY
        return _FORMS[type(node)](node, parts)

    return fold(root, below, combine)


def _within(part: Text, least: int) -> str:
    text, binding = part
    return text if binding >= least else f"({text})"


def _literal(node: ex.Literal, parts: list[Text]) -> Text:
    value = node.value
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value], PRIMARY
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'", PRIMARY
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'", PRIMARY
    if isinstance(value, time):
        return f"'{value.isoformat()}'", PRIMARY
    text = str(value) if isinstance(value, Duration) else repr(value)
    return text, SIGNED


def _attribute(node: ex.Attribute, parts: list[Text]) -> Text:
    index = node.index.value if isinstance(node.index, ex.Index) else str(node.index)
    place = f"[{index}]" if index else ""
    return f"{name_text(node.variable)}{place}.{_attribute_name(node, node.index)}", PRIMARY


def _attribute_name(node: ex.Attribute | ex.Element, index: ex.Index | int) -> str:
    if node.name == "len" and index is ex.Index.ONLY and not node.path:
        return "`len`"
    return ".".join(map(attribute_text, (node.name, *node.path)))


def _aggregate(node: ex.Aggregate, parts: list[Text]) -> Text:
    source = name_text(node.variable) + ("[..i-1]" if node.scope is ex.Scope.PRIOR else "")
    argument = source if node.argument is None else _rendered(node.argument, source)[0]
    return f"{node.function}({'DISTINCT ' if node.distinct else ''}{argument})", PRIMARY


def _case(node: ex.Case, parts: list[Text]) -> Text:
    count = len(node.conditions)
    texts = [text for text, _ in parts]
    whens = [f"WHEN {c} THEN {r}" for c, r in zip(texts[:count], texts[count:-1], strict=True)]
    otherwise = [] if node.otherwise == ex.Literal(None) else [f"ELSE {texts[-1]}"]
    return " ".join(["CASE", *whens, *otherwise, "END"]), PRIMARY


def _negative(node: ex.Negative, parts: list[Text]) -> Text:
    """`-5` is a literal and `--` a comment, so numbers and negatives get parentheses."""
    return f"-{_within(parts[0], PRIMARY)}", SIGNED


def _arithmetic(node: ex.Arithmetic, parts: list[Text]) -> Text:
    binding = SUM if node.operator in "+-" else PRODUCT
    return f"{_within(parts[0], binding)} {node.operator} {_within(parts[1], binding + 1)}", binding


def _comparison(node: ex.Comparison, parts: list[Text]) -> Text:
    return f"{_within(parts[0], SUM)} {node.operator} {_within(parts[1], SUM)}", PREDICATE


def _in(node: ex.In, parts: list[Text]) -> Text:
    operand, *choices = (_within(part, SUM) for part in parts)
    return f"{operand} {_negation(node.negated)}IN ({', '.join(choices)})", PREDICATE


def _between(node: ex.Between, parts: list[Text]) -> Text:
    operand, low, high = (_within(part, SUM) for part in parts)
    return f"{operand} {_negation(node.negated)}BETWEEN {low} AND {high}", PREDICATE


def _like(node: ex.Like, parts: list[Text]) -> Text:
    pattern = "'" + node.pattern.replace("'", "''") + "'"
    return f"{_within(parts[0], SUM)} {_negation(node.negated)}LIKE {pattern}", PREDICATE


def _negation(negated: bool) -> str:
    return "NOT " if negated else ""


_FORMS: dict[type[ex.Expression], Callable[[Any, list[Text]], Text]] = {
    ex.Literal: _literal,
    ex.Attribute: _attribute,
    ex.Length: lambda node, parts: (f"{name_text(node.variable)}.len", PRIMARY),
    ex.Aggregate: _aggregate,
    ex.Negative: _negative,
    ex.Arithmetic: _arithmetic,
    ex.Comparison: _comparison,
    ex.And: lambda node, parts: (" AND ".join(_within(part, NOT) for part in parts), AND),
    ex.Or: lambda node, parts: (" OR ".join(_within(part, AND) for part in parts), OR),
    ex.Not: lambda node, parts: (f"NOT {_within(parts[0], NOT)}", NOT),
    ex.In: _in,
    ex.Between: _between,
    ex.Like: _like,
    ex.IsNull: lambda node, parts: (f"{_within(parts[0], SUM)} IS {_negation(node.negated)}NULL", PREDICATE),
    ex.Case: _case,
    ex.Call: lambda node, parts: (f"{node.function}({', '.join(text for text, _ in parts)})", PRIMARY),
}
