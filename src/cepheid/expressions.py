"""Expressions over the events of a match, as frozen trees.

Every node may carry the `Span` of the text it came from; spans do not take part in
equality, so a pattern printed and parsed again equals itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime, time
from enum import Enum

from cepheid.errors import Span
from cepheid.time import Duration


class Index(Enum):
    """Which event of a variable is meant; a plain number n > 1 is the n-th, `a[2]`."""

    ONLY = ""  # v.x        the event of a single or optional variable
    FIRST = "1"  # a[1].x
    CURRENT = "i"  # a[i].x     the one being taken
    PREVIOUS = "i-1"  # a[i-1].x
    LAST = "last"  # a[last].x, a[a.len].x


class Scope(Enum):
    """Which events of a Kleene variable an aggregate is over."""

    PRIOR = "..i-1"  # avg(a[..i-1].x): all before the one being taken
    WHOLE = ""  # avg(a.x)


@dataclass(frozen=True, slots=True)
class Expression:
    """Any expression."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A constant. A percentage is a float, a timestamp a datetime, aware or naive, a time of day a time."""

    value: bool | int | float | str | datetime | time | Duration | None


@dataclass(frozen=True, slots=True)
class Attribute(Expression):
    """`v.price`, `a[1].price`, `a[i].price`, `a[i-1].price`, `a[last].price`, `a[2].price`; in
    `v.address.city` the path is `("city",)`."""

    variable: str
    index: Index | int
    name: str
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Element(Expression):
    """`price` of the events that the enclosing aggregate or collect runs over."""

    name: str
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Length(Expression):
    """`a.len`: how many events the Kleene variable holds."""

    variable: str


@dataclass(frozen=True, slots=True)
class Aggregate(Expression):
    """`avg(a[..i-1].price)`, `sum(a.price * a.volume)`; `argument` is over `Element`s, None in `count(a)`."""

    function: str  # count sum avg min max first last collect
    variable: str
    scope: Scope
    argument: Expression | None
    distinct: bool = False  # count(DISTINCT a.user)


@dataclass(frozen=True, slots=True)
class Negative(Expression):
    """`-x`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Arithmetic(Expression):
    """`x + y`, with `+ - * / %`; `/` is real division, `%` takes the sign of the dividend."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Comparison(Expression):
    """`x < y`, with `= != < <= > >=`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class And(Expression):
    """All operands, in SQL's three-valued logic; at least two."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or(Expression):
    """Any operand, in SQL's three-valued logic; at least two."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """`NOT x`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class In(Expression):
    """`x [NOT] IN (1, 2, 3)`."""

    operand: Expression
    choices: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Between(Expression):
    """`x [NOT] BETWEEN low AND high`, both ends included."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like(Expression):
    """`x [NOT] LIKE 'a%_b'`: `%` any run, `_` any one character, backslash escapes."""

    operand: Expression
    pattern: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    """`x IS [NOT] NULL`."""

    operand: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`abs(x)`, `lower(s)`, `hour(t)`, `first_time()` and the like; names are lower case."""

    function: str
    arguments: tuple[Expression, ...]
    zone: str | None = None  # in which a time is taken apart, once a plan knows it; None: nothing is shifted


@dataclass(frozen=True, slots=True)
class Case(Expression):
    """`CASE WHEN c THEN x … ELSE y END`: the result of the first condition that is true, else `otherwise`."""

    conditions: tuple[Expression, ...]
    results: tuple[Expression, ...]  # one a condition
    otherwise: Expression = Literal(None)


_SLOTS: dict[type[Expression], tuple[str, ...]] = {}
"""The names of the fields of a kind of node. To ask for them at each node would take most of a walk."""


def children(node: Expression) -> Iterator[Expression]:
    """The direct sub-expressions, left to right."""
    kind = type(node)
    if kind not in _SLOTS:
        _SLOTS[kind] = tuple(slot.name for slot in fields(node))
    for name in _SLOTS[kind]:
        value = getattr(node, name)
        if isinstance(value, Expression):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Expression))


def walk(node: Expression) -> Iterator[Expression]:
    """The node and everything below it, without recursion: expressions may be deep."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(list(children(top))))


def variables(node: Expression) -> frozenset[str]:
    """The names of the pattern variables that the expression names."""
    return frozenset(item.variable for item in walk(node) if isinstance(item, Attribute | Length | Aggregate))
