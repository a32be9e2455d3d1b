"""Text to trees: every construct of the language once, the important ones with their whole tree."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cepheid.errors import Span
from cepheid.expressions import (
    Aggregate,
    Arithmetic,
    Attribute,
    Call,
    Comparison,
    Element,
    Index,
    Length,
    Literal,
    Scope,
)
from cepheid.language.sase.parse import parse, parse_conditions, parse_returns
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
from cepheid.time import UNIT_NAMES, Duration, Window


def of(variable: str, name: str, index: Index = Index.ONLY) -> Attribute:
    return Attribute(variable, index, name)


def minutes(amount: int) -> Duration:
    return Duration(Fraction(amount), "min")


A, B, C = Single("A", "a"), Single("B", "b"), Single("C", "c")


def test_shoplifting() -> None:
    query = parse(
        """
        PATTERN  SEQ(Shelf s, ~Register r, Exit e)   -- nobody paid
        WHERE    skip_till_next_match { [tag_id] AND s.value > 20 }
        WITHIN   12 hours
        RETURN   s.tag_id, e.time
        """
    )
    assert query == PatternQuery(
        Seq((Single("Shelf", "s"), Absent("Register", "r"), Single("Exit", "e"))),
        Strategy.NEXT,
        (Equivalence(("tag_id",)),),
        (Comparison(">", of("s", "value"), Literal(20)),),
        Window(Duration(Fraction(12), "h")),
        (ReturnItem(of("s", "tag_id")), ReturnItem(of("e", "time"))),
    )


def test_contaminated_shipments() -> None:
    query = parse(
        """PATTERN SEQ(Alert a, Shipment+ b[])
        WHERE skip_till_any_match { a.kind = 'contaminated' AND b[1].from = a.site AND b[i].from = b[i-1].to }
        WITHIN 3 hours"""
    )
    assert query.pattern == Seq((Single("Alert", "a"), Kleene("Shipment", "b")))
    assert query.strategy is Strategy.ANY
    assert query.conjuncts == (
        Comparison("=", of("a", "kind"), Literal("contaminated")),
        Comparison("=", of("b", "from", Index.FIRST), of("a", "site")),
        Comparison("=", of("b", "from", Index.CURRENT), of("b", "to", Index.PREVIOUS)),
    )


def test_stock_trend() -> None:
    query = parse(
        """PATTERN SEQ(Stock+ a[], Stock b)
        WHERE skip_till_next_match { [symbol] AND a[1].volume > 1000 AND a[i].price > avg(a[..i-1].price)
                                     AND b.volume < 80% * a[a.len].volume }
        WITHIN 1 hour"""
    )
    assert query.conjuncts[1:] == (
        Comparison(
            ">",
            of("a", "price", Index.CURRENT),
            Aggregate("avg", "a", Scope.PRIOR, Element("price")),
        ),
        Comparison("<", of("b", "volume"), Arithmetic("*", Literal(0.8), of("a", "volume", Index.LAST))),
    )


PATTERNS: list[tuple[str, Pattern]] = [
    ("A a", A),
    ("T1", Single("T1", "T1", bare=True)),
    (
        "T1;!T2;T3",
        Seq((Single("T1", "T1", bare=True), Absent("T2", "T2", bare=True), Single("T3", "T3", bare=True))),
    ),
    ("ANY a", Single(None, "a")),
    ("`any` a", Single("any", "a")),
    ("`a ``b` `x y`", Single("a `b", "x y")),
    ("Like `in`", Single("Like", "in")),
    ("A a ; B b", Seq((A, B))),
    ("SEQ(A a)", Seq((A,))),
    ("seq(A a, B b, C c)", Seq((A, B, C))),
    ("A a ; (B b ; C c)", Seq((A, Seq((B, C))))),
    ("A a & B b", Conjunction((A, B))),
    ("AND(A a, B b)", Conjunction((A, B))),
    ("A a | B b", Choice((A, B))),
    ("Or(A a, B b)", Choice((A, B))),
    ("A a ; B b & C c", Conjunction((Seq((A, B)), C))),
    ("A a | B b & C c", Choice((A, Conjunction((B, C))))),
    ("A a ; (B b | C c)", Seq((A, Choice((B, C))))),
    ("A+ a[]", Kleene("A", "a", least=1, most=None)),
    ("A* a[]", Kleene("A", "a", least=0, most=None)),
    ("A{2,5} a[]", Kleene("A", "a", least=2, most=5)),
    ("A{2} a[]", Kleene("A", "a", least=2, most=2)),
    ("A{2,} a[]", Kleene("A", "a", least=2, most=None)),
    ("ANY+ a[]", Kleene(None, "a")),
    ("T2+", Kleene("T2", "T2", bare=True)),
    ("A? a", Optional("A", "a")),
    ("~A a", Absent("A", "a")),
    ("! A a", Absent("A", "a")),
    ("SEQ((A a ; B b) WITHIN 5 min, C c)", Seq((Within(Seq((A, B)), Window(minutes(5))), C))),
    (
        "(A a ; B b) WITHIN < 500 ; C c",
        Seq((Within(Seq((A, B)), Window(Duration(Fraction(500), None), True)), C)),
    ),
    ("((A a) WITHIN 5 min)", Within(A, Window(minutes(5)))),
    ("A[3] a", Nth("A", "a", ordinal=3)),
    ("SEQ(A a, AT '17:00')", Seq((A, At("17:00")))),
    ("SEQ(A a, EVERY 30 min)", Seq((A, Every(minutes(30))))),
    ("SILENCE OF A a FOR 30 min", Silence("A", "a", duration=minutes(30))),
]


@pytest.mark.parametrize(("text", "pattern"), PATTERNS, ids=[text for text, _ in PATTERNS])
def test_patterns(text: str, pattern: Pattern) -> None:
    assert parse(f"PATTERN {text}").pattern == pattern


A_X, A_Y, B_X = of("a", "x"), of("a", "y"), of("b", "x")

WORDS = "from to kind time type value count min max first last within and or seq not null events i"


@pytest.mark.parametrize("name", [*WORDS.split(), *sorted(UNIT_NAMES)])
def test_any_word_is_an_attribute(name: str) -> None:
    query = parse(
        f"PATTERN SEQ(A a, K+ k[]) WHERE a.{name} = k[1].{name} AND [{name}] RETURN a.{name} AS {name}"
    )
    assert query.conjuncts == (Comparison("=", of("a", name), of("k", name, Index.FIRST)),)
    assert query.keys == (name,)
    assert query.returns == (ReturnItem(of("a", name), name),)


def test_chains_and_nested_ands_are_conjuncts() -> None:
    query = parse('PATTERN SEQ(A a, B b) WHERE a.m = b.m = "touch" AND ([k] AND (a.x AND [l, m])) AND a.y')
    assert query.conjuncts == (
        Comparison("=", of("a", "m"), of("b", "m")),
        Comparison("=", of("b", "m"), Literal("touch")),
        A_X,
        A_Y,
    )
    assert query.equivalences == (Equivalence(("k",)), Equivalence(("l", "m")))
    assert query.keys == ("k", "l", "m")


@pytest.mark.parametrize("strategy", Strategy)
def test_strategies(strategy: Strategy) -> None:
    assert parse(f"PATTERN A a WHERE {strategy.value} {{ }}").strategy is strategy
    assert parse(f"PATTERN A a WHERE {strategy.value.upper()} {{ a.x }}").conjuncts == (A_X,)


WINDOWS = [
    ("10 min", Window(minutes(10))),
    ("< 7 s", Window(Duration(Fraction(7), "s"), half_open=True)),
    ("0.1 seconds", Window(Duration(Fraction(1, 10), "s"))),
    ("1.5e3 µs", Window(Duration(Fraction(1500), "us"))),
    ("2 WEEKS", Window(Duration(Fraction(2), "w"))),
    ("500", Window(Duration(Fraction(500), None))),
    ("500 EVENTS", Window(500)),
    ("1 event", Window(1)),
]


@pytest.mark.parametrize(("text", "window"), WINDOWS, ids=[text for text, _ in WINDOWS])
def test_windows(text: str, window: Window) -> None:
    assert parse(f"PATTERN A a WITHIN {text} RETURN a.x").window == window


@pytest.mark.parametrize("name", sorted(UNIT_NAMES))
def test_units(name: str) -> None:
    assert parse(f"PATTERN A a WITHIN 3 {name}").window == Window(Duration(Fraction(3), UNIT_NAMES[name]))


def test_the_last_window_is_the_query_s() -> None:
    assert parse("PATTERN (A a ; B b) WITHIN 5 min") == PatternQuery(Seq((A, B)), window=Window(minutes(5)))
    trailing = parse("PATTERN A a ; (B b & C c) WITHIN 5 min WHERE a.x")
    assert (trailing.pattern, trailing.window) == (Seq((A, Conjunction((B, C)))), Window(minutes(5)))
    both = parse("PATTERN A a ; (B b & C c) WITHIN 5 min WITHIN 9 min")
    assert both.pattern == Seq((A, Within(Conjunction((B, C)), Window(minutes(5)))))
    assert both.window == Window(minutes(9))
    assert parse("PATTERN SEQ(A a, (B b) WITHIN 5 min)").window is None


EMITS = [
    ("ALL", Emit()),
    ("non overlapping", Emit(EmitMode.NON_OVERLAPPING)),
    ("COMPRESSED", Emit(EmitMode.COMPRESSED)),
    ("FIRST 3", Emit(EmitMode.FIRST, count=3)),
    ("LONGEST", Emit(EmitMode.LONGEST)),
    ("COUNT", Emit(EmitMode.COUNT)),
    ("ON CLOSE", Emit(EmitMode.ON_CLOSE)),
    ("EVERY 1 min", Emit(EmitMode.EVERY, period=minutes(1))),
]


@pytest.mark.parametrize(("text", "emit"), EMITS, ids=[text for text, _ in EMITS])
def test_emit(text: str, emit: Emit) -> None:
    assert parse(f"PATTERN A a EMIT {text} WITHIN 5 min").emit == emit


def test_clauses_in_any_order() -> None:
    clauses = ["WHERE a.x", "WITHIN 5 min", "RETURN a.y AS z", "EMIT FIRST 2"]
    forward = parse(" ".join(["PATTERN A a", *clauses]))
    assert forward == parse(" ".join(["pattern A a", *reversed(clauses)]))


def test_return() -> None:
    query = parse(
        "PATTERN SEQ(A a, K+ k[]) RETURN a.*, a, k AS all, collect(k.x) AS xs, k.len, first_time(), "
        "a.x + 1 AS `b c`"
    )
    assert query.returns == (
        ReturnItem(None, star="a"),
        ReturnItem(None, whole="a"),
        ReturnItem(None, "all", whole="k"),
        ReturnItem(Aggregate("collect", "k", Scope.WHOLE, Element("x")), "xs"),
        ReturnItem(Length("k")),
        ReturnItem(Call("first_time", ())),
        ReturnItem(Arithmetic("+", A_X, Literal(1)), "b c"),
    )


def test_agg() -> None:
    query = parse("PATTERN A a AGG COUNT AS n, sum(a.x), Avg(a.x * 2) AS m GROUP BY k, from EMIT ON CLOSE")
    assert query.aggregation == Aggregation(
        (
            AggregateItem("count", None, "n"),
            AggregateItem("sum", A_X),
            AggregateItem("avg", Arithmetic("*", A_X, Literal(2)), "m"),
        ),
        ("k", "from"),
    )
    assert parse("PATTERN A a AGG COUNT(*)").aggregation == Aggregation((AggregateItem("count", None),))


def test_words_of_the_language_are_good_variables() -> None:
    query = parse(
        "PATTERN SEQ(A first, B+ last[], C count) WHERE first.min = count(last) AND count.in < last[last].of"
    )
    assert query.conjuncts == (
        Comparison("=", of("first", "min"), Aggregate("count", "last", Scope.WHOLE, None)),
        Comparison("<", of("count", "in"), of("last", "of", Index.LAST)),
    )


def test_every_node_knows_its_place() -> None:
    text = "PATTERN SEQ(A a, B+ b[]) WHERE (a.x + 1) * 2 > b[1].y AND [k] WITHIN < 5 min RETURN a.x AS n"
    query = parse(text)

    def at(span: Span | None) -> str:
        assert span is not None
        return text[span.start : span.end]

    assert at(query.pattern.span) == "SEQ(A a, B+ b[])"
    assert isinstance(query.pattern, Seq)
    assert [at(part.span) for part in query.pattern.parts] == ["A a", "B+ b[]"]
    comparison = query.conjuncts[0]
    assert isinstance(comparison, Comparison)
    assert at(comparison.span) == "(a.x + 1) * 2 > b[1].y"
    assert at(comparison.left.span) == "(a.x + 1) * 2"
    assert at(comparison.right.span) == "b[1].y"
    assert at(query.equivalences[0].span) == "[k]"
    assert query.window is not None and at(query.window.span) == "< 5 min"
    assert query.returns is not None and at(query.returns[0].span) == "a.x AS n"


def test_parts_for_the_builder() -> None:
    assert parse_conditions("[k] AND a.x = 1 = b.x") == (
        (Equivalence(("k",)),),
        (Comparison("=", A_X, Literal(1)), Comparison("=", Literal(1), B_X)),
    )
    assert parse_returns("a.*, a.x AS y") == (ReturnItem(None, star="a"), ReturnItem(A_X, "y"))
