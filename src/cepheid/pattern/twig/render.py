"""A regular tree pattern as text: every axis is written, and no blanks but around a comparison."""

from decimal import Decimal

from cepheid.pattern.twig import nodes as tn

_TIGHT, _ORDER, _LOOSE = 2, 1, 0  # what binds most: repetitions, then `:`, then `|`


def render_twig(pattern: tn.TwigPattern) -> str:
    """The text of a pattern; parsing it gives the pattern again."""
    if isinstance(pattern, tn.Siblings):
        return f"({_expression(pattern.expression, _LOOSE)})"
    return render_path(pattern)


def render_path(path: tn.TreePath) -> str:
    """The text of a path."""
    text = "".join(map(render_step, path.steps))
    if path.attribute is not None:
        text += f"{path.attribute.axis.value}@{path.attribute.name or '*'}"
    if path.compared is not None:
        text += f" {path.compared.operator} {_constant(path.compared.constant)}"
    return text


def render_step(step: tn.TreeStep) -> str:
    """The text of a step with its conditions."""
    mark = "" if step.variable is None else f"->{step.variable}"
    return f"{step.axis.value}{step.tag or '*'}{mark}" + "".join(map(render_condition, step.conditions))


def render_condition(condition: tn.TreeCondition) -> str:
    """The text of a condition, with its brackets."""
    match condition:
        case tn.Exists(path=path):
            return f"[{render_path(path)}]"
        case tn.NthSibling(number=number):
            return f"[{number}]"
        case tn.LastSibling():
            return "[last()]"
        case tn.Siblings(expression=expression):
            return f"({_expression(expression, _LOOSE)})"


def _expression(node: tn.SiblingExpression, around: int) -> str:
    match node:
        case tn.Item(path=path):
            return render_path(path)
        case tn.Repeated(part=part, sign=sign):
            inner = _expression(part, _TIGHT)
            return f"({inner}){sign}" if isinstance(part, tn.Repeated) or _is_compared(part) else inner + sign
        case tn.InOrder(parts=parts):
            text, own = ":".join(_expression(part, _TIGHT) for part in parts), _ORDER
        case tn.EitherOf(parts=parts):
            text, own = "|".join(_expression(part, _ORDER) for part in parts), _LOOSE
    return f"({text})" if own < around else text


def _is_compared(part: tn.SiblingExpression) -> bool:
    return isinstance(part, tn.Item) and part.path.compared is not None


def _constant(value: str | float) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return f"{Decimal(str(value)).normalize():f}"
