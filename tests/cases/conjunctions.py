"""Random cases with AND: at any depth, with absence, quantifiers and windows inside, and AGG over it.

case = random_and_case(random.Random(7))
case = random_and_aggregate_case(random.Random(7))
@given(and_cases())
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.cases.aggregate import COMPARED, AggregateCase, AggregatePlan, aggregation, given_rows
from tests.cases.clauses import assembled, plan_of
from tests.cases.conditions import COMPARE, conjunct
from tests.cases.dice import Dice
from tests.cases.merging import FEW, LONG
from tests.cases.patterns import composition, window, with_absences
from tests.cases.streams import Case

STRATEGIES = {"": 75, "skip_till_any_match": 25}
KEYS = {"": 66, "[k]": 22, "[g]": 6, "[k, g]": 6}
EMISSIONS = {
    "": 46,
    "EMIT ALL": 4,
    "EMIT NON OVERLAPPING": 10,
    "EMIT FIRST": 10,
    "EMIT LONGEST": 10,
    "EMIT COUNT": 10,
    "EMIT COMPRESSED": 10,
}
SIGNS = {"AND": " & ", "SEQ": " ; ", "OR": " | "}
OPERATORS = {"AND": 54, "SEQ": 34, "OR": 12}
INSIDE_AND = {"SEQ": 56, "AND": 28, "OR": 16}
ABSENCES = {"AND": 8, "SEQ": 8, "SEQ in AND": 36, "OR": 0}  # percent, at each place among the parts
QUANTIFIERS = {"": 70, "+": 8, "{1,2}": 4, "{2,3}": 2, "{2,}": 2}
OPTIONAL = {"?": 8, "*": 5, "{0,2}": 3}
MOST_KLEENES = 2  # more have more combinations than the oracle should list


@dataclass
class AndPlan(AggregatePlan):
    """A plan whose streams are as long as all combinations of their events allow."""

    def kinds(self, likely: str) -> dict[str, int]:
        return {likely: 160, "A": 10, "B": 10, "C": 10, "Z": 4}

    @property
    def least(self) -> int:
        return min(5, self.longest)

    @property
    def longest(self) -> int:
        size = (16, 11, 8)[len(self.kleenes)] - max(0, len(self.positive) - 3)
        return size if self.has_types else min(size, 8)


def random_and_case(rng: random.Random) -> Case:
    """A case of matches from a seeded generator."""
    return _case(Dice(rng.randint))


def random_and_aggregate_case(rng: random.Random) -> AggregateCase:
    """A case of AGG from a seeded generator."""
    return _aggregate_case(Dice(rng.randint))


@st.composite
def and_cases(draw: st.DrawFn) -> Case:
    """The same cases, matches and AGG, for hypothesis."""
    dice = Dice(lambda low, high: draw(st.integers(low, high)))
    return _aggregate_case(dice) if dice.chance(25) else _case(dice)


def _case(dice: Dice) -> Case:
    plan, text, tests = _drawn(dice)
    return assembled(dice, plan, text, tests, EMISSIONS)


def _aggregate_case(dice: Dice) -> AggregateCase:
    plan, text, tests = _drawn(dice)
    items = aggregation(dice, plan)
    case = assembled(dice, plan, f"{text}\n{items}", tests, {"": 1}, returns=0)
    given = "\n".join(line for line in given_rows(dice, plan, items) if line)
    fields = vars(case) | {"query_text": f"{case.query_text}\n{given}".strip()}
    return AggregateCase(**fields)


def _drawn(dice: Dice) -> tuple[AndPlan, str, list[str]]:
    """A plan, its pattern and its conjuncts."""
    plan = plan_of(dice, STRATEGIES, AndPlan)
    assert isinstance(plan, AndPlan)
    if dice.chance(60):
        plan.columns, plan.lengths = FEW, dict(LONG)
    text = _part(dice, plan, dice.weighted({3: 36, 2: 18, 4: 34, 5: 12}), required=True, needs_and=True)
    plan.types *= dice.pick((2, 3, 1, 3))  # so that narrow windows hold a match too
    keys = dice.weighted(KEYS)
    count = dice.weighted({1: 42, 0: 38, 2: 16, 3: 4})
    return plan, text, [keys] * bool(keys) + [and_test(dice, plan) for _ in range(count)]


# -- patterns --------------------------------------------------------------------------------------


def _part(
    dice: Dice,
    plan: AndPlan,
    size: int,
    required: bool,
    needs_and: bool = False,
    around: tuple[str, ...] = (),
) -> str:
    """A pattern of so many positive variables, inside these operators; if required, it cannot be empty."""
    if size == 1:
        return _atom(dice, plan, required)
    in_and = "AND" in around
    operator = "AND" if needs_and and size == 2 else dice.weighted(INSIDE_AND if in_and else OPERATORS)
    hands_down = needs_and and operator != "AND"
    most = size - hands_down
    sizes = composition(dice, size, dice.pick((2, most, 2, min(3, most))))
    inner, needed = sizes.index(max(sizes)), dice.integer(0, len(sizes) - 1)
    parts, types = [], []
    for place, one in enumerate(sizes):
        before, plan.types = plan.types, []
        is_needed = operator == "OR" or (required and place == needed)
        parts.append(_part(dice, plan, one, is_needed, hands_down and place == inner, (*around, operator)))
        types.append(plan.types)
        plan.types = before
    plan.types += _mixed(dice, types) if operator == "AND" else [kind for some in types for kind in some]
    percent = ABSENCES["SEQ in AND" if in_and and operator == "SEQ" else operator]
    parts = with_absences(dice, plan, parts, percent, kinds="ZCZBA") if percent else parts
    text = f"{operator}({', '.join(parts)})" if dice.chance(80) else f"({SIGNS[operator].join(parts)})"
    return f"({text}) WITHIN {window(dice, plan)}" if around and dice.chance(30) else text


def _atom(dice: Dice, plan: AndPlan, required: bool) -> str:
    name = "abcde"[len(plan.positive)]
    kind = dice.pick("ABCA") if plan.has_types and not dice.chance(4) else "ANY"
    plan.types.append("A" if kind == "ANY" else kind)
    quantifier = dice.weighted(QUANTIFIERS if required else QUANTIFIERS | OPTIONAL)
    if quantifier not in ("", "?") and len(plan.kleenes) < MOST_KLEENES:
        plan.kleenes.append(name)
        return f"{kind}{quantifier} {name}[]"
    plan.singles.append(name)
    return f"{kind}{quantifier.strip('+*{0123456789,}')} {name}"


def _mixed(dice: Dice, types: list[list[str]]) -> list[str]:
    """The types of several parts in some order that keeps those of each part, for a stream to follow."""
    left = [list(some) for some in types]
    found = []
    while any(left):
        found.append(dice.pick([some for some in left if some]).pop(0))
    return found


# -- conditions ------------------------------------------------------------------------------------


def and_test(dice: Dice, plan: AndPlan) -> str:
    """Mostly a comparison of two variables, which a join is made by; sometimes anything."""
    if dice.chance(35) or len(plan.positive) < 2:
        return conjunct(dice, plan)
    names = list(plan.positive)
    one = names.pop(dice.integer(0, len(names) - 1))
    other = dice.pick(plan.negated if plan.negated and dice.chance(25) else names)
    form, sign = str(dice.pick(COMPARED)), dice.pick((*COMPARE, "=", "="))
    if form.startswith(("{0}.s", "{0}.f")):
        sign = dice.pick(("=", "!="))
    return form.format(_event_of(dice, plan, one), _event_of(dice, plan, other), sign)


def _event_of(dice: Dice, plan: AndPlan, name: str) -> str:
    return f"{name}[{dice.pick(('i', '1', 'last'))}]" if name in plan.kleenes else name
