"""Random conjuncts and RETURN items over the variables of a random pattern."""

from __future__ import annotations

from tests.cases.dice import Dice
from tests.cases.streams import Plan
from tests.cases.times import condition

COMPARE = ("<=", ">=", "!=", "<=", ">=", "!=", "<", ">", "=")
LITERALS = {
    "x": ("1", "0", "2", "3", "-1", "0.5"),
    "y": ("1.0", "0.5", "0", "2", "1.5", "-1"),
    "n": ("2", "0", "7", "-3", "4611686018427387904"),
    "s": ("'a'", "'b'", "'ab'", '"B"', "''", "'é'"),
    "o.p": ("1", "0", "2"),
}
NUMBERS = ("x", "x", "x", "y", "y", "n", "n", "o.p")
TEXTS = ("s", "s", "s", "o.q.s")
KINDS = {"number": 42, "string": 14, "range": 8, "null": 7, "bool": 5, "time": 9, "not": 5, "or": 9, "and": 1}
UNARY = ("abs({})", "-{}", "round({} / 2)", "floor({} * 1.5)", "80% * {}", "{} % 3")
STRINGS = (
    "{} {c} {v}",
    "{} IN ('a', 'ab', 'b')",
    "{} LIKE 'a%'",
    "{} NOT LIKE '_b'",
    "lower({}) = 'b'",
    "length({}) {c} 1",
    "upper({}) NOT IN ('A', {v})",
    "{} LIKE '%b%'",
    "substr({}, 1, 1) {c} 'a'",
    "substr({}, -1, 1) = 'b'",
    "substr({}, 0, 2) != {v}",
    "substr({0}, length({0}), 1) != 'b'",
    "substr({}, -3, 2) = {v}",
    "substr({}, 2) {c} 'b'",
    "{} || 'b' {c} 'ab'",
    "concat('a', {}, 'b') != 'aab'",
    "regexp_like({}, '^a|b$')",
    "NOT regexp_like({}, '^[^ab]*$')",
    "regexp_extract({}, '(a)(b)?', 2) {c} 'b'",
    "regexp_extract({}, 'b.?', 0) != 'ba'",
    "regexp_extract(upper({}), '([A-B])') = 'A'",
    "coalesce({}, 'a') {c} {v}",
    "CASE WHEN {0} = 'a' THEN 'c' WHEN {0} IS NULL THEN 'b' ELSE {0} END {c} 'b'",
)
TWO_STRINGS = (
    "{0} {c} {1}",
    "{0} {c} {1}",
    "{0} {c} {1}",
    "coalesce({0}, {1}) {c} 'b'",
    "lower(coalesce({0}, {1}, 'B')) = 'b'",
    "substr({0}, 1, 1) {c} substr({1}, -1, 1)",
    "substr(coalesce({0}, {1}), 2, 1) != 'b'",
    "regexp_like(coalesce({0}, {1}), 'b')",
    "regexp_extract(coalesce({0}, {1}), '(.)b', 1) {c} {1}",
    "{0} || 'b' {c} {1}",
    "CASE WHEN {0} < {1} THEN {0} ELSE {1} END {c} 'ab'",
    "CASE WHEN {0} = 'a' THEN {1} {c} 'a' END",
)
RANGES = (
    "{} BETWEEN 0 AND 2",
    "{} IN (0, 1, 2)",
    "{} NOT IN (2, 3.0)",
    "{} NOT BETWEEN 1 AND 1.5",
    "{} IN (1, null)",
)
TWO_TIMES = ("coalesce({0}, {1}) {c} TIMESTAMP '2024-01-01 12:00:00'", "hour(coalesce({0}, {1})) >= 12")
ONE_EVENT = (
    "{v}.{c}",
    "{v}.{c}",
    "{v}.x + 1",
    "{v}.n % 4",
    "upper({v}.s)",
    "time_of_day({v}.z)",
    "{v}.z + 1 hour",
    "hour({v}.z + 1 hour)",
    "substr({v}.s, 1, 1) || '!'",
    "coalesce({v}.x, {v}.n, -1)",
    "coalesce({v}.d, TIMESTAMP '2024-01-01 05:00:00')",
    "CASE WHEN {v}.x > 1 THEN 'more' ELSE {v}.s END",
    "regexp_extract({v}.s, '(b)', 1)",
    "{v}.o.p",
    "{v}.o.q",
    "{v}.o.q.s",
)
MANY_EVENTS = (
    "{v}.len",
    "{v}[1].{c}",
    "{v}[last].{c}",
    "sum({v}.x)",
    "avg({v}.y)",
    "min({v}.s)",
    "max({v}.y)",
    "count({v}.x)",
    "first({v}.{c})",
    "collect({v}.x)",
    "collect({v}.s)",
    "{v}[last].x - {v}[1].x",
    "max({v}.z)",
    "hour(min({v}.z))",
    "collect({v}.z)",
    "time_of_day({v}[last].z)",
    "{v}[2].{c}",
    "coalesce({v}[3].x, {v}[2].x)",
    "count(DISTINCT {v}.{c})",
    "count(DISTINCT {v}.x % 2)",
    "collect({v}.o.p)",
    "max({v}.o.q.s)",
)


class Conjunct:
    """One conjunct in the making: the variables that it may name, at most one of them negated."""

    def __init__(self, dice: Dice, plan: Plan, count: int) -> None:
        self.dice, self.plan = dice, plan
        count = min(count, len(plan.positive))
        start = dice.integer(0, len(plan.positive) - count)
        self.names = plan.positive[start : start + count]
        if plan.negated and dice.chance(45):
            self.names = [dice.pick(plan.negated), *self.names[: dice.integer(0, 2)]]
        self.unused = list(self.names)

    def name(self) -> str:
        """A variable, each once before any is named again."""
        if not self.unused:
            return str(self.dice.pick(self.names))
        return self.unused.pop(0)

    def reference(self, column: str) -> str:
        """`v.x`, or one of the ways to name an event of a Kleene variable."""
        name = self.name()
        if name not in self.plan.kleenes:
            return f"{name}.{column}"
        index = self.dice.weighted(
            {"i": 40, "1": 15, "i-1": 20, "last": 12, "len": 4, "..": 5, "2": 8, "3": 2}
        )
        if index == "len":
            return f"{name}[{name}.len].{column}"
        if index == "..":
            function = self.dice.pick(("first", "last") if column == "f" else ("first", "last", "min", "max"))
            return f"{function}({name}[..i-1].{column})"
        return f"{name}[{index}].{column}"

    def number(self, depth: int = 0) -> str:
        """Something numeric."""
        column = self.dice.pick(NUMBERS)
        form = self.dice.weighted(
            {"plain": 55, "aggregate": 15, "sum": 9, "product": 5, "unary": 8, "coalesce": 4, "case": 4}
        )
        if form == "aggregate" and self.plan.kleenes:
            return self.aggregate()
        if depth > 1 or form in ("plain", "aggregate"):
            return self.reference(column)
        if form == "unary":
            return str(self.dice.pick(UNARY)).format(self.reference(column))
        if form == "coalesce":
            others = [self.reference(column) for _ in range(self.dice.integer(1, 2))]
            return f"coalesce({', '.join(others)}, {self.dice.pick(LITERALS[column])})"
        if form == "case":
            count = self.dice.integer(1, 2)
            whens = [f"WHEN {self.truth(2)} THEN {self.reference(column)}" for _ in range(count)]
            otherwise = f" ELSE {self.dice.pick(LITERALS[column])}" if self.dice.chance(60) else ""
            return f"CASE {' '.join(whens)}{otherwise} END"
        sign = self.dice.pick("+-") if form == "sum" else self.dice.pick("*/%")
        right = self.number(depth + 1) if self.dice.chance(70) else self.dice.pick(LITERALS[column])
        return f"({self.reference(column)} {sign} {right})"

    def aggregate(self) -> str:
        name = next((v for v in self.unused if v in self.plan.kleenes), None)
        if name is None:
            name = self.dice.pick(self.plan.kleenes)
        else:
            self.unused.remove(name)
        function = self.dice.pick(("count", "sum", "avg", "min", "max", "first", "last"))
        column = self.dice.pick(NUMBERS)
        form = self.dice.weighted(
            {
                "prior": 40,
                "whole": 25,
                "len": 13,
                "count": 5,
                "computed": 5,
                "distinct": 7,
                "distinct prior": 5,
            }
        )
        return {
            "prior": f"{function}({name}[..i-1].{column})",
            "whole": f"{function}({name}.{column})",
            "len": f"{name}.len",
            "count": f"count({name})",
            "computed": f"{function}({name}.x * {name}.{column})",
            "distinct": f"count(DISTINCT {name}.{self.dice.pick((*NUMBERS, 's', 'y', 'o.q.s'))})",
            "distinct prior": f"count(DISTINCT {name}[..i-1].{column})",
        }[form]

    def truth(self, depth: int = 0) -> str:
        """A condition of any kind."""
        kind = self.dice.weighted(KINDS)
        if kind in ("not", "or", "and") and depth > 1:
            kind = "number"
        return str(getattr(self, f"_{kind}")(depth))

    def _number(self, depth: int) -> str:
        left, sign = self.number(), self.dice.pick(COMPARE)
        right = self.number() if self.unused or self.dice.chance(20) else self.dice.pick(LITERALS["x"])
        for _ in range(len(self.unused)):
            right = f"{right} + {self.reference('x')}"
        return f"{left} {sign} {right}"

    def _string(self, depth: int) -> str:
        left = self.reference(self.dice.pick(TEXTS))
        if self.unused:
            form, right = self.dice.pick(TWO_STRINGS), self.reference("s")
            return _sayable(form, left).format(left, right, c=self.dice.pick(COMPARE))
        form = _sayable(self.dice.pick(STRINGS), left)
        return str(form).format(left, c=self.dice.pick(COMPARE), v=self.dice.pick(LITERALS["s"]))

    def _range(self, depth: int) -> str:
        operand = self.number(1)
        if self.unused:
            return f"{operand} BETWEEN {self.reference('x')} AND {self.dice.pick(LITERALS['x'])} + 2"
        return str(self.dice.pick(RANGES)).format(operand)

    def _null(self, depth: int) -> str:
        column = self.dice.pick(("x", "y", "s", "f", "d", "z"))
        return f"{self.reference(column)} IS {self.dice.pick(('NOT NULL', 'NOT NULL', 'NOT NULL', 'NULL'))}"

    def _bool(self, depth: int) -> str:
        left = self.reference("f")
        if self.unused:
            return f"{left} {self.dice.pick(('=', '!='))} {self.reference('f')}"
        return str(self.dice.pick(("{}", "{} = true", "NOT {}", "{} != false"))).format(left)

    def time(self) -> str:
        """A condition on one time."""
        times = ("z", "d", "z", "time") if self.plan.time_kind == "timestamp" else ("z", "d", "z")
        return condition(self.dice, self.reference(self.dice.pick(times)), self.plan.zone)

    def _time(self, depth: int) -> str:
        if len(self.unused) < 2:
            return self.time()
        if self.dice.chance(30):
            form, moments = self.dice.pick(TWO_TIMES), (self.reference("d"), self.reference("d"))
            return str(form).format(*moments, c=self.dice.pick(COMPARE))
        first, second = self.reference("time"), self.reference("time")
        length = {"int": "3", "float": "0.75"}.get(self.plan.time_kind, "45 s")
        return f"{second} - {first} {self.dice.pick(COMPARE)} {length}"

    def _not(self, depth: int) -> str:
        return f"NOT ({self.truth(depth + 1)})"

    def _or(self, depth: int) -> str:
        return f"({self.truth(depth + 1)} OR {self.truth(depth + 1)})"

    def _and(self, depth: int) -> str:
        return f"NOT ({self.truth(depth + 1)} AND {self.truth(depth + 1)})"


def _sayable(form: str, text: str) -> str:
    """The form, unless it would build a text from that of several events: only the first of one is joined."""
    builds = "||" in form or "concat" in form or "length({0})" in form
    return "{0} {c} 'ab'" if builds and "(" in text else form


def conjunct(dice: Dice, plan: Plan) -> str:
    """One operand of WHERE's AND."""
    if dice.chance(2):
        return str(dice.pick(("1 = 1", "2 > 1", "'a' < 'b'", "null IS NULL")))
    if dice.chance(16):
        return Conjunct(dice, plan, count=1).time()
    if dice.chance(6) and len(plan.positive) > 2:
        item = Conjunct(dice, plan, count=3)
        return f"{item.reference('x')} * {item.reference('x')} >= {item.reference('x')} - 1"
    return Conjunct(dice, plan, dice.weighted({2: 45, 1: 40, 3: 15})).truth()


def return_items(dice: Dice, plan: Plan) -> str:
    """One to three columns, each with a name."""
    return ", ".join(f"{_item(dice, plan)} AS r{place}" for place in range(dice.integer(1, 3)))


def _item(dice: Dice, plan: Plan) -> str:
    name = dice.pick(plan.positive)
    if dice.chance(10):
        return str(dice.pick(("first_time()", "last_time()")))
    column = dice.pick(("x", "y", "s", "f", "d", "z", "time"))
    forms = MANY_EVENTS if name in plan.kleenes else ONE_EVENT
    return str(dice.pick(forms)).format(v=name, c=column)
