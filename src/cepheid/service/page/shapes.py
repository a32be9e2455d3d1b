"""Common situations as sentences with blanks: a query is made from them, and nobody needs its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cepheid.pattern.words import attribute_text, name_text
from cepheid.service.page.seen import LatelySeen

Blanks = Mapping[str, str]

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
COMPARISONS = ("=", "!=", ">", ">=", "<", "<=")


@dataclass(frozen=True, slots=True)
class Situation:
    """A shape: what it says, which blanks it has, and how it becomes a query."""

    title: str
    example: str
    parts: tuple[tuple[str, str], ...]  # a variable, and the words before the blank of its type
    amount: str  # the words before the blank of a time
    length: tuple[str, str]  # what stands there first
    text: Callable[[Blanks], str]
    number: str | None = None  # the words before the blank of a number
    select: str = "all"
    consume: str = "all"


def filled(shape: Situation, given: Mapping[str, str], seen: LatelySeen) -> dict[str, str]:
    """All blanks of a shape: what was given, and else what was seen lately."""
    types = [*seen.type_names, "Something", "SomethingElse"]
    found = {"amount": shape.length[0], "unit": shape.length[1], "key": "", "number": "5"}
    for place, (variable, _) in enumerate(shape.parts):
        found |= {f"{variable}_type": types[min(place, len(types) - 1)]}
        found |= {f"{variable}_attribute": "", f"{variable}_test": "=", f"{variable}_value": ""}
    return {name: given.get(name, value)[:200].strip() for name, value in found.items()}


# -- words of the language -------------------------------------------------------------------------


def literal(text: str) -> str:
    """A number, a truth value, or a text in quotes."""
    if _NUMBER.fullmatch(text) or text.lower() in ("true", "false"):
        return text
    return "'" + text.replace("'", "''") + "'"


def _where(blanks: Blanks, variables: str, element: str = "{}", strategy: str = "") -> str:
    """The clause of all conditions, or nothing."""
    found = [f"[{attribute_text(blanks['key'])}]"] if blanks["key"] else []
    for variable in variables:
        attribute, test = blanks[f"{variable}_attribute"], blanks[f"{variable}_test"]
        if attribute and blanks[f"{variable}_value"]:
            sign = test if test in COMPARISONS else "="
            of = element.format(variable)
            found.append(f"{of}.{attribute_text(attribute)} {sign} {literal(blanks[f'{variable}_value'])}")
    told = " AND ".join(found)
    if strategy:
        return f"\nWHERE   {strategy} {{ {told} }}" if told else f"\nWHERE   {strategy} {{ 1 = 1 }}"
    return f"\nWHERE   {told}" if told else ""


def _type(blanks: Blanks, blank: str) -> str:
    return name_text(blanks[blank] or "Something")


def _length(blanks: Blanks) -> str:
    return f"{blanks['amount'] or '10'} {blanks['unit'] or 'minutes'}"


def _then(blanks: Blanks) -> str:
    parts = f"SEQ({_type(blanks, 'a_type')} a, {_type(blanks, 'b_type')} b)"
    return f"PATTERN {parts}{_where(blanks, 'ab')}\nWITHIN  {_length(blanks)}"


def _without(blanks: Blanks) -> str:
    parts = f"SEQ({_type(blanks, 'a_type')} a, ~{_type(blanks, 'b_type')} b)"
    return f"PATTERN {parts}{_where(blanks, 'ab')}\nWITHIN  {_length(blanks)}"


def _too_many(blanks: Blanks) -> str:
    number = blanks["number"] if blanks["number"].isdecimal() else "5"
    where = _where(blanks, "a", "{}[i]", "skip_till_next_match")
    return f"PATTERN {_type(blanks, 'a_type')}{{{number},{number}}} a[]{where}\nWITHIN  {_length(blanks)}"


def _nothing(blanks: Blanks) -> str:
    return f"PATTERN SILENCE OF {_type(blanks, 'a_type')} a FOR {_length(blanks)}{_where(blanks, 'a')}"


SHAPES = {
    "then": Situation(
        "This, then that",
        "a window breaks, and then somebody is there",
        (("a", "First comes"), ("b", "and then")),
        "at most this much later",
        ("10", "minutes"),
        _then,
        select="b: first",
    ),
    "without": Situation(
        "This without that",
        "a door opens, and is not closed",
        (("a", "There is"), ("b", "but no")),
        "for so long after it",
        ("5", "minutes"),
        _without,
    ),
    "many": Situation(
        "Too many of these",
        "five failed sign-ins",
        (("a", "There are so many of"),),
        "within",
        ("10", "minutes"),
        _too_many,
        number="How many",
        consume="reapply",
    ),
    "nothing": Situation(
        "Nothing for a while",
        "a sensor has stopped reporting",
        (("a", "There is no"),),
        "for so long",
        ("30", "minutes"),
        _nothing,
    ),
}
"""By their names in addresses."""
