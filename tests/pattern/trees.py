"""Random queries as trees, for properties that hold of all of them."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

from hypothesis import strategies as st

from cepheid.expressions import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Case,
    Comparison,
    Element,
    Expression,
    In,
    Index,
    IsNull,
    Length,
    Like,
    Literal,
    Negative,
    Not,
    Or,
    Scope,
)
from cepheid.pattern.functions import FUNCTIONS
from cepheid.pattern.nodes import (
    Absent,
    At,
    Choice,
    Conjunction,
    Every,
    Kleene,
    Nth,
    Optional,
    Pattern,
    Seq,
    Silence,
    Single,
    Within,
)
from cepheid.pattern.query import (
    AggregateItem,
    Aggregation,
    Emit,
    EmitMode,
    Equivalence,
    PatternQuery,
    ReturnItem,
    Strategy,
)
from cepheid.time import UNIT_NANOSECONDS, Duration, Window

WORDS = [
    "a",
    "Shelf",
    "within",
    "AND",
    "Or",
    "len",
    "i",
    "last",
    "count",
    "ſeq",
    "ın",
    "timestamp",
    "été",
    "x y",
    "Case",
    "end",
    "distinct",
]
names = st.sampled_from([*WORDS, "skip_till_next_match", "`", "1", "min"]) | st.text(min_size=1, max_size=5)
texts = st.text(max_size=8) | st.sampled_from(["it's", '"', "-- no", "a\nb", "\\", "{", ")"])

decimals = st.builds(lambda n, k: Fraction(n, 10**k), st.integers(0, 10**9), st.integers(0, 6))
durations = st.builds(Duration, decimals, st.sampled_from(sorted(UNIT_NANOSECONDS)))
windows = st.builds(
    Window,
    durations | st.builds(Duration, decimals, st.none()) | st.integers(0, 10**6),
    st.booleans(),
)

moments = st.datetimes() | st.datetimes(timezones=st.just(UTC)) | st.just(datetime(1, 1, 1))
signed_durations = durations | st.builds(lambda d: Duration(-d.amount, d.unit), durations)
literals = st.builds(
    Literal,
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
    | moments
    | signed_durations,
)


def _variables(kleene: bool) -> st.SearchStrategy[str]:
    """Disjoint names, so that `v.len` has one meaning."""
    return names.map(lambda name: ("k" if kleene else "s") + name)


paths = st.just(()) | st.lists(names, max_size=2).map(tuple)
places = st.sampled_from([i for i in Index if i is not Index.ONLY]) | st.integers(2, 10**9 - 1)
attributes = st.builds(Attribute, _variables(False), st.just(Index.ONLY), names, paths) | st.builds(
    Attribute, _variables(True), places, names, paths
)


def _compound(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Negative, inner),
        st.builds(Arithmetic, st.sampled_from("+-*/%"), inner, inner),
        st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), inner, inner),
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Not, inner),
        st.builds(In, inner, st.lists(inner, min_size=1, max_size=3).map(tuple), st.booleans()),
        st.builds(Between, inner, inner, inner, st.booleans()),
        st.builds(Like, inner, texts, st.booleans()),
        st.builds(IsNull, inner, st.booleans()),
        st.builds(Call, st.sampled_from(sorted(FUNCTIONS)), st.lists(inner, max_size=3).map(tuple)),
        st.builds(
            lambda pairs, otherwise: Case(*map(tuple, zip(*pairs, strict=True)), otherwise),
            st.lists(st.tuples(inner, inner), min_size=1, max_size=2),
            inner,
        ),
    )


def _with_element(argument: Expression, name: str) -> Expression:
    return Arithmetic("+", argument, Element(name))


arguments = st.builds(
    _with_element, st.recursive(literals | st.builds(Element, names), _compound, max_leaves=4), names
) | st.builds(Element, names, paths)
aggregates = st.builds(
    Aggregate,
    st.sampled_from(["count", "sum", "avg", "min", "max", "first", "last", "collect"]),
    _variables(True),
    st.sampled_from(Scope),
    arguments,
)
aggregates |= st.builds(Aggregate, st.just("count"), _variables(True), st.sampled_from(Scope), st.none())
aggregates |= st.builds(
    Aggregate, st.just("count"), _variables(True), st.sampled_from(Scope), arguments, st.just(True)
)

expressions = st.recursive(
    literals | attributes | aggregates | st.builds(Length, _variables(True)), _compound, max_leaves=12
)

bare = st.one_of(
    *(
        st.builds(lambda name, kind=kind: kind(name, name, bare=True), names)
        for kind in (Single, Optional, Absent, Kleene)
    )
)
types = names | st.none()
atoms = st.one_of(
    st.builds(Single, types, names),
    st.builds(Optional, types, names),
    st.builds(Absent, types, names),
    st.builds(Kleene, types, names, least=st.integers(0, 3), most=st.integers(0, 9) | st.none()),
    st.builds(Nth, types, names, ordinal=st.integers(1, 9)),
    st.builds(Silence, types, names, duration=durations),
    st.builds(At, texts),
    st.builds(Every, durations),
    bare,
)


def _nested(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Seq, several),
        st.builds(Conjunction, several),
        st.builds(Choice, several),
        st.builds(Within, inner, windows),
    )


patterns = st.recursive(atoms, _nested, max_leaves=8)

return_items = st.one_of(
    st.builds(ReturnItem, expressions, names | st.none()),
    st.builds(ReturnItem, st.none(), star=names),
    st.builds(ReturnItem, st.none(), names | st.none(), whole=names),
)
aggregate_items = st.builds(AggregateItem, st.just("count"), st.none(), names | st.none()) | st.builds(
    AggregateItem, st.sampled_from(["sum", "avg", "min", "max"]), expressions, names | st.none()
)
emits = st.one_of(
    st.builds(Emit, st.sampled_from([m for m in EmitMode if m not in (EmitMode.FIRST, EmitMode.EVERY)])),
    st.builds(Emit, st.just(EmitMode.FIRST), count=st.integers(1, 99)),
    st.builds(Emit, st.just(EmitMode.EVERY), period=durations),
)

queries = st.builds(
    PatternQuery,
    patterns,
    st.sampled_from(Strategy),
    st.lists(st.builds(Equivalence, st.lists(names, min_size=1, max_size=2).map(tuple)), max_size=2).map(
        tuple
    ),
    st.lists(expressions.filter(lambda e: not isinstance(e, And)), max_size=3).map(tuple),
    st.none() | windows,
    st.none() | st.lists(return_items, min_size=1, max_size=3).map(tuple),
    st.none()
    | st.builds(
        Aggregation,
        st.lists(aggregate_items, min_size=1, max_size=2).map(tuple),
        st.lists(names, max_size=2).map(tuple),
    ),
    emits,
)
