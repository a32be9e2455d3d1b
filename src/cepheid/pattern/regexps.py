"""Regular expressions in queries, in the syntax of RE2, as Arrow's functions know it."""

import re

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError

REGEXPS = ("regexp_like", "regexp_extract")
WHOLE = 0
"""The group that is all of what was found."""

# what has no group in it: an escaped character, a quoted stretch, a class (in which ] may come first, and
# named classes may stand); then what opens a group, by a name, without one, or as one that takes nothing out
_PIECES = re.compile(
    r"""\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|(?P<named>\(\?P?<\w+>)|\(\?|(?P<group>\()""",
    re.DOTALL,
)


def check_regexp(node: ex.Call) -> None:
    """Refuse a regular expression that is not a constant, or is none, or has no such group."""
    pattern = node.arguments[1]
    if not (isinstance(pattern, ex.Literal) and isinstance(pattern.value, str)):
        raise QueryCheckError(
            f"the regular expression of {node.function}() should be written in the query",
            span=pattern.span or node.span,
            hint="write it as a string, or as a parameter $name",
        )
    reason = _fault(pattern.value)
    if reason is not None:
        raise QueryCheckError(
            f"'{pattern.value}' is no regular expression: {reason}",
            span=pattern.span or node.span,
            hint=_hint(reason),
        )
    if node.function == "regexp_extract":
        _check_group(node, pattern.value)


def group_of(node: ex.Call) -> int:
    """Which group regexp_extract() takes out: the first, unless told."""
    group = node.arguments[2] if len(node.arguments) > 2 else ex.Literal(1)
    assert isinstance(group, ex.Literal) and isinstance(group.value, int)
    return group.value


def with_group_names(pattern: str) -> str:
    """The same expression, all of it and each group in it named by its number: g0, g1, …"""
    count = 0

    def named(found: re.Match[str]) -> str:
        nonlocal count
        if found.lastgroup is None:
            return found.group()
        count += 1
        return f"(?P<g{count}>"

    return f"(?P<g{WHOLE}>{_PIECES.sub(named, pattern)})"


def _groups(pattern: str) -> int:
    return sum(found.lastgroup is not None for found in _PIECES.finditer(pattern))


def _fault(pattern: str) -> str | None:
    import pyarrow.compute as pc  # slow to import, and few queries have a pattern of text

    try:
        pc.match_substring_regex(pa.array([""]), pattern)
    except pa.ArrowInvalid as error:
        return str(error).removeprefix("Invalid regular expression: ")
    return None


def _hint(reason: str) -> str | None:
    if reason.startswith("invalid perl operator") or re.search(r"escape sequence: \\[1-9]", reason):
        return "the syntax is RE2's: it has no look-around and no references back to groups"
    return None


def _check_group(node: ex.Call, pattern: str) -> None:
    given = node.arguments[2] if len(node.arguments) > 2 else None
    groups = _groups(pattern)
    if given is not None and not (isinstance(given, ex.Literal) and type(given.value) is int):
        raise QueryCheckError(
            "the group of regexp_extract() should be a number written in the query",
            span=given.span or node.span,
            hint="write 1 for the first group, 0 for all that is found",
        )
    if not 0 <= group_of(node) <= groups:
        counted = {0: "no group", 1: "one group"}.get(groups, f"{groups} groups")
        raise QueryCheckError(
            f"the regular expression has {counted}, and this asks for group {group_of(node)}",
            span=(given or node).span or node.span,
            hint="groups stand in ( ), and group 0 is all that is found",
        )
