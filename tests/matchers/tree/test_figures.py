"""The figures of the paper on condensed composition: how many pairs are tested, and how many events are made.

A session tells both after each push, so what one event of a figure costs is the difference.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import cepheid
from cepheid.testing import Scenario, scenario

FIGURES = scenario(Path(__file__).parents[2] / "scenarios" / "condensed.scn")

QUERY_1 = """
PATTERN T1;T2;T3
WHERE T1.name=T3.name
AND T2.name='Google'
AND T1.price >= T2.price + 2.0
AND T3.price < T2.price
WITHIN 500
RETURN T1, T2, T3
"""
LEFT_NODE = "PATTERN T1;T2 WHERE T2.name = 'Google' AND T1.price >= T2.price + 2.0 WITHIN 500 RETURN T1, T2"
WITH_FOURTH = QUERY_1.replace("T3\nWHERE", "T3;T4\nWHERE").replace(
    "WITHIN 500\nRETURN T1, T2, T3", "AND T3.price > T4.price\nWITHIN 500\nRETURN T1, T2, T3, T4"
)

Event = tuple[int, str, float]


def costs(query: str, condense: str, events: list[Event], index: bool = False) -> list[tuple[int, int]]:
    """The pairs that each event makes the left-deep tree test, and the events that are made of it."""
    schema = pa.schema([("time", pa.int64()), ("name", pa.string()), ("price", pa.float64())])
    asked = cepheid.query(query).using("tree", condense=condense, index=index, shape="left")
    session = asked.session(schema, time="time")
    found, before = [], (0, 0)
    for event in events:
        session.push(pa.Table.from_pylist([dict(zip(schema.names, event, strict=True))], schema=schema))
        now = session.stats["pairs_tested"], session.stats["composites"]
        found.append((now[0] - before[0], now[1] - before[1]))
        before = now
    return found


@pytest.mark.parametrize("item", FIGURES, ids=lambda item: item.title)
@pytest.mark.parametrize("condense", ["always", "never"])
@pytest.mark.parametrize("index", [True, False])
def test_every_way_finds_what_the_automaton_finds(item: Scenario, condense: str, index: bool) -> None:
    query = cepheid.query(item.query)
    expected = query.using("nfa").run(item.events, **item.binding).table
    assert expected.num_rows > 0
    for shape in ("left", "right"):
        asked = query.using("tree", condense=condense, index=index, shape=shape)
        assert asked.run(item.events, **item.binding).table.equals(expected)


FIVE: list[Event] = [(1, "IBM", 6), (2, "Sun", 7), (3, "IBM", 6), (4, "IBM", 4), (5, "Google", 4)]


def test_the_trace_of_five_steps() -> None:
    """Figures 3 and 4: the fifth event meets (2), (1,3) and (4), and makes (2);(5) and (1,3);(5)."""
    *first, last = costs(LEFT_NODE, "always", FIVE)
    assert first == [(0, 1)] * 4  # each is put into the buffer of T1
    assert last == (3, 2 + 2)  # it is put into the buffers of T1 and T2
    assert costs(LEFT_NODE, "never", FIVE)[-1] == (4, 2 + 3)


def test_eight_combinations_are_tested_as_two() -> None:
    """Figure 2: two events T3, and four composites T1;T2 that are one condensed event."""
    events: list[Event] = [(1, "IBM", 6), (3, "IBM", 6), (5, "Google", 4), (7, "Google", 4)]
    events += [(8, "IBM", 3), (9, "IBM", 3)]
    tested = {
        condense: sum(pairs for pairs, _ in costs(QUERY_1, condense, events)[-2:])
        for condense in ("always", "never")
    }
    assert tested == {"always": 2, "never": 8}


def test_an_inserted_event_joins_what_agrees_with_it() -> None:
    """Figure 5: (2);(7) joins (2);(5), and (1,3);(7) joins (1,3);(5), so that T3 meets two events of six."""
    events = [*FIVE, (7, "Google", 4.0), (8, "Sun", 3.0)]
    assert costs(QUERY_1, "always", events)[-1][0] == 2
    assert costs(QUERY_1, "never", events)[-1][0] == 6


def test_one_condensed_event_stands_for_twelve() -> None:
    """Figure 6: T4 meets (15,16,18,20);(25,35,40);(60) once, though no two prices of T1 and T2 need agree."""
    events: list[Event] = [(15, "Sun", 6.15), (16, "Sun", 6.20), (18, "Sun", 6.20), (20, "Sun", 6.12)]
    events += [(25, "Google", 3.12), (35, "Google", 3.10), (40, "Google", 3.18), (60, "Sun", 3.05)]
    events += [(80, "IBM", 3.01)]
    assert costs(WITH_FOURTH, "always", events, index=True)[-1][0] == 1
    assert costs(WITH_FOURTH, "never", events, index=True)[-1][0] == 12
