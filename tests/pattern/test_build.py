"""The builder makes the same trees as the text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from cepheid import pattern as p
from cepheid.errors import QueryCheckError
from cepheid.language.sase.parse import parse, parse_conditions, parse_having, parse_returns
from cepheid.pattern.build import Builder
from cepheid.pattern.check import check
from cepheid.pattern.query import PatternQuery, Strategy

a, b, s = p.var("a"), p.var("b"), p.var("s")
NOTHING, YES = None, True
two = p.seq(p.one_or_more("A", "a"), p.event("B", "b"))
TWO = "PATTERN SEQ(A+ a[], B b) "


def built(builder: Builder) -> PatternQuery:
    return builder.build(parse_conditions, parse_returns, parse_having)


SAME: list[tuple[Builder, str]] = [
    (p.event("A", "a"), "PATTERN A a"),
    (p.seq(p.event("T1"), p.event("T2")), "PATTERN T1;T2"),
    (p.any_event("a"), "PATTERN ANY a"),
    (
        p.seq(p.event("Shelf", "s"), p.no("Register", "r"), p.event("Exit", "e"))
        .strategy("skip_till_next_match")
        .same("tag_id")
        .where(s.value > 20)
        .within("12 hours")
        .returning(s.tag_id, "e.time"),
        """PATTERN SEQ(Shelf s, ~Register r, Exit e) WHERE skip_till_next_match { [tag_id] AND s.value > 20 }
           WITHIN 12 hours RETURN s.tag_id, e.time""",
    ),
    (
        p.seq(p.one_or_more("Stock", "a"), p.event("Stock", "b"))
        .strategy(Strategy.NEXT)
        .same("symbol")
        .where(
            (a.first.volume > 1000) & (a.current.price > p.avg(a.prior.price)), b.volume < 0.8 * a.last.volume
        ),
        """PATTERN SEQ(Stock+ a[], Stock b) WHERE skip_till_next_match { [symbol] AND a[1].volume > 1000
           AND a[i].price > avg(a[..i-1].price) AND b.volume < 80% * a[last].volume }""",
    ),
    (
        p.all_of(p.event("A", "a"), p.any_of(p.event("B", "b"), p.event("C", "c"))),
        "PATTERN A a & (B b | C c)",
    ),
    (
        p.seq(
            p.zero_or_more("A", "a"),
            p.times("B", "b", 2, 5),
            p.optional("C", "c"),
            p.times(None, "d", 3, None),
        ),
        "PATTERN SEQ(A* a[], B{2,5} b[], C? c, ANY{3,} d[])",
    ),
    (
        p.seq(p.within(p.seq(p.event("A", "a"), p.event("B", "b")), "10 min"), p.event("C", "c")),
        "PATTERN SEQ((A a;B b) WITHIN 10 min, C c)",
    ),
    (
        p.seq(p.nth("A", "a", 3), p.at("17:00"), p.every("30 min"), p.silence("B", "b", "5 min")),
        "PATTERN A[3] a; AT '17:00'; EVERY 30 min; SILENCE OF B b FOR 5 min",
    ),
    (
        two.where("[k] AND b.x = 1 = b.y", b.z != "it's"),
        TWO + "WHERE [k] AND b.x = 1 = b.y AND b.z != 'it''s'",
    ),
    (two.where((b.x == 1) | (b.y == 2) & ~(b.z >= 3)), TWO + "WHERE b.x = 1 OR b.y = 2 AND NOT b.z >= 3"),
    (
        two.where((b.x == 1) | ((b.y == 2) & (b.z < 3) & b.ok)),
        TWO + "WHERE b.x = 1 OR b.y = 2 AND b.z < 3 AND b.ok",
    ),
    (two.where(1 + b.x * 2 - b.y / 3 % 4 <= -b.z), TWO + "WHERE 1 + b.x * 2 - b.y / 3 % 4 <= -b.z"),
    (two.where(2 - b.x > 6 / b.y, 7 % b.x == 3 * b.y), TWO + "WHERE 2 - b.x > 6 / b.y AND 7 % b.x = 3 * b.y"),
    (
        two.where(b.x.is_in(1, 2), b.x.between(1, 2), b.x.like("a%"), b.x.is_null(), b.y.is_not_null()),
        TWO + "WHERE b.x IN (1,2) AND b.x BETWEEN 1 AND 2 AND b.x LIKE 'a%' "
        "AND b.x IS NULL AND b.y IS NOT NULL",
    ),
    (
        two.where(
            a.previous.x < a.current.x,
            a.len > 2,
            p.count(a) > 2,
            p.count(a.prior) > 1,
            p.call("HOUR", b.time) == 3,
        ),
        TWO + "WHERE a[i-1].x < a[i].x AND a.len > 2 AND count(a) > 2 "
        "AND count(a[..i-1]) > 1 AND hour(b.time) = 3",
    ),
    (
        two.where(b["len"] == 1, b.len == 1, b["first"] == 2),
        TWO + "WHERE b.len = 1 AND b.`len` = 1 AND b.first = 2",
    ),
    (
        two.where(p.sum(a.x * a.y) > p.max(a.x), p.min(a.x) < p.first(a.x) + p.last(a.x)),
        TWO + "WHERE sum(a.x * a.y) > max(a.x) AND min(a.x) < first(a.x) + last(a.x)",
    ),
    (
        two.where(
            b.time > datetime(2024, 5, 1, 12), b.time > date(2024, 5, 1), b.time - b.ts < timedelta(minutes=5)
        ),
        TWO + "WHERE b.time > TIMESTAMP '2024-05-01 12:00' AND b.time > TIMESTAMP '2024-05-01' "
        "AND b.time - b.ts < 300000000 us",
    ),
    (
        two.where(b.x == NOTHING, b.y == YES, b.z == Decimal("0.5")),
        TWO + "WHERE b.x = NULL AND b.y = TRUE AND b.z = 0.5",
    ),
    (two.within("< 7.5 s"), TWO + "WITHIN < 7.5 s"),
    (two.within("500 events"), TWO + "WITHIN 500 EVENTS"),
    (two.within(12), TWO + "WITHIN 12"),
    (two.within(0.1), TWO + "WITHIN 0.1"),
    (two.within(timedelta(milliseconds=5)), TWO + "WITHIN 5000 us"),
    (
        two.returning(
            p.star("b"), (b.x + 1).named("y"), p.collect(a.x).named("xs"), "first_time() AS t", "b"
        ),
        TWO + "RETURN b.*, b.x + 1 AS y, collect(a.x) AS xs, first_time() AS t, b",
    ),
    (two.emit("non overlapping"), TWO + "EMIT NON OVERLAPPING"),
    (two.emit("first", 3), TWO + "EMIT FIRST 3"),
    (
        two.aggregate(p.agg("count", name="n"), p.agg("SUM", b.x), group_by=["k"]).emit("every", "1 min"),
        TWO + "AGG COUNT AS n, SUM(b.x) GROUP BY k EMIT EVERY 1 min",
    ),
    (two.where(b.x > 1).where("b.y > 2").same("k", "l"), TWO + "WHERE b.x > 1 AND b.y > 2 AND [k, l]"),
    (two.where(a.nth(2).x > b.x, a.nth(1).x > 0), TWO + "WHERE a[2].x > b.x AND a[1].x > 0"),
    (two.where(b.address["city"] == "Bonn"), TWO + "WHERE b.address.city = 'Bonn'"),
    (two.where(p.sum(a.prior.o["p"]["q"]) > 1), TWO + "WHERE sum(a[..i-1].o.p.q) > 1"),
    (two.where(p.count(a.x, distinct=True) > 1), TWO + "WHERE count(DISTINCT a.x) > 1"),
    (two.where(p.count(a.prior.x, distinct=True) > 1), TWO + "WHERE count(DISTINCT a[..i-1].x) > 1"),
    (two.where(p.substr(b.s, 1, 2) == "ab"), TWO + "WHERE substr(b.s, 1, 2) = 'ab'"),
    (two.where(p.concat(b.s, "-", b.t) == "a-b"), TWO + "WHERE b.s || '-' || b.t = 'a-b'"),
    (two.where(b.s.concat("!") == "a!"), TWO + "WHERE b.s || '!' = 'a!'"),
    (two.where(p.regexp_like(b.s, "^a+")), TWO + "WHERE regexp_like(b.s, '^a+')"),
    (two.where(p.regexp_extract(b.s, "(a)", 1) == "a"), TWO + "WHERE regexp_extract(b.s, '(a)', 1) = 'a'"),
    (two.where(p.coalesce(b.x, b.y, 0) > 1), TWO + "WHERE coalesce(b.x, b.y, 0) > 1"),
    (
        two.where(p.case((b.x > 1, "more"), (b.x > 0, "some"), otherwise="none") != "none"),
        TWO + "WHERE CASE WHEN b.x > 1 THEN 'more' WHEN b.x > 0 THEN 'some' ELSE 'none' END != 'none'",
    ),
    (two.where(p.case((b.x > 1, b.y)) > 1), TWO + "WHERE CASE WHEN b.x > 1 THEN b.y ELSE NULL END > 1"),
]


@pytest.mark.parametrize(("builder", "text"), SAME, ids=[text for _, text in SAME])
def test_builder_equals_text(builder: Builder, text: str) -> None:
    assert built(builder) == parse(text)


REFUSED: list[tuple[Callable[[], object], str, str | None]] = [
    (lambda: p.seq(), "seq() needs a part", None),
    (lambda: p.seq("A a"), "takes patterns, not str", "p.event"),  # type: ignore[arg-type]
    (lambda: p.seq(two.within("5 s")), "has a clause of its own", "p.within"),
    (
        lambda: two.strategy("skip_till_next_mach"),
        "there is no strategy",
        "did you mean 'skip_till_next_match'?",
    ),
    (lambda: two.within("5 huors"), "is not a unit of time", "did you mean 'hours'?"),
    (lambda: two.within("5 m"), "is not a unit of time", "did you mean 'min'?"),
    (lambda: two.within("soon"), "is not a duration", "10 min"),
    (lambda: two.emit("longst"), "there is no EMIT longst", "did you mean 'LONGEST'?"),
    (lambda: two.emit("first"), "does not go with None", 'emit("first", 3)'),
    (lambda: two.emit("all", 3), "does not go with 3", None),
    (lambda: b.x == [1], "list cannot stand in a query", None),
    (lambda: b.x == a.first, "an event is not a value", None),
    (lambda: p.avg(a.x + b.x), "an aggregate is over one variable", None),
    (lambda: p.agg("median", b.x), "AGG has no function 'median'", None),
    (lambda: p.agg("sum"), "the others take one", None),
    (lambda: check(built(two.where(a.prior.x > 1))), "stands only in an aggregate", None),
    (
        lambda: check(built(two.where(p.call("abz", b.x) > 1))),
        "there is no function 'abz'",
        "did you mean 'abs'?",
    ),
    (lambda: check(built(two.where(b.x > float("inf")))), "inf cannot be written", None),
    (lambda: check(built(two.where(b.x > 2**70))), "does not fit 64 bits", None),
]


@pytest.mark.parametrize(("attempt", "message", "hint"), REFUSED, ids=[row[1] for row in REFUSED])
def test_refused(attempt: Callable[[], object], message: str, hint: str | None) -> None:
    with pytest.raises(QueryCheckError) as caught:
        attempt()
    assert message in caught.value.message
    assert (hint or "") in (caught.value.hint or "")


def test_what_is_nested_too_deep_is_refused() -> None:
    condition = b.x > 1
    for _ in range(1000):
        condition = ~condition
    with pytest.raises(QueryCheckError, match="nested more than 200 deep"):
        check(built(two.where(condition)))
    nested = p.event("A", "a")
    for _ in range(300):
        nested = p.seq(nested)
    with pytest.raises(QueryCheckError, match="nested more than 200 deep"):
        check(built(nested))


def test_conditions_have_no_truth_value() -> None:
    with pytest.raises(TypeError, match="join conditions with &"):
        bool(b.x > 1)
