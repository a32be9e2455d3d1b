"""The PATTERN clause as text, in the form with named operators, which needs no precedence."""

from cepheid.pattern import nodes as pt
from cepheid.pattern.fold import fold_pattern
from cepheid.pattern.words import name_text

_OPERATORS: dict[type[pt.Pattern], str] = {pt.Seq: "SEQ", pt.Conjunction: "AND", pt.Choice: "OR"}


def render_pattern(pattern: pt.Pattern, outermost: bool = False) -> str:
    """The pattern as text; the outermost one keeps its own window apart from the query's."""
    text = fold_pattern(pattern, _form)
    return f"({text})" if outermost and isinstance(pattern, pt.Within) else text


def _form(node: pt.Pattern, parts: list[str]) -> str:
    match node:
        case pt.Within(window=window):
            return f"({parts[0]}) WITHIN {window}"
        case pt.At(time_of_day=text):
            return "AT '" + text.replace("'", "''") + "'"
        case pt.Every(period=period):
            return f"EVERY {period}"
        case pt.Atom():
            return _atom(node)
        case _:
            return f"{_OPERATORS[type(node)]}({', '.join(parts)})"


def _atom(node: pt.Atom) -> str:
    kind = "ANY" if node.type is None else name_text(node.type)
    variable = "" if node.bare else f" {name_text(node.variable)}"
    match node:
        case pt.Kleene():
            return f"{kind}{_repetition(node)}{variable and variable + '[]'}"
        case pt.Optional():
            return f"{kind}?{variable}"
        case pt.Absent():
            return f"~{kind}{variable}"
        case pt.Nth(ordinal=ordinal):
            return f"{kind}[{ordinal}]{variable}"
        case pt.Silence(duration=duration):
            return f"SILENCE OF {kind}{variable} FOR {duration}"
        case _:
            return f"{kind}{variable}"


def _repetition(node: pt.Kleene) -> str:
    if node.most is None:
        return {0: "*", 1: "+"}.get(node.least, f"{{{node.least},}}")
    return f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{node.most}}}"
