"""Texts that a pattern asks for and no event has: a type or a value that is spelled otherwise in the data."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.events import EventSchema, is_text
from cepheid.pattern.literals import nearest
from cepheid.plan.program import EventTest

LISTED = 6  # values that are named where none is near
LOOKED_AT = 2_000  # values among which a near one is looked for, the most frequent first
FIRST_EVENTS = 1 << 16  # whose values are looked at, unless they have none


@dataclass(frozen=True, slots=True)
class AskedValues:
    """A column of text, and the values of which an event must have one."""

    column: str
    values: tuple[str, ...]
    what: str  # the column, in the words of the user


@dataclass(frozen=True, slots=True)
class Unseen:
    """A value that no event has."""

    note: str
    is_near: bool  # to one that events have: that was probably meant
    is_needed: bool  # no event has any of the values that would do


def asked_values(test: EventTest, schema: EventSchema) -> Iterator[AskedValues]:
    """The texts that a test asks for: its type, and equalities with literals."""
    if test.type is not None and schema.type is not None:
        yield AskedValues(schema.type, (test.type,), "type")
    for condition in test.conditions:
        name, values = _equality(condition)
        column = None if name is None else schema.column_of(name)
        if column is not None and values and is_text(schema.type_of(column)):
            yield AskedValues(column, values, f"{column} =")


def _equality(node: ex.Expression) -> tuple[str | None, tuple[str, ...]]:
    """The attribute and the texts of `v.x = 'text'` or `v.x IN ('text', …)`."""
    match node:
        case ex.Comparison(operator="=", left=ex.Element(name=name), right=ex.Literal(value=str(value))):
            return name, (value,)
        case ex.Comparison(operator="=", left=ex.Literal(value=str(value)), right=ex.Element(name=name)):
            return name, (value,)
        case ex.In(operand=ex.Element(name=name), choices=choices, negated=False):
            texts = [choice.value for choice in choices if isinstance(choice, ex.Literal)]
            values = tuple(value for value in texts if isinstance(value, str))
            return name, values if len(values) == len(choices) else ()
        case _:
            return None, ()


def unseen_value(asked: AskedValues, value: str, known: list[str], is_needed: bool) -> Unseen:
    """One that no event has, beside what events have."""
    near = nearest(value, known)
    return Unseen(
        f"no event has {asked.what} '{value}'; {near or _listed(known)}", near is not None, is_needed
    )


@dataclass(slots=True)
class SeenValues:
    """What the columns of some events hold; looked up once for all queries that ask."""

    events: pa.Table
    _seen: dict[tuple[str, str], bool] = field(default_factory=dict)
    _known: dict[str, list[str]] = field(default_factory=dict)

    def unseen(self, asked: AskedValues, *, each: bool) -> Iterator[Unseen]:
        """The values that no event has. Of several one will do; with `each`, misspelled ones are told too."""
        missing = [value for value in asked.values if not self.has(asked.column, value)]
        nowhere = len(missing) == len(asked.values)
        for value in missing if nowhere or each else ():
            found = unseen_value(asked, value, self.values(asked.column), nowhere)
            if found.is_near or nowhere:
                yield found

    def has(self, column: str, value: str) -> bool:
        """Whether some event has this text in a column."""
        if (column, value) not in self._seen:
            chunks = self.events.column(column).chunks
            self._seen[column, value] = any(_is_in(chunk, value) for chunk in chunks)
        return self._seen[column, value]

    def has_any(self, asked: AskedValues) -> bool:
        """Whether some event has one of the values that would do."""
        return any(self.has(asked.column, value) for value in asked.values)

    def values(self, column: str) -> list[str]:
        """The values of a column, the most frequent first."""
        if column not in self._known:
            texts = self.events.column(column)
            self._known[column] = _frequent(texts.slice(0, FIRST_EVENTS)) or _frequent(texts)
        return self._known[column]


def _frequent(texts: pa.ChunkedArray) -> list[str]:
    counted = texts.cast(pa.large_string()).drop_null().value_counts().to_pylist()
    return [item["values"] for item in sorted(counted, key=lambda item: -item["counts"])[:LOOKED_AT]]


def _is_in(values: pa.Array, text: str) -> bool:
    if pa.types.is_dictionary(values.type):
        code = pc.index(values.dictionary, pa.scalar(text, values.type.value_type)).as_py()
        return bool(code >= 0 and pc.index(values.indices, pa.scalar(code, values.indices.type)).as_py() >= 0)
    return bool(pc.index(values, pa.scalar(text, values.type)).as_py() >= 0)


def _listed(values: list[str]) -> str:
    if not values:
        return "it is null in every event"
    shown = ", ".join(
        repr(value) if len(value) <= 40 else repr(value[:39] + "…") for value in values[:LISTED]
    )
    return f"there are {shown}{', …' if len(values) > LISTED else ''}"
