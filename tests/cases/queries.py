"""Random cases of queries that return matches.

case = random_case(random.Random(7))         a plain loop, fast
@given(cases())                              hypothesis, which shrinks: every draw is an integer,
                                             and 0 is always the simplest choice
"""

from __future__ import annotations

import random

from hypothesis import strategies as st

from cepheid.language.sase.parse import parse
from cepheid.pattern.query import Strategy
from tests.cases.clauses import assembled, equivalences, plan_of
from tests.cases.conditions import conjunct
from tests.cases.dice import Dice
from tests.cases.merging import merging_case
from tests.cases.patterns import pattern
from tests.cases.streams import Case

EMISSIONS = {
    "": 64,
    "EMIT ALL": 3,
    "EMIT NON OVERLAPPING": 15,
    "EMIT FIRST": 5,
    "EMIT LONGEST": 4,
    "EMIT COUNT": 4,
    "EMIT COMPRESSED": 5,
}


def random_case(rng: random.Random) -> Case:
    """A case from a seeded generator."""
    return _case(Dice(rng.randint))


def random_any_case(rng: random.Random) -> Case:
    """One with skip_till_any_match, which all engines of matches take."""
    while parse((case := random_case(rng)).query_text).strategy is not Strategy.ANY:
        pass
    return case


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """The same cases, for hypothesis."""
    return _case(Dice(lambda low, high: draw(st.integers(low, high))))


def _case(dice: Dice) -> Case:
    if dice.chance(20):
        return merging_case(dice)
    plan = plan_of(dice)
    text = pattern(dice, plan, dice.weighted({2: 46, 1: 14, 3: 30, 4: 10}), required=True)
    tests = equivalences(dice, plan)
    tests += [conjunct(dice, plan) for _ in range(dice.weighted({0: 22, 1: 45, 2: 25, 3: 8}))]
    return assembled(dice, plan, text, tests, EMISSIONS)
