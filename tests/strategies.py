"""Random whole cases: a valid query with a stream on which it has something to find.

case = random_case(random.Random(7))         a plain loop, fast
@given(cases())                              hypothesis, which shrinks: every draw is an integer,
                                             and 0 is always the simplest choice
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

DAY = datetime(2024, 1, 1, 12)


@dataclass(frozen=True)
class Case:
    """A query, the events that it runs over, and how they may be cut into batches.

    `lateness` is enough for a session that is fed in the order of the list to find nothing late and
    to order events as a whole run does; None where no lateness does (tie-breakers out of order).
    """

    query_text: str
    events: list[dict[str, Any]]
    binding: dict[str, Any]
    cuts: list[int]
    lateness: Any
    has_window: bool

    @property
    def table(self) -> pa.Table:
        """The events as Arrow; the columns' types do not depend on the values."""
        time = pa.field("time", TIME_TYPES[self.time_kind])
        fields = [time, *(pa.field(name, kind) for name, kind in COLUMN_TYPES.items())]
        names = {"time", *COLUMNS, *({"type"} & self.binding.keys())}
        if "type" in self.binding:
            fields.append(pa.field("type", pa.string()))
        assert all(event.keys() == names for event in self.events)
        return pa.Table.from_pylist(self.events, schema=pa.schema(fields))

    time_kind: str = "int"

    def __str__(self) -> str:
        rows = "\n".join(f"  {i}: {event}" for i, event in enumerate(self.events))
        return f"{self.query_text}\n{self.binding} cuts={self.cuts} lateness={self.lateness}\n{rows}"


class Dice:
    """All randomness, as integers between two bounds; the smallest is the simplest."""

    def __init__(self, integer: Callable[[int, int], int]) -> None:
        self.integer = integer

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, options: dict[Any, int]) -> Any:
        """One of the options, by weight; put the simplest first."""
        drawn = self.integer(0, sum(options.values()) - 1)
        for option, weight in options.items():
            if drawn < weight:
                return option
            drawn -= weight
        raise AssertionError


def random_case(rng: random.Random) -> Case:
    """A case from a seeded generator."""
    return _case(Dice(rng.randint))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """The same cases, for hypothesis."""
    return _case(Dice(lambda low, high: draw(st.integers(low, high))))


# -- streams ---------------------------------------------------------------------------------------

NAN = float("nan")
BIG = 2**62
COLUMNS: dict[str, list[Any]] = {
    "x": [1, 0, 2, 3, 1, 2, 0, 5, -1, 1, 2, 1, None],
    "y": [1.0, 0.0, 0.5, 2.0, 1.5, -1.0, 0.5, 3.0, 1.0, 2.5, 1.0, NAN, None],
    "n": [1, 7, -3, 2, 0, 4, -7, BIG, -2 * BIG, None],
    "s": ["a", "b", "ab", "a", "b", "ba", "B", "a", "ab", "", "é", None],
    "f": [True, False, True, True, None],
    "d": [DAY, DAY + timedelta(hours=30), DAY - timedelta(minutes=45, seconds=7), DAY, None],
    "k": [1, 1, 1, 1, 1, 2, 1, 1, 2, None],
    "g": ["p", "p", "p", "p", "p", "p", "q", "p", "p", None],
    "seq": [0, 1, 2],
}
COLUMN_TYPES: dict[str, pa.DataType] = {
    "x": pa.int64(),
    "y": pa.float64(),
    "n": pa.int64(),
    "s": pa.string(),
    "f": pa.bool_(),
    "d": pa.timestamp("us"),
    "k": pa.int64(),
    "g": pa.string(),
    "seq": pa.int64(),
}
LENGTHS: dict[str, tuple[str, ...]] = {
    "int": ("4", "6", "9", "2", "12"),
    "float": ("1", "2.25", "0.5", "3"),
    "timestamp": ("1 min", "2 minutes", "45 seconds", "0.05 hours", "15 s", "90500 ms"),
    "events": ("4", "6", "3", "8", "2", "12"),
}
TIME_TYPES = {"int": pa.int64(), "float": pa.float64(), "timestamp": pa.timestamp("us")}
TICKS: dict[str, Callable[[int], Any]] = {
    "int": lambda tick: tick,
    "float": lambda tick: tick / 4,
    "timestamp": lambda tick: DAY + timedelta(seconds=15 * tick),
}


def events_of(dice: Dice, plan: Plan) -> list[dict[str, Any]]:
    """Events whose types mostly follow the order of the pattern; time stands still now and then."""
    size = max(dice.integer(0, plan.longest) for _ in range(3))
    tick, found = 0, []
    for place in range(size):
        tick += dice.weighted({1: 50, 0: 20, 2: 20, 3: 10})
        event = {"time": TICKS[plan.time_kind](tick)}
        if dice.chance(2):
            event["time"] = NAN if plan.time_kind == "float" and dice.chance(50) else None
        if plan.has_types:
            likely = plan.types[place * len(plan.types) // size]
            event["type"] = dice.weighted(plan.kinds(likely))
        event |= {name: dice.pick(options) for name, options in plan.columns.items()}
        found.append(event)
    return found


def arranged(dice: Dice, plan: Plan, events: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], Any]:
    """The events in the order of the stream, or mixed up a little, and the lateness that this takes."""
    ties = plan.binding.get("order", ())
    timed = [event for event in events if _is_time(event["time"])]
    if not dice.chance(25):
        ordered = iter(sorted(timed, key=lambda e: (e["time"], *(e[c] for c in ties))))
        return [next(ordered) if _is_time(event["time"]) else event for event in events], 0
    moved = events[:]
    for place in range(len(moved) - 1):
        if dice.chance(40):
            moved[place], moved[place + 1] = moved[place + 1], moved[place]
    times = [event["time"] for event in moved if _is_time(event["time"])]
    if ties or plan.time_kind == "timestamp":
        return moved, None
    lags = [max(times[: i + 1]) - time for i, time in enumerate(times)]
    return moved, max(lags, default=0)


def _is_time(moment: Any) -> bool:
    return moment is not None and moment == moment


# -- patterns --------------------------------------------------------------------------------------


@dataclass
class Plan:
    """What has been decided of a case so far."""

    time_kind: str
    has_types: bool
    binding: dict[str, Any]
    strategy: str = ""
    types: list[str] = field(default_factory=list)
    singles: list[str] = field(default_factory=list)
    kleenes: list[str] = field(default_factory=list)
    negated: list[str] = field(default_factory=list)
    unbounded: int = 0
    columns: dict[str, list[Any]] = field(default_factory=lambda: COLUMNS)
    lengths: dict[str, tuple[str, ...]] = field(default_factory=lambda: LENGTHS)

    @property
    def positive(self) -> list[str]:
        return sorted(self.singles + self.kleenes)

    def kinds(self, likely: str) -> dict[str, int]:
        """How often an event is of which type, where the pattern would like it to be of one of them."""
        loyal = 70 if "skip" in self.strategy or not self.strategy else 200
        return {likely: loyal, "A": 10, "B": 10, "C": 10, "Z": 5}

    @property
    def longest(self) -> int:
        """How long a stream may be before its matches are too many."""
        if self.strategy in ("", "skip_till_any_match"):
            return (12, 8, 7, 6, 6)[self.unbounded] if len(self.positive) < 4 else 7
        return 14 if self.unbounded < 2 else 11


def pattern(dice: Dice, plan: Plan, size: int, required: bool, depth: int = 0) -> str:
    """A pattern of so many positive variables; if required, it cannot be empty."""
    if size == 1:
        return _atom(dice, plan, required)
    is_choice = dice.weighted({False: 80, True: 20})
    count = min(size, 2) if is_choice else dice.pick((size, size, 2))
    sizes = _composition(dice, size, count)
    needed = dice.integer(0, count - 1)
    parts = [
        pattern(dice, plan, part, is_choice or (required and i == needed), depth + 1)
        if part > 1
        else _atom(
            dice, plan, (is_choice and not dice.chance(5)) or (required and (is_choice or i == needed))
        )
        for i, part in enumerate(sizes)
    ]
    if is_choice:
        text = f"OR({', '.join(parts)})" if dice.chance(80) else f"({' | '.join(parts)})"
    else:
        text = f"SEQ({', '.join(with_absences(dice, plan, parts))})"
    return _with_own_window(dice, plan, text) if depth and dice.chance(30) else text


def _composition(dice: Dice, size: int, count: int) -> list[int]:
    sizes = [1] * count
    for _ in range(size - count):
        sizes[dice.integer(0, count - 1)] += 1
    return sizes


def _atom(dice: Dice, plan: Plan, required: bool) -> str:
    name = "abcd"[len(plan.positive)]
    kind = dice.pick("ABCA") if plan.has_types and not dice.chance(4) else "ANY"
    plan.types.append("A" if kind == "ANY" else kind)
    optional = {"?": 12, "*": 10, "{0,2}": 4}
    quantifier = dice.weighted({"": 50, "+": 22, "{1,2}": 5, "{2,3}": 5, **({} if required else optional)})
    if quantifier in ("", "?"):
        plan.singles.append(name)
        is_bare = not plan.has_types and not quantifier and dice.chance(50)
        return name if is_bare else f"{kind}{quantifier} {name}"
    plan.kleenes.append(name)
    plan.unbounded += 1
    text = f"{kind}{quantifier} {name}[]"
    return _with_own_window(dice, plan, text) if dice.chance(4) else text


def with_absences(dice: Dice, plan: Plan, parts: list[str], percent: int = 10) -> list[str]:
    """The parts of a SEQ, with absences before, between and after them; two at most."""
    found = []
    for place in range(len(parts) + 1):
        if len(plan.negated) < 2 and dice.chance(percent):
            name = "uv"[len(plan.negated)]
            plan.negated.append(name)
            kind = dice.pick("ABC") if plan.has_types else "ANY"
            found.append(f"{dice.pick('~!')}{kind} {name}")
        found += parts[place : place + 1]
    return found


def _with_own_window(dice: Dice, plan: Plan, text: str) -> str:
    return f"({text}) WITHIN {window(dice, plan)}"


def window(dice: Dice, plan: Plan) -> str:
    kind = dice.weighted({"time": 60, "half-open": 15, "events": 25})
    if kind == "events":
        return f"{dice.pick(plan.lengths['events'])} EVENTS"
    sign = "< " if kind == "half-open" else ""
    number = str(dice.pick(plan.lengths[plan.time_kind]))
    if "time_unit" in plan.binding:
        number += str(dice.pick((" s", "000 ms" if plan.time_kind == "int" else " seconds")))
    return sign + number


EMISSIONS = {
    "": 64,
    "EMIT ALL": 3,
    "EMIT NON OVERLAPPING": 15,
    "EMIT FIRST": 5,
    "EMIT LONGEST": 4,
    "EMIT COUNT": 4,
    "EMIT COMPRESSED": 5,
}


def _case(dice: Dice) -> Case:
    from tests.predicates import conjunct
    from tests.strategies_merging import merging_case

    if dice.chance(20):
        return merging_case(dice)
    plan = plan_of(dice)
    text = pattern(dice, plan, dice.weighted({2: 46, 1: 14, 3: 30, 4: 10}), required=True)
    tests = equivalences(dice, plan)
    tests += [conjunct(dice, plan) for _ in range(dice.weighted({0: 22, 1: 45, 2: 25, 3: 8}))]
    return assembled(dice, plan, text, tests, EMISSIONS)


def assembled(dice: Dice, plan: Plan, text: str, tests: list[str], emissions: dict[str, int]) -> Case:
    """The whole case of a pattern and its conjuncts: the other clauses, and a stream."""
    from tests.predicates import return_items

    lines = [f"PATTERN {text}"]
    if plan.strategy:
        lines.append(f"WHERE {plan.strategy} {{ {' AND '.join(tests)} }}")
    elif tests:
        lines.append(f"WHERE {' AND '.join(tests)}")
    has_window = dice.chance(70)
    if has_window:
        lines.append(f"WITHIN {window(dice, plan)}")
    returned = f"RETURN {return_items(dice, plan)}" if dice.chance(30) else ""
    emission = dice.weighted(emissions)
    if emission == "EMIT FIRST":
        emission += f" {dice.integer(1, 3)}"
    lines += [emission] if emission == "EMIT COUNT" else [returned, emission]
    events, lateness = arranged(dice, plan, events_of(dice, plan))
    cuts = sorted({dice.integer(0, len(events)) for _ in range(dice.integer(0, 3))})
    query_text = "\n".join(line for line in lines if line)
    return Case(query_text, events, plan.binding, cuts, lateness, has_window, plan.time_kind)


STRATEGIES = {
    "": 18,
    "skip_till_any_match": 17,
    "skip_till_next_match": 35,
    "strict_contiguity": 13,
    "partition_contiguity": 17,
}


def plan_of(dice: Dice, strategies: dict[str, int] = STRATEGIES, kind: type[Plan] = Plan) -> Plan:
    time_kind = dice.weighted({"int": 50, "timestamp": 30, "float": 20})
    has_types = not dice.chance(8)
    binding: dict[str, Any] = {"time": "time"}
    if has_types:
        binding["type"] = "type"
    if dice.chance(25):
        binding["order"] = ["seq"]
    if time_kind != "timestamp" and dice.chance(20):
        binding["time_unit"] = "s"
    return kind(time_kind, has_types, binding, dice.weighted(strategies))


def equivalences(dice: Dice, plan: Plan) -> list[str]:
    weights = (
        {"[k]": 60, "[k, g]": 20, "": 20}
        if plan.strategy == "partition_contiguity"
        else {"": 65, "[k]": 22, "[g]": 6, "[k, g]": 5, "[k] AND [g]": 2}
    )
    test = dice.weighted(weights)
    return [test] if test else []
