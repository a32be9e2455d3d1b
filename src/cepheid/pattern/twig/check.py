"""Whether a regular tree pattern means something, and which steps it returns."""

from collections.abc import Callable
from dataclasses import replace

from cepheid.errors import QueryCheckError
from cepheid.pattern.twig import nodes as tn

MAX_STEPS = 250


def check_twig(pattern: tn.TwigPattern) -> tn.TwigPattern:
    """The pattern with its returned steps marked; raises `QueryCheckError` for what has no meaning."""
    paths = tn.outer_paths(pattern)
    if isinstance(pattern, tn.TreePath) and not tn.variables_of(pattern):
        _refuse_value(pattern)
    number = 0
    for path in paths:
        for step in tn.steps_of(path):
            number += 1
            _check_step(step)
    if number > MAX_STEPS:
        raise QueryCheckError(f"the pattern has {number:,} steps, and the limit is {MAX_STEPS:,}")
    if isinstance(pattern, tn.Siblings):
        _check_items(pattern)
    return pattern if tn.variables_of(pattern) else _with_result(pattern)


def _refuse_value(path: tn.TreePath) -> None:
    """Where nothing is marked the last step is returned, and that is no attribute."""
    if path.attribute is not None:
        name = path.attribute.name or "*"
        raise QueryCheckError(
            f"the pattern ends with the attribute @{name}, and only elements are returned",
            span=path.attribute.span,
            hint=f"write […@{name}] as a condition: the attributes of a returned element come with it",
        )


def _check_step(step: tn.TreeStep) -> None:
    for condition in step.conditions:
        if isinstance(condition, tn.NthSibling) and condition.number < 1:
            raise QueryCheckError("positions count from 1", span=step.span, hint="the first is [1]")
        if isinstance(condition, tn.Siblings):
            _check_items(condition)


def _check_items(siblings: tn.Siblings) -> None:
    for path in tn.paths_of(siblings.expression):
        if not path.steps:
            raise QueryCheckError(
                "an attribute is no child, so it cannot stand in a sibling expression",
                span=path.span,
                hint="write [@name] after the step, or /*[@name] for a child that has it",
            )


def _with_result(pattern: tn.TwigPattern) -> tn.TwigPattern:
    """Without a mark the last step is returned; of a pattern about the root, the last step of each item."""
    if isinstance(pattern, tn.TreePath):
        return _last_marked(pattern)
    return tn.Siblings(_each_path(pattern.expression, _last_marked))


def _last_marked(path: tn.TreePath) -> tn.TreePath:
    return replace(path, steps=(*path.steps[:-1], replace(path.steps[-1], variable=tn.RESULT)))


def _each_path(
    expression: tn.SiblingExpression, change: Callable[[tn.TreePath], tn.TreePath]
) -> tn.SiblingExpression:
    match expression:
        case tn.Item(path=path):
            return tn.Item(change(path))
        case tn.Repeated(part=part, sign=sign):
            return tn.Repeated(_each_path(part, change), sign)
        case tn.InOrder(parts=parts):
            return tn.InOrder(tuple(_each_path(part, change) for part in parts))
        case tn.EitherOf(parts=parts):
            return tn.EitherOf(tuple(_each_path(part, change) for part in parts))
