"""What to find: pattern trees, frozen, with no engine and no text in them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from cepheid.errors import Span
from cepheid.time import Duration, Window


@dataclass(frozen=True, slots=True)
class Pattern:
    """Any pattern."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Atom(Pattern):
    """What binds, or forbids, events of one type; the variable is declared here.

    `type` is None for `ANY`. `bare` is `Name` alone: with a type column it is the type
    `Name`, without one it is any event; the variable is `Name` either way.
    """

    type: str | None
    variable: str
    bare: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Single(Atom):
    """`Type v`: one event."""


@dataclass(frozen=True, slots=True)
class Optional(Atom):
    """`Type? v`: zero or one event."""


@dataclass(frozen=True, slots=True)
class Kleene(Atom):
    """`Type+ v[]` (1, None), `Type* v[]` (0, None), `Type{n,m} v[]` (n, m)."""

    least: int = 1
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Absent(Atom):
    """`~Type v`: no such event."""


@dataclass(frozen=True, slots=True)
class Nth(Atom):
    """`Type[i] v` of a profile: the i-th qualifying event since the previous selection."""

    ordinal: int = 1


@dataclass(frozen=True, slots=True)
class Silence(Atom):
    """`SILENCE OF Type v FOR 30 min` of a profile."""

    duration: Duration = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class At(Pattern):
    """`AT '17:00'` of a profile: that time of each day, on the event clock."""

    time_of_day: str


@dataclass(frozen=True, slots=True)
class Every(Pattern):
    """`EVERY 30 min` of a profile: each multiple of the period, on the event clock."""

    period: Duration


@dataclass(frozen=True, slots=True)
class Seq(Pattern):
    """`SEQ(p, q, …)`: each begins after the one before it ends."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Conjunction(Pattern):
    """`AND(p, q, …)`: all, in any order, on distinct events."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Choice(Pattern):
    """`OR(p, q, …)`: one of them; the variables of the others are null."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Within(Pattern):
    """`(p) WITHIN d`: the sub-pattern's own window, inside the query's."""

    part: Pattern
    window: Window


def parts(node: Pattern) -> tuple[Pattern, ...]:
    """The direct sub-patterns."""
    match node:
        case Seq(parts=inner) | Conjunction(parts=inner) | Choice(parts=inner):
            return inner
        case Within(part=part):
            return (part,)
        case _:
            return ()


def walk(node: Pattern) -> Iterator[Pattern]:
    """The node and everything below it, in the order of the text."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(parts(top)))


def atoms(node: Pattern) -> tuple[Atom, ...]:
    """Every declared variable's atom, in the order of the text."""
    return tuple(item for item in walk(node) if isinstance(item, Atom))
