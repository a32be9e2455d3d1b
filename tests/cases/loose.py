"""Random sets of profiles over events without a schema: attributes come and go, and are of several kinds.

case = random_loose_case(random.Random(7))
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Event = dict[str, Any]

VALUES: tuple[Any, ...] = (0, 1, 2, 3, 1.0, 0.5, 2.5, "a", "b", "1", "ab", "", True, False)
TIMES: tuple[Any, ...] = (
    "2024-05-01",
    "2024-05-01 12:00",
    "2024-05-02T12:00:00",
    datetime(2024, 5, 1),
    datetime(2024, 5, 1, 12),
    datetime(2024, 5, 2, 12),
)
"""Texts that look like times, and times."""
ODD_VALUES: tuple[Any, ...] = (
    {"c": 1},
    {"c": "a"},
    [1, 2],
    {},
    datetime(2024, 5, 1),
    datetime(2024, 5, 2, 12),
)
KEYS: tuple[Any, ...] = (1, 1, 1.0, "1", "1", True, 2, "b", datetime(2024, 5, 1), {"c": 1})
PATTERNS: tuple[tuple[str, str], ...] = (
    ("A a", "a"),
    ("ANY a", "a"),
    ("SEQ(A a, B b)", "ab"),
    ("SEQ(A a, A b)", "ab"),
    ("SEQ(A a, ANY b)", "ab"),
    ("SEQ(A a, B b, C c)", "abc"),
    ("AND(A a, B b)", "ab"),
    ("OR(A a, B b)", "ab"),
    ("OR(SEQ(A a, B b), C c)", "abc"),
    ("SEQ(A a, ~C c, B b)", "ab"),
    ("SEQ(A a, ~C c)", "a"),
    ("SEQ(~C c, A a)", "a"),
    ("SEQ(AND(A a, B b), C c)", "abc"),
    ("SEQ((SEQ(A a, B b)) WITHIN 3, C c)", "abc"),
    ("SEQ(A[2] a, B b)", "ab"),
    ("SEQ(A+ a[], B b)", "b"),
    ("SEQ(A a, B? b, C c)", "ac"),
    ("SILENCE OF A a FOR 2", "a"),
    ("SEQ(SILENCE OF A a FOR 2, B b)", "ab"),
    ("SEQ(A a, EVERY 3)", "a"),
)
ALONE = (
    "{v}.x > 1",
    "{v}.x <= 1",
    "{v}.x = 1",
    "{v}.x = 1.0",
    "{v}.x != 1",
    "{v}.x = 'a'",
    "{v}.x != 'a'",
    "{v}.x < 'b'",
    "{v}.x = '1'",
    "NOT {v}.x > 1",
    "NOT {v}.x = 'a'",
    "NOT ({v}.x = 1 OR {v}.y = 'a')",
    "{v}.x IN (1, 2)",
    "{v}.x IN (1, 'a', 2.5)",
    "{v}.x NOT IN (1, 3)",
    "{v}.x NOT IN ('a', 1)",
    "{v}.x BETWEEN 1 AND 2",
    "{v}.x NOT BETWEEN 1 AND 2",
    "{v}.x BETWEEN 'a' AND 'b'",
    "{v}.x BETWEEN 0 AND 'b'",
    "{v}.x LIKE 'a%'",
    "{v}.x NOT LIKE '%b'",
    "{v}.x IS NULL",
    "{v}.y IS NOT NULL",
    "{v}.x",
    "NOT {v}.x",
    "{v}.x = TRUE",
    "{v}.x = {v}.y",
    "{v}.x != {v}.y",
    "{v}.x < {v}.y",
    "NOT {v}.x < {v}.y",
    "{v}.x + 1 > {v}.y",
    "{v}.x - {v}.y >= 0",
    "-{v}.x < 0",
    "{v}.o.c = 1",
    "{v}.o.c IS NULL",
    "{v}.o = {v}.x",
    "{v}.never = 1",
    "{v}.never IS NULL",
    "coalesce({v}.x, {v}.y) = 1",
    "coalesce({v}.x, {v}.y, 'a') = 'a'",
    "coalesce({v}.x, {v}.y) IS NULL",
    "CASE WHEN {v}.x > 1 THEN {v}.y ELSE 'a' END = 'a'",
    "length({v}.x) = 1",
    "abs({v}.x) = 1",
    "(lower({v}.x) = 'a' OR {v}.y > 1)",
    "{v}.x >= TIMESTAMP '2024-05-01 12:00'",
    "{v}.x < TIMESTAMP '2024-05-02'",
    "{v}.x = TIMESTAMP '2024-05-01'",
    "NOT {v}.x = TIMESTAMP '2024-05-01'",
    "{v}.x IN (TIMESTAMP '2024-05-01', 'a', '2024-05-01 12:00')",
    "{v}.x BETWEEN TIMESTAMP '2024-05-01' AND TIMESTAMP '2024-05-02'",
    "{v}.x > '2024-05-01'",
    "{v}.x != '2024-05-01 12:00'",
    "{v}.x NOT BETWEEN '2024-05-01' AND '2024-05-02'",
    "coalesce({v}.y, '2024-05-02') > TIMESTAMP '2024-05-01'",
    "time_of_day({v}.x) >= '12:00'",
    "({v}.x > 1 OR {v}.x = 'a') AND {v}.y IS NOT NULL",
)
JOINT = (
    "{v}.x = {w}.x",
    "{v}.x != {w}.x",
    "NOT {v}.x = {w}.x",
    "{v}.x < {w}.x",
    "{v}.x >= {w}.y",
    "NOT {v}.x < {w}.y",
    "{v}.x + {w}.x > 2",
    "{v}.x - {w}.x < 2",
    "{v}.o.c = {w}.o.c",
    "({v}.x = {w}.y OR {v}.y > 1)",
    "{v}.never = {w}.x",
    "{v}.time < {w}.time",
    "coalesce({v}.x, 0) = coalesce({w}.x, 0)",
)
ABSENT = ("c.x = a.x", "c.x > 1", "c.x != 'a'")


@dataclass(frozen=True)
class LooseProfile:
    """The text of a profile, and its parameters."""

    text: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class LooseCase:
    """Events, and profiles over them."""

    events: list[Event]
    profiles: dict[str, LooseProfile]

    def __str__(self) -> str:
        texts = (f"{name} {each.parameters}: {each.text}" for name, each in self.profiles.items())
        return "\n".join([*texts, *map(repr, self.events)])


def random_loose_case(rng: random.Random) -> LooseCase:
    """A case from a seeded generator."""
    events = _events(rng)
    return LooseCase(events, {f"p{n}": random_loose_profile(rng) for n in range(rng.randint(1, 4))})


def _events(rng: random.Random) -> list[Event]:
    time, events = 0, []
    kinds = rng.choice((VALUES, VALUES, (0, 1, 2, "a"), (*VALUES, *ODD_VALUES), (*TIMES, 1, "a")))
    keys = rng.choice(((1, 1.0, "1"), KEYS))
    for _ in range(rng.randint(4, 14)):
        time += rng.choice((0, 1, 1, 2))
        event: Event = {"time": time, "type": rng.choice("AABBC")}
        for name in ("x", "y"):
            if rng.random() < 0.8:
                event[name] = rng.choice((*kinds, None)) if rng.random() < 0.9 else rng.choice(ODD_VALUES)
        if rng.random() < 0.85:
            event["k"] = rng.choice(keys)
        if rng.random() < 0.4:
            event["o"] = rng.choice(({"c": 1}, {"c": "a"}, {"c": None}, {"d": 2}, 1, "a"))
        if rng.random() < 0.1:
            event[rng.choice("pqr")] = rng.choice(VALUES)
        events.append(event)
    return events


def random_loose_profile(rng: random.Random) -> LooseProfile:
    """A profile that names attributes which events may have or not."""
    pattern, variables = rng.choice(PATTERNS)
    tests = ["[k]"] if rng.random() < 0.4 else []
    for _ in range(rng.choice((0, 1, 1, 2))):
        choices = ALONE if rng.random() < 0.75 else [test for test in ALONE if "2024" in test]
        tests.append(rng.choice(choices).format(v=rng.choice(variables)))
    if len(variables) > 1 and "OR(" not in pattern and rng.random() < 0.6:
        v, w = rng.sample(variables, 2)
        tests.append(rng.choice(JOINT).format(v=v, w=w))
    if "~C c" in pattern and rng.random() < 0.5:
        tests.append(rng.choice(ABSENT))
    if "a[]" in pattern and rng.random() < 0.7:
        tests.append(
            rng.choice(("a[i].x > a[i-1].x", "a[i].x != a[i-1].x", "a[i].x = a[1].x", "a[i].x >= 0"))
        )
    where = f"\nWHERE {' AND '.join(tests)}" if tests else ""
    returns = _returns(rng, variables) if rng.random() < 0.35 else ""
    text = f"PATTERN {pattern}{where}\nWITHIN {rng.choice((3, 5, 8))}{returns}"
    may_select = not any(word in pattern for word in ("+", "?", "[2]"))
    select = rng.choice(("all", "all", "first", 2)) if may_select else "all"
    once = rng.choice((None, None, None, "ever", 4))
    return LooseProfile(
        text, {"select": select, "consume": rng.choice(("all", "all", "unique", "reapply")), "once": once}
    )


def _returns(rng: random.Random, variables: str) -> str:
    v = rng.choice(variables)
    items = (
        "{v}.x AS x",
        "{v} AS whole",
        "{v}.x + 1 AS more",
        "{v}.o.c AS c",
        "{v}.never AS never",
        "{v}.time AS t",
    )
    chosen = rng.sample(items, rng.randint(1, 3))
    return "\nRETURN " + ", ".join(item.format(v=v) for item in chosen)
