"""The PATTERN clause as text, in the form with named operators, which needs no precedence."""

from __future__ import annotations

from cepheid.pattern.fold import fold_pattern
from cepheid.pattern.nodes import (
    Absent,
    At,
    Atom,
    Choice,
    Conjunction,
    Every,
    Kleene,
    Nth,
    Optional,
    Pattern,
    Seq,
    Silence,
    Within,
)
from cepheid.pattern.words import name_text

_OPERATORS: dict[type[Pattern], str] = {Seq: "SEQ", Conjunction: "AND", Choice: "OR"}


def render_pattern(pattern: Pattern, outermost: bool = False) -> str:
    """The pattern as text; the outermost one keeps its own window apart from the query's."""
    text = fold_pattern(pattern, _form)
    return f"({text})" if outermost and isinstance(pattern, Within) else text


def _form(node: Pattern, parts: list[str]) -> str:
    match node:
        case Within(window=window):
            return f"({parts[0]}) WITHIN {window}"
        case At(time_of_day=text):
            return "AT '" + text.replace("'", "''") + "'"
        case Every(period=period):
            return f"EVERY {period}"
        case Atom():
            return _atom(node)
        case _:
            return f"{_OPERATORS[type(node)]}({', '.join(parts)})"


def _atom(node: Atom) -> str:
    kind = "ANY" if node.type is None else name_text(node.type)
    variable = "" if node.bare else f" {name_text(node.variable)}"
    match node:
        case Kleene():
            return f"{kind}{_repetition(node)}{variable and variable + '[]'}"
        case Optional():
            return f"{kind}?{variable}"
        case Absent():
            return f"~{kind}{variable}"
        case Nth(ordinal=ordinal):
            return f"{kind}[{ordinal}]{variable}"
        case Silence(duration=duration):
            return f"SILENCE OF {kind}{variable} FOR {duration}"
        case _:
            return f"{kind}{variable}"


def _repetition(node: Kleene) -> str:
    if node.most is None:
        return {0: "*", 1: "+"}.get(node.least, f"{{{node.least},}}")
    return f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{node.most}}}"
