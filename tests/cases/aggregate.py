"""Random cases of AGG: the same streams, with patterns whose matches are counted.

case = random_aggregate_case(random.Random(7))
@given(aggregate_cases())
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.cases.clauses import plan_of
from tests.cases.conditions import COMPARE, LITERALS, RANGES, STRINGS, conjunct
from tests.cases.dice import Dice
from tests.cases.patterns import pattern, window
from tests.cases.streams import Case, Plan, arranged, events_of
from tests.cases.times import condition

PERIODS = {"timestamp": ("1 min", "30 s", "45 seconds", "2 min"), "float": ("1 s", "0.5 s", "2.25 s")}
WHOLE_PERIODS = ("3 s", "2 s", "5000 ms", "7 s")
ARGUMENTS = {
    "sum": ("{}.x", "{}.n", "{}.y", "{}.x * 2 + 1", "abs({}.n)", "{}.y / 2", "hour({}.z)"),
    "min": (
        "{}.x",
        "{}.y",
        "{}.s",
        "{}.d",
        "{}.n",
        "-{}.x",
        "{}.time",
        "{}.z",
        "{}.z - 1 hour",
        "time_of_day({}.z)",
    ),
}
GROUPS = ("", "", "", "k", "g", "k, g", "s", "f", "x", "type", "y")
COMPARED = (
    "{0}.x {2} {1}.x",
    "{0}.y {2} {1}.y",
    "{0}.x {2} {1}.y",
    "{0}.n {2} {1}.n",
    "{0}.x * 2 {2} {1}.x + 1",
    "{0}.d {2} {1}.d",
    "{0}.z {2} {1}.z",
    "hour({0}.z) {2} hour({1}.z)",
    "{0}.n {2} {1}.y * 2",
    "abs({0}.y) {2} {1}.y",
    "{0}.time {2} {1}.time",
    "{0}.s {2} {1}.s",
    "{0}.f {2} {1}.f",
)
LONG = (
    "A+ a[]",
    "SEQ(A+ a[], B b)",
    "SEQ(A a, A+ b[])",
    "SEQ(A a, A+ b[], A c)",
    "SEQ(A+ a[], ~B u, A+ b[])",
    "SEQ(A+ a[], ~C u, ~Z v, B+ b[], A c)",
    "SEQ(" + ", ".join(f"A v{i}" for i in range(18)) + ")",
    "SEQ(" + ", ".join(f"A v{i}" for i in range(9)) + ", ~B u, A+ a[])",
)


COUNTED = (
    "{} {} {}",
    "{0} {1} {2} OR {0} = 4",
    "NOT {} {} {}",
    "{} % 2 {} {} % 2",
    "{0} BETWEEN 1 AND {2} + 1",
    "CASE WHEN {0} > 2 THEN {0} ELSE 0 END {1} {2}",
)


@dataclass(frozen=True)
class AggregateCase(Case):
    """A case whose query has AGG; the matches of a long one can be counted, but not listed."""

    is_long: bool = False


@dataclass
class AggregatePlan(Plan):
    """A plan whose streams are as long as brute force allows."""

    is_long: bool = False

    def kinds(self, likely: str) -> dict[str, int]:
        """Mostly the type that the pattern would like, if there are not too many matches to list."""
        kinds = {"A": 10, "B": 10, "C": 10, "Z": 5}
        return kinds | {likely: 200 if self.is_long else 45}

    @property
    def longest(self) -> int:
        if self.is_long:
            return 120
        if self.kleenes:
            return (12, 11, 9, 7)[min(len(self.kleenes), 3)] if len(self.positive) < 3 else 9
        return (30, 30, 30, 24, 17)[len(self.positive)]


def random_aggregate_case(rng: random.Random) -> AggregateCase:
    """A case from a seeded generator."""
    return _case(Dice(rng.randint))


@st.composite
def aggregate_cases(draw: st.DrawFn) -> AggregateCase:
    """The same cases, for hypothesis."""
    return _case(Dice(lambda low, high: draw(st.integers(low, high))))


def _case(dice: Dice) -> AggregateCase:
    plan = _plan(dice)
    lines = [f"PATTERN {_long_pattern(dice, plan) if plan.is_long else _pattern(dice, plan)}"]
    tests = _tests(dice, plan)
    if plan.strategy:
        lines.append(f"WHERE {plan.strategy} {{ {' AND '.join(tests)} }}")
    elif tests:
        lines.append(f"WHERE {' AND '.join(tests)}")
    items = aggregation(dice, plan)
    lines.append(items)
    has_window = dice.chance(70)
    if has_window:
        lines.append(f"WITHIN {_window(dice, plan)}")
    lines += given_rows(dice, plan, items)
    events, lateness = arranged(dice, plan, events_of(dice, plan))
    cuts = sorted({dice.integer(0, len(events)) for _ in range(dice.integer(0, 3))})
    text = "\n".join(line for line in lines if line)
    return AggregateCase(
        text,
        events,
        plan.binding,
        cuts,
        lateness,
        has_window,
        plan.time_kind,
        plan.zone,
        plan.time_zone,
        is_long=plan.is_long,
    )


def _plan(dice: Dice) -> AggregatePlan:
    start = plan_of(dice)
    strategy = dice.weighted({"": 80, "skip_till_any_match": 20})
    is_long = start.has_types and dice.chance(6)
    return AggregatePlan(
        start.time_kind,
        start.has_types,
        start.binding,
        strategy,
        zone=start.zone,
        time_zone=start.time_zone,
        is_long=is_long,
    )


# -- patterns --------------------------------------------------------------------------------------


def _pattern(dice: Dice, plan: AggregatePlan) -> str:
    """Mostly a plain sequence; sometimes anything that a pattern may be."""
    size = dice.weighted({2: 34, 1: 10, 3: 33, 4: 23})
    if dice.chance(30):
        return str(pattern(dice, plan, min(size, 3), required=True))
    parts = [_atom(dice, plan) for _ in range(size)]
    sequence = _with_absences(dice, plan, parts)
    return f"SEQ({', '.join(sequence)})" if len(sequence) > 1 else sequence[0]


def _atom(dice: Dice, plan: AggregatePlan) -> str:
    name = "abcd"[len(plan.positive)]
    kind = dice.pick("ABCA") if plan.has_types and not dice.chance(4) else "ANY"
    plan.types.append("A" if kind == "ANY" else kind)
    if dice.chance(12):
        plan.kleenes.append(name)
        return f"{kind}+ {name}[]"
    plan.singles.append(name)
    return f"{kind} {name}"


def _with_absences(dice: Dice, plan: AggregatePlan, parts: list[str]) -> list[str]:
    """Absences at the start, inside and at the end, at most two."""
    found = []
    for place in range(len(parts) + 1):
        if len(plan.negated) < 2 and dice.chance(14):
            name = "uv"[len(plan.negated)]
            plan.negated.append(name)
            found.append(f"~{dice.pick('CBA') if plan.has_types else 'ANY'} {name}")
        found += parts[place : place + 1]
    return found


def _long_pattern(dice: Dice, plan: AggregatePlan) -> str:
    plan.types.append("A")
    text = str(dice.pick(LONG))
    for part in text.removeprefix("SEQ(").removesuffix(")").split(", "):
        name = part.split()[1].removesuffix("[]")
        (plan.negated if "~" in part else plan.kleenes if "+" in part else plan.singles).append(name)
    return text


def _window(dice: Dice, plan: AggregatePlan) -> str:
    if not plan.is_long:
        return window(dice, plan)
    if dice.chance(40):
        return f"{dice.pick((100, 90, 60))} EVENTS"
    ticks = dice.pick((160, 120, 60))
    length = {"int": f"{ticks}", "float": f"{ticks / 4}", "timestamp": f"{15 * ticks} s"}[plan.time_kind]
    return f"{dice.pick(('', '< '))}{length}{' s' if 'time_unit' in plan.binding else ''}"


# -- conditions ------------------------------------------------------------------------------------


def _tests(dice: Dice, plan: AggregatePlan) -> list[str]:
    keys = {"": 55, "[k]": 30, "[g]": 8, "[k, g]": 7}
    test = dice.weighted({"": 80, "[k]": 20} if plan.is_long else keys)
    found = [test] if test else []
    named = [*plan.positive, *plan.negated]
    found += [_local(dice, plan, name) for name in named if dice.chance(4 if plan.is_long else 18)]
    if plan.is_long:
        return found
    pairs = list(zip(plan.positive, plan.positive[1:], strict=False))
    if pairs and dice.chance(12):
        column = dice.pick(("x", "s", "k", "g", "x"))
        chain = pairs if dice.chance(80) else [dice.pick(pairs)]
        found += [f"{_of(plan, a, column)} = {_of(plan, b, column)}" for a, b in chain]
    if pairs and dice.chance(8):
        (a, b), column = dice.pick(pairs), dice.pick(("x", "y", "n", "time"))
        sign = dice.pick(("<", "<=", ">", ">=", "!="))
        found.append(f"{_of(plan, a, column)} {sign} {_of(plan, b, column)}")
    if dice.chance(40):
        found += [_next_to(dice, plan, a, b) for a, b in pairs if dice.chance(60)]
        found += [_trend(dice, name) for name in plan.kleenes if dice.chance(50)]
    if plan.negated and dice.chance(12):
        column, other = dice.pick(("x", "k", "s")), dice.pick(plan.positive)
        found.append(f"{dice.pick(plan.negated)}.{column} = {_of(plan, other, column)}")
    return found + [conjunct(dice, plan)] * dice.chance(4)


def _next_to(dice: Dice, plan: AggregatePlan, before: str, after: str) -> str:
    """A comparison of the last event of one variable with the first of the next."""
    left = f"{before}[last]" if before in plan.kleenes else before
    right = f"{after}[1]" if after in plan.kleenes else after
    form, sign = str(dice.pick(COMPARED)), dice.pick(COMPARE)
    if form.startswith(("{0}.s", "{0}.f")):
        sign = dice.pick(("!=", "="))
    if dice.chance(50):
        left, right = right, left
    return form.format(left, right, sign)


def _trend(dice: Dice, name: str) -> str:
    column = dice.pick(("x", "y", "x", "n"))
    first, second = (f"{name}[i].{column}", f"{name}[i-1].{column}")
    if dice.chance(50):
        first, second = second, first
    return f"{first} {dice.pick(COMPARE)} {second}"


def _of(plan: AggregatePlan, name: str, column: str) -> str:
    return f"{name}[i].{column}" if name in plan.kleenes else f"{name}.{column}"


def _local(dice: Dice, plan: AggregatePlan, name: str) -> str:
    """A condition on single events of one variable."""
    if dice.chance(20):
        return condition(dice, _of(plan, name, dice.pick(("z", "d"))), plan.zone)
    column = dice.pick(("x", "y", "x", "s", "n", "f"))
    one = _of(plan, name, column)
    if column == "f":
        return one
    form = dice.weighted({"compare": 60, "null": 15, "range": 25})
    if form == "null":
        return f"{one} IS NOT NULL"
    if form == "compare" or column == "n":
        return f"{one} {dice.pick(COMPARE)} {dice.pick(LITERALS[column])}"
    forms = STRINGS if column == "s" else RANGES
    return str(dice.pick(forms)).format(one, c=dice.pick(COMPARE), v=dice.pick(LITERALS["s"]))


# -- what is aggregated, and when ------------------------------------------------------------------


def aggregation(dice: Dice, plan: AggregatePlan) -> str:
    """AGG of COUNT, and up to three functions of attributes; a column of its own name for each."""
    items = {"COUNT": dice.pick(("", " AS n"))}
    for place in range(dice.weighted({1: 35, 0: 30, 2: 25, 3: 10})):
        function = dice.pick(("sum", "avg", "min", "max"))
        forms = ARGUMENTS["sum" if function in ("sum", "avg") else "min"]
        if plan.is_long:
            forms = forms[:2]  # sums of so many floats would leave no digits to compare
        argument = str(dice.pick(forms)).format(*[dice.pick(plan.positive)] * 2)
        is_plain = argument.count(".") == 1 and argument.replace(".", "").isalnum()
        items.setdefault(
            f"{function.upper()}({argument})", "" if is_plain and dice.chance(60) else f" AS r{place}"
        )
    if len(items) > 1 and dice.chance(15):
        del items["COUNT"]
    by = [group for group in GROUPS if plan.has_types or group != "type"]
    groups = dice.pick(by if not plan.is_long or dice.chance(40) else [""])
    text = ", ".join(item + name for item, name in items.items())
    return f"AGG {text} GROUP BY {groups}" if groups else f"AGG {text}"


def given_rows(dice: Dice, plan: AggregatePlan, items: str) -> tuple[str, str]:
    """HAVING and EMIT, either of which may be nothing, as they go with the items of AGG."""
    having = _having(dice, items.split(" GROUP BY ")[0]) if dice.chance(25) else ""
    return having, "EMIT ON RISE" if having and dice.chance(45) else _emission(dice, plan)


def _having(dice: Dice, items: str) -> str:
    """A condition on the columns of the row."""
    count = "n" if "COUNT AS n" in items else "count" if "COUNT" in items else ""
    forms = [
        form.format(count, dice.pick(COMPARE), dice.pick((0, 1, 2, 3, 5, 10))) for form in COUNTED if count
    ]
    forms += [f"{name} IS NOT NULL" for name in ("r0", "r1", "r2") if f" AS {name}" in items]
    return f"HAVING {dice.pick([*forms, 'time IS NOT NULL'])}"


def _emission(dice: Dice, plan: AggregatePlan) -> str:
    has_unit = plan.time_kind == "timestamp" or "time_unit" in plan.binding
    every: dict[Any, int] = {"EVERY": 25} if has_unit else {}
    mode = dice.weighted({"": 65, "EMIT ALL": 5, "EMIT ON CLOSE": 12, **every})
    if mode != "EVERY":
        return str(mode)
    return f"EMIT EVERY {dice.pick(PERIODS.get(plan.time_kind, WHOLE_PERIODS))}"
