"""Random profiles: a query with what is told of its matches, over a stream on which it has something to tell.

case = random_profile_case(random.Random(7))
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cepheid.language.sase.parse import parse
from cepheid.pattern import nodes as pt
from tests.cases.clauses import assembled, plan_of
from tests.cases.conditions import conjunct
from tests.cases.conjunctions import AndPlan, and_test
from tests.cases.dice import Dice
from tests.cases.merging import FEW, LONG
from tests.cases.patterns import composition, with_absences
from tests.cases.streams import Case

# What other engines do for a profile has suites of its own. Here it has a smaller share, so that at least
# half of all profiles are followed in the single step.
STRATEGIES = {
    "": 74,
    "skip_till_any_match": 12,
    "skip_till_next_match": 7,
    "strict_contiguity": 3,
    "partition_contiguity": 4,
}
CONTIGUOUS = ("strict_contiguity", "partition_contiguity")
KEYS = {"": 62, "[k]": 28, "[g]": 4, "[k, g]": 6}
CONSUMED = {"all": 40, "unique": 30, "reapply": 30}
OPERATORS = {"SEQ": 46, "AND": 36, "OR": 18}
TIME_EVENTS = {"EVERY": 35, "SILENCE": 17, "AT": 48}
QUANTIFIERS = {"": 66, "[1]": 7, "[2]": 14, "+": 8, "{1,2}": 5}
OPTIONAL = {"?": 7, "*": 3}
EVERY: dict[str, tuple[str, ...]] = {
    "int": ("3", "4", "2", "5"),
    "float": ("0.75", "1", "0.5", "0.3"),
    "timestamp": ("45 s", "1 min", "30 seconds", "75 s"),
}
SILENT: dict[str, tuple[str, ...]] = {
    "int": ("2", "3", "1"),
    "float": ("0.5", "0.25", "0.75", "0.4"),
    "timestamp": ("30 s", "15 s", "45 s"),
}
PERIODS: dict[str, tuple[Any, ...]] = {
    "int": (3, 6, 10),
    "float": (0.75, 2, 1.5),
    "timestamp": ("1 min", "45 s", "2 minutes"),
}
AT: dict[str, tuple[tuple[str, str], ...]] = {
    "int": (("00:00:05", "UTC"), ("00:00:09", "UTC"), ("01:00:06", "Europe/Berlin")),
    "float": (("00:00:01", "UTC"), ("00:00:02.25", "UTC"), ("01:00:01.5", "Europe/Berlin")),
    "timestamp": (("12:01", "UTC"), ("12:00:45", "UTC"), ("13:01:30", "Europe/Berlin")),
}
AT_CHANGES: dict[str, tuple[str, ...]] = {
    "Europe/Berlin": ("02:30", "02:59:30", "03:00", "02:59", "03:01"),
    "America/New_York": ("02:10", "01:59:30", "03:00", "01:59", "03:00:30"),
    "Australia/Lord_Howe": ("02:15", "01:59:30", "02:30", "01:59", "02:31"),
}
"""In each zone a time in the gap, one that clocks show twice just before they go back, and others."""


@dataclass(frozen=True)
class ProfileCase(Case):
    """A case with the parameters of a profile."""

    select: Any = "all"
    consume: str = "all"
    once: Any = None
    timezone: str = "UTC"

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "select": self.select,
            "consume": self.consume,
            "once": self.once,
            "timezone": self.timezone,
        }

    def __str__(self) -> str:
        return f"{self.parameters}\n{super().__str__()}"


@dataclass
class PlannedProfile(AndPlan):
    """What has been decided of a profile."""

    timezone: str = "UTC"
    beats: int = 0  # how many time events it may have yet
    has_beat: bool = False
    may_repeat: bool = True  # whether it may have Kleene and optional variables

    @property
    def longest(self) -> int:
        return 12 if len(self.kleenes) == 0 and len(self.positive) < 4 else 9


def random_profile_case(rng: random.Random) -> ProfileCase:
    """A case from a seeded generator."""
    dice = Dice(rng.randint)
    return _case(dice, _planned(dice))


def random_cases_like(case: ProfileCase, rng: random.Random, attempts: int) -> Iterator[ProfileCase]:
    """Cases over streams that are bound as that of another one. A case that will be of another stream is
    given up as soon as that is known."""
    dice = Dice(rng.randint)
    for _ in range(attempts):
        plan = _planned(dice)
        if (plan.binding, plan.time_kind) == (case.binding, case.time_kind):
            yield _case(dice, plan)


def _planned(dice: Dice) -> PlannedProfile:
    plan = plan_of(dice, STRATEGIES, PlannedProfile)
    assert isinstance(plan, PlannedProfile)
    plan.beats = 0 if plan.strategy in CONTIGUOUS else dice.weighted({0: 64, 1: 25, 2: 11})
    is_beside = plan.beats > 0 or plan.strategy not in ("", "skip_till_any_match")
    plan.may_repeat = dice.chance(75 if is_beside else 12)
    if plan.beats and plan.time_kind != "timestamp" and dice.chance(85):
        plan.binding["time_unit"] = "s"
    return plan


def _case(dice: Dice, plan: PlannedProfile) -> ProfileCase:
    if dice.chance(70):
        plan.columns, plan.lengths = FEW, dict(LONG)
    plan.timezone = "UTC" if plan.time_zone is None else plan.zone
    keys = dice.weighted(KEYS)
    text = _part(dice, plan, dice.weighted({2: 46, 1: 10, 3: 34, 4: 10}), True, bool(keys))
    plan.types = (plan.types or ["A"]) * dice.pick((2, 3, 1, 3))
    count = dice.weighted({0: 46, 1: 42, 2: 12}) if plan.positive else 0
    tests = [keys] * bool(keys) + [_test(dice, plan) for _ in range(count)]
    case = assembled(dice, plan, text, tests, {"": 1}, returns=20 if plan.positive else 0)
    counts_events = not plan.has_beat and dice.chance(25)  # windows of events are for other engines too
    query = case.query_text if counts_events else _in_time(case.query_text, plan, dice)
    fields = vars(case) | {"query_text": query, "has_window": "\nWITHIN" in query}
    return ProfileCase(
        **fields,
        select=_select(dice, query),
        consume=dice.weighted(CONSUMED),
        once=dice.weighted({None: 56, "ever": 14, dice.pick(PERIODS[plan.time_kind]): 30}),
        timezone=plan.timezone,
    )


# -- patterns --------------------------------------------------------------------------------------


def _part(dice: Dice, plan: PlannedProfile, size: int, required: bool, anchored: bool, depth: int = 0) -> str:
    """A pattern of so many parts that select something; if anchored, one of them is surely an event."""
    if size == 1:
        return _leaf(dice, plan, required, anchored)
    is_ordered = plan.strategy not in ("", "skip_till_any_match")
    operator = dice.weighted({k: v for k, v in OPERATORS.items() if k != "AND" or not is_ordered})
    sizes = composition(dice, size, dice.pick((2, size, 2)))
    chosen = dice.integer(0, len(sizes) - 1)
    parts = []
    for place, one in enumerate(sizes):
        here = operator == "OR" or place == chosen
        parts.append(_part(dice, plan, one, here and required, here and anchored, depth + 1))
    parts = parts if operator == "OR" else with_absences(dice, plan, parts, 7, kinds="ZCZBA")
    text = f"{operator}({', '.join(parts)})"
    return f"({text}) WITHIN {_length(dice, plan)}" if depth and dice.chance(45) else text


def _leaf(dice: Dice, plan: PlannedProfile, required: bool, anchored: bool) -> str:
    if plan.beats and not anchored and dice.chance(70):
        plan.beats -= 1
        return _time_event(dice, plan)
    if plan.beats and plan.has_types and dice.chance(25):
        plan.beats -= 1
        return _silence(dice, plan)
    name = "abcde"[len(plan.positive)]
    kind = dice.pick("ABCA") if plan.has_types and not dice.chance(6) else "ANY"
    plan.types.append("A" if kind == "ANY" else kind)
    options = QUANTIFIERS | (OPTIONAL if not required else {}) if plan.may_repeat else {"": 70, "[2]": 20}
    quantifier = dice.weighted(options)
    if quantifier in ("+", "{1,2}", "*") and not plan.kleenes:
        plan.kleenes.append(name)
        return f"{kind}{quantifier} {name}[]"
    plan.singles.append(name)
    return f"{kind}{'' if quantifier in ('+', '{1,2}', '*') else quantifier} {name}"


def _time_event(dice: Dice, plan: PlannedProfile) -> str:
    plan.has_beat = True
    has_clock = plan.time_kind == "timestamp" or "time_unit" in plan.binding
    kind = dice.weighted(TIME_EVENTS)
    if kind == "SILENCE":
        return _silence(dice, plan)
    if kind == "AT" and has_clock:
        if plan.time_zone is not None:
            return f"AT '{dice.pick(AT_CHANGES[plan.zone])}'"
        clock, plan.timezone = dice.pick([o for o in AT[plan.time_kind] if plan.timezone in ("UTC", o[1])])
        return f"AT '{clock}'"
    return f"EVERY {dice.pick(EVERY[plan.time_kind])}"


def _silence(dice: Dice, plan: PlannedProfile) -> str:
    plan.has_beat = True
    name = "abcde"[len(plan.positive)]
    plan.singles.append(name)
    kind = dice.pick("ABCA") if plan.has_types else "ANY"
    plan.types.append("A" if kind == "ANY" else kind)
    return f"SILENCE OF {kind} {name} FOR {dice.pick(SILENT[plan.time_kind])}"


def _length(dice: Dice, plan: PlannedProfile) -> str:
    return f"{dice.pick(('', '', '< '))}{dice.pick(plan.lengths[plan.time_kind])}"


def _in_time(text: str, plan: PlannedProfile, dice: Dice) -> str:
    """Windows of time, where windows of events cannot be."""
    length = dice.pick(plan.lengths[plan.time_kind])
    return re.sub(r"WITHIN \d+ EVENTS", f"WITHIN {length}", text)


def _test(dice: Dice, plan: PlannedProfile) -> str:
    return conjunct(dice, plan) if dice.chance(40) else and_test(dice, plan)


# -- parameters ------------------------------------------------------------------------------------


def _select(dice: Dice, text: str) -> Any:
    """A choice for all variables, or for some of those that may have one."""
    pattern = parse(text).pattern
    atoms = [a for a in pt.atoms(pattern) if not isinstance(a, pt.Absent)]
    free = [a for a in atoms if isinstance(a, pt.Single | pt.Silence)]
    if not any(isinstance(a, pt.Kleene | pt.Optional) for a in atoms) and dice.chance(35):
        return dice.weighted({"first": 50, "all": 30, 2: 20})
    final = set(_final(pattern))
    found: dict[str, Any] = {}
    for atom in free if dice.chance(62) else ():
        options = {"first": 30, "all": 25, 2: 15} | ({"last": 45} if atom.variable not in final else {})
        found[atom.variable] = dice.weighted(options)
    return found or "all"


def _final(node: pt.Pattern) -> Iterator[str]:
    """Variables that may stand after all others; perhaps some that do not."""
    match node:
        case pt.Atom(variable=variable):
            yield variable
        case pt.Seq(parts=parts):
            positive = [p for p in parts if not isinstance(p, pt.Absent)]
            yield from _final(positive[-1])
        case pt.Within(part=part):
            yield from _final(part)
        case pt.Choice(parts=parts) if len(parts) > 1:
            return
