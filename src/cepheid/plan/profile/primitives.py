"""Primitives: what one event must satisfy to be a part of a profile, whatever the profile is.

A shape is a primitive without its constants: a type, and tests of columns. Profiles of one template have one
shape for each variable; variables of other templates may have the same. A column is an expression over one
event without constants, so that `hour(a.time) >= 22` tests the column `hour(time)`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.constants import Constant, beside_text, compared, constants_of
from cepheid.pattern.nodes import Atom, atoms
from cepheid.pattern.template import Template
from cepheid.pattern.types import MOMENTS, ValueType, type_of
from cepheid.plan.coerce import coerce
from cepheid.plan.profile.kinds import TIME_EVENT
from cepheid.plan.program import Column
from cepheid.plan.states.predicates import element_of

ANY_TYPE = None


@dataclass(frozen=True, slots=True)
class ComparedWith:
    """`column < constant`; `constant` is its number among those of the shape."""

    column: Column
    operator: str  # = != < <= > >=
    constant: int
    kind: type  # of the constant


@dataclass(frozen=True, slots=True)
class LikePattern:
    """`column LIKE constant`."""

    column: Column
    constant: int


@dataclass(frozen=True, slots=True)
class Holds:
    """A condition without constants, which is a column of truth values itself."""

    column: Column


@dataclass(frozen=True, slots=True)
class JoinedTests:
    """AND, OR or NOT of others, in three-valued logic."""

    word: str  # and or not
    parts: tuple[Test, ...]


Test = ComparedWith | LikePattern | Holds | JoinedTests


@dataclass(frozen=True, slots=True)
class Shape:
    """A primitive without its constants."""

    event_type: str | None  # None: any will do
    tests: tuple[Test, ...]  # all are true
    kinds: tuple[type, ...]  # of the constants


def shape_of(template: Template, variable: str, schema: EventSchema) -> Shape:
    """What a variable's events must satisfy, over a stream that the template was checked against."""
    atom = next(each for each in atoms(template.query.pattern) if each.variable == variable)
    tests: list[Test] = []
    kinds: list[type] = []
    for conjunct in template.conditions(variable):
        values = constants_of(conjunct)
        condition = element_of(coerce(conjunct, schema))
        numbers = _Numbers(len(kinds), values)
        tests.extend(_flat(_test(condition, numbers, schema)) if values else [_whole(condition)])
        kinds.extend(map(type, values))
    return Shape(event_type(atom, schema), tuple(tests), tuple(kinds))


def event_type(atom: Atom, schema: EventSchema) -> str | None:
    """The type that an event must have; None if any will do."""
    if atom.type is not None and atom.type.startswith(TIME_EVENT):
        return atom.type  # also where events have no types
    if schema.type is None:
        return ANY_TYPE
    return atom.variable if atom.bare else atom.type


def reads_moments(template: Template, schema: EventSchema) -> bool:
    """Whether texts among the constants are read as moments, which not every text is."""
    alone = (each for variable in template.variables for each in template.conditions(variable))
    return any(beside_text(each, lambda node: type_of(node, schema) in MOMENTS) for each in alone)


class _Numbers:
    """Numbers constants from left to right, as `constants_of` lists them, with their types in the text."""

    def __init__(self, first: int, values: list[Constant]) -> None:
        self.next, self.types = first, iter(values)

    def take(self) -> tuple[int, type]:
        self.next += 1
        return self.next - 1, type(next(self.types))


def _flat(test: Test) -> tuple[Test, ...]:
    """The conjuncts of a test."""
    if isinstance(test, JoinedTests) and test.word == "and":
        return tuple(each for part in test.parts for each in _flat(part))
    return (test,)


def _test(node: ex.Expression, numbers: _Numbers, schema: EventSchema) -> Test:
    match node:
        case ex.And(operands=operands):
            return JoinedTests("and", tuple([_test(each, numbers, schema) for each in operands]))
        case ex.Or(operands=operands):
            return JoinedTests("or", tuple([_test(each, numbers, schema) for each in operands]))
        case ex.Not(operand=operand):
            return JoinedTests("not", (_test(operand, numbers, schema),))
        case _ if compared(node):
            return _comparison(node, numbers, schema)
        case _:
            return _whole(node)


def _whole(node: ex.Expression) -> Holds:
    return Holds(Column(_plain(node), ValueType.BOOL))


def _comparison(node: ex.Expression, numbers: _Numbers, schema: EventSchema) -> Test:
    found: Test
    match node:
        case ex.Comparison(operator=sign, left=left, right=right):
            if isinstance(left, ex.Literal):
                left, sign = right, _TURNED[sign]
            return ComparedWith(_column(left, schema), sign, *numbers.take())
        case ex.Between(operand=operand):
            column = _column(operand, schema)
            found = JoinedTests(
                "and", tuple([ComparedWith(column, sign, *numbers.take()) for sign in (">=", "<=")])
            )
        case ex.In(operand=operand, choices=choices):
            column = _column(operand, schema)
            found = JoinedTests("or", tuple([ComparedWith(column, "=", *numbers.take()) for _ in choices]))
        case ex.Like(operand=operand):
            found = LikePattern(_column(operand, schema), numbers.take()[0])
        case _:
            raise AssertionError(node)
    return JoinedTests("not", (found,)) if node.negated else found


def _column(node: ex.Expression, schema: EventSchema) -> Column:
    return Column(_plain(node), type_of(node, schema))


def _plain(node: ex.Expression) -> ex.Expression:
    """Expressions that are written alike are one column."""
    return replace(node, span=None)


_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
