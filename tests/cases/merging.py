"""Random cases in which runs become alike: few values, Kleene variables, conditions on what a run remembers.

case = random_merging_case(random.Random(7))
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import Absent, Kleene, atoms
from tests.cases.clauses import assembled, equivalences, plan_of
from tests.cases.conditions import conjunct
from tests.cases.dice import Dice
from tests.cases.patterns import window, with_absences
from tests.cases.streams import COLUMNS, Case, Plan

FEW: dict[str, list[Any]] = {
    **COLUMNS,
    "x": [1, 2, 1, 1, 2, 3, None],
    "y": [1.0, 0.5, 1.0, 1.0, 0.5],
    "n": [1, 1, 2],
    "s": ["a", "b", "a"],
    "k": [1, 1, 1, 2],
    "g": ["p", "p", "q"],
}
LONG = {
    "int": ("12", "8", "20", "4"),
    "float": ("3", "2", "4.5", "1"),
    "timestamp": ("3 min", "2 minutes", "4.5 min", "1 min"),
    "events": ("9", "6", "12", "4"),
}
STRATEGIES = {
    "": 30,
    "skip_till_any_match": 30,
    "skip_till_next_match": 25,
    "partition_contiguity": 10,
    "strict_contiguity": 5,
}
EMISSIONS = {
    "": 36,
    "EMIT NON OVERLAPPING": 15,
    "EMIT FIRST": 12,
    "EMIT LONGEST": 12,
    "EMIT COUNT": 12,
    "EMIT COMPRESSED": 13,
}
PARTS: tuple[tuple[str, ...], ...] = (
    ("A+ a[]", "B b"),
    ("A+ a[]",),
    ("A a", "A+ b[]"),
    ("A a", "B+ b[]", "C c"),
    ("A+ a[]", "A+ b[]"),
    ("A+ a[]", "A* b[]", "B c"),
    ("A a", "B* b[]", "A c"),
    ("A a", "A? b", "A c"),
    ("A+ a[]", "B? b", "C c"),
    ("A? a", "A+ b[]", "B? c"),
    ("A{1,2} a[]", "B b"),
    ("A{2,3} a[]", "A b"),
    ("A{2,} a[]", "B b"),
    ("A a", "B{0,2} b[]", "A c"),
    ("OR(A a, B+ b[])", "A c"),
    ("A a", "OR(B b, A+ c[])", "B d"),
    ("OR(SEQ(A a, B+ b[]), SEQ(B c, A d))",),
    ("OR(SEQ(A a, ~C w, B+ b[]), B c)", "A? d"),
    ("(SEQ(A+ a[], B b)) WITHIN {window}", "C c"),
    ("A a", "(B+ b[]) WITHIN {window}", "A c"),
    ("A a", "(SEQ(A b, B* c[])) WITHIN {window}"),
    ("A a", "A b", "A c"),
)
OF_ONE_KLEENE = (
    "{0}[i].x >= {0}[i-1].x",
    "{0}[i].x != {0}[i-1].x",
    "{0}[i].x = {0}[1].x",
    "{0}[i].s != {0}[i-1].s",
    "{0}[i].x >= avg({0}[..i-1].x)",
    "{0}[i].x <= max({0}[..i-1].x)",
    "{0}[i].x * 2 > sum({0}[..i-1].x)",
    "sum({0}[..i-1].x) <= 3",
    "count({0}[..i-1].x) < 2",
    "{0}.len >= 2",
    "{0}.len <= 2",
    "{0}.len % 2 = 0",
    "{0}[2].x <= 2",
    "coalesce({0}[3].x, {0}[2].x, 1) != 2",
    "count(DISTINCT {0}.x) <= 2",
    "count(DISTINCT {0}[..i-1].x) < 2",
    "sum({0}.x) % 2 = 1",
    "sum({0}.x) <= 4",
    "avg({0}.y) >= 0.75",
    "{0}[last].x = {0}[1].x",
    "{0}[1].x = 1",
    "{0}[last].x = 2",
)
OF_KLEENE_AND_SINGLE = (
    "{1}.x = {0}[last].x",
    "{1}.x >= {0}[1].x",
    "{1}.x > avg({0}.x)",
    "{1}.x <= sum({0}.x)",
    "{1}.x = {0}.len",
    "{1}.x >= {0}[i].x",
    "{1}.s = {0}[last].s",
    "{1}.x >= {0}[2].x",
    "{1}.x <= count(DISTINCT {0}.s)",
    "{0}.len + {1}.x <= 4",
)
OF_TWO_KLEENES = (
    "{0}[last].x <= {1}[1].x",
    "{0}.len <= {1}.len",
    "{0}.len + {1}.len <= 4",
    "sum({0}.x) < sum({1}.x) + 2",
    "{1}[i].x >= {0}[last].x",
    "{1}[i].x != {0}[i].x",
)
OF_TWO_SINGLES = ("{0}.x = {1}.x", "{0}.x <= {1}.x", "{0}.s = {1}.s", "{0}.x + {1}.x != 3")


@dataclass
class MergingPlan(Plan):
    """A plan whose streams and windows are as long as the oracle allows."""

    def kinds(self, likely: str) -> dict[str, int]:
        return {likely: 120, "A": 10, "B": 10, "C": 5, "Z": 3}

    @property
    def longest(self) -> int:
        if self.strategy in ("", "skip_till_any_match"):
            return (14, 11, 9, 7)[min(len(self.kleenes), 3)] if len(self.positive) < 4 else 8
        return 13 if len(self.kleenes) < 2 else 11


def random_merging_case(rng: random.Random) -> Case:
    """A case from a seeded generator."""
    return merging_case(Dice(rng.randint))


def merging_case(dice: Dice) -> Case:
    """A case from any dice."""
    plan = plan_of(dice, STRATEGIES, MergingPlan)
    plan.columns, plan.lengths = FEW, LONG
    text = _pattern(dice, plan)
    tests = equivalences(dice, plan)
    tests += [_test(dice, plan) for _ in range(dice.weighted({1: 50, 0: 30, 2: 20}))]
    return assembled(dice, plan, text, tests, EMISSIONS)


def _pattern(dice: Dice, plan: Plan) -> str:
    parts = [part.replace("{window}", window(dice, plan)) for part in dice.pick(PARTS)]
    for atom in atoms(parse(f"PATTERN {_sequence(parts)}").pattern):
        kind = Kleene if isinstance(atom, Kleene) else Absent if isinstance(atom, Absent) else None
        {Kleene: plan.kleenes, Absent: plan.negated, None: plan.singles}[kind].append(atom.variable)
        if kind is not Absent:
            plan.types.append(str(atom.type))
    text = _sequence(with_absences(dice, plan, parts, percent=12))
    return text if plan.has_types else _of_any_type(text)


def _sequence(parts: list[str]) -> str:
    return f"SEQ({', '.join(parts)})" if len(parts) > 1 else parts[0]


def _of_any_type(text: str) -> str:
    """Without a type column, variables are of ANY event."""
    for letter in "ABC":
        for before in ("(", " ", "~", "!"):
            for after in " +*?{":
                text = text.replace(f"{before}{letter}{after}", f"{before}ANY{after}")
        if text.startswith(letter):
            text = f"ANY{text[1:]}"
    return text


def _test(dice: Dice, plan: Plan) -> str:
    """Mostly about what tells two runs apart; sometimes anything."""
    if dice.chance(15):
        return conjunct(dice, plan)
    singles = [*plan.singles, *plan.negated[:1]]
    forms: list[tuple[tuple[str, ...], list[str]]] = []
    if plan.kleenes:
        forms += 2 * [(OF_ONE_KLEENE, [dice.pick(plan.kleenes)])]
    if plan.kleenes and singles:
        forms.append((OF_KLEENE_AND_SINGLE, [dice.pick(plan.kleenes), dice.pick(singles)]))
    if len(plan.kleenes) > 1:
        forms.append((OF_TWO_KLEENES, plan.kleenes[:2]))
    if len(singles) > 1:
        start = dice.integer(0, len(singles) - 2)
        forms.append((OF_TWO_SINGLES, singles[start : start + 2]))
    if not forms:
        return conjunct(dice, plan)
    options, names = dice.pick(forms)
    return str(dice.pick(options)).format(*names)
