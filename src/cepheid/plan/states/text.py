"""Functions of text over several events: what a kernel, which knows texts by their numbers, can compute.

A function of one text is a table from its number to the value, filled as texts come. So its other arguments
are constants, and no text can be put together from those of several events.
"""

from cepheid import expressions as ex
from cepheid.errors import UnsupportedError
from cepheid.pattern.regexps import group_of

TEXT_FUNCTIONS = ("lower", "upper", "length", "substr", "concat", "regexp_like", "regexp_extract")


def constant_arguments(node: ex.Call) -> tuple[str | int | None, ...]:
    """What a function of text takes besides its text; refuses what is no function of one text."""
    if node.function == "concat":
        raise UnsupportedError(
            "concat() of the texts of several events is not supported in WHERE",
            span=node.span,
            hint="compare its parts one by one, or join texts of one event; RETURN may join any",
        )
    if node.function == "regexp_extract":
        return (*_constants(node, node.arguments[1:2]), group_of(node))
    return _constants(node, node.arguments[1:])


def _constants(node: ex.Call, arguments: tuple[ex.Expression, ...]) -> tuple[str | int | None, ...]:
    found: list[str | int | None] = []
    for argument in arguments:
        if not isinstance(argument, ex.Literal):
            raise UnsupportedError(
                f"{node.function}() of one event by the values of another is not supported in WHERE",
                span=argument.span or node.span,
                hint=f"give {node.function}() numbers that are written in the query, or of the same event",
            )
        assert argument.value is None or isinstance(argument.value, str | int)
        found.append(argument.value)
    return tuple(found)
