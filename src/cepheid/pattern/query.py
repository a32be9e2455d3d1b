"""A whole query as a frozen tree: the pattern and its clauses."""

from dataclasses import dataclass, field
from enum import Enum

from cepheid.errors import Span
from cepheid.expressions import Expression
from cepheid.pattern.nodes import Pattern
from cepheid.time import Duration, Window


class Strategy(Enum):
    """Which events may lie between two selected ones."""

    STRICT = "strict_contiguity"
    PARTITION = "partition_contiguity"
    NEXT = "skip_till_next_match"
    ANY = "skip_till_any_match"


class EmitMode(Enum):
    """What is reported of the matches."""

    ALL = "ALL"
    NON_OVERLAPPING = "NON OVERLAPPING"
    COMPRESSED = "COMPRESSED"
    FIRST = "FIRST"
    LONGEST = "LONGEST"
    COUNT = "COUNT"
    ON_CLOSE = "ON CLOSE"
    ON_RISE = "ON RISE"
    EVERY = "EVERY"

    @property
    def is_at_events(self) -> bool:
        """Whether AGG looks at its numbers at each event that may end a match."""
        return self in (EmitMode.ALL, EmitMode.ON_RISE)


@dataclass(frozen=True, slots=True)
class Emit:
    """`EMIT …`; `count` goes with FIRST, `period` with EVERY."""

    mode: EmitMode = EmitMode.ALL
    count: int | None = None
    period: Duration | None = None
    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ReturnItem:
    """`expression [AS name]`. Where that is None: `v.*`, with `v` in `star`, or `v [AS name]`, in `whole`:
    of all columns of the stream, or of `columns` alone."""

    expression: Expression | None
    name: str | None = None
    star: str | None = None
    whole: str | None = None
    columns: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class AggregateItem:
    """`COUNT [AS n]`, `SUM(b.price) [AS s]`; the argument is None for COUNT."""

    function: str  # count sum avg min max
    argument: Expression | None
    name: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Aggregation:
    """`AGG … [GROUP BY k] [HAVING n >= 10]`."""

    items: tuple[AggregateItem, ...]
    group_by: tuple[str, ...] = ()
    having: Expression | None = None  # its elements are columns of the row
    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Equivalence:
    """`[k, l]`: all events of a match agree on these attributes."""

    attributes: tuple[str, ...]
    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class PatternQuery:
    """Everything that a query says, and nothing about how it is run."""

    pattern: Pattern
    strategy: Strategy = Strategy.ANY
    equivalences: tuple[Equivalence, ...] = ()
    conjuncts: tuple[Expression, ...] = ()  # the flattened top-level AND of WHERE
    window: Window | None = None
    returns: tuple[ReturnItem, ...] | None = None
    aggregation: Aggregation | None = None
    emit: Emit = Emit()

    @property
    def keys(self) -> tuple[str, ...]:
        """The attributes of all equivalence tests, each once, in the order of the text."""
        return tuple(dict.fromkeys(k for test in self.equivalences for k in test.attributes))
