"""Times at the ends of int64: what lies between two of them may leave it."""

from __future__ import annotations

import random
from dataclasses import replace

import pyarrow as pa
import pytest

import cepheid
from cepheid.matchers.windows import TICKS, leading_within, most_within, within
from tests.cases import Case, random_aggregate_case, random_case, random_merging_case
from tests.laws.differential import check_cases
from tests.laws.ways import BY_NAME, WAYS, Draw

LOWEST, HIGHEST = -(2**63), 2**63 - 1
CASES = 40


def at_the_ends(case: Case, place: str) -> Case:
    """The case with its times moved to an end of int64, or divided between both."""
    times = [event["time"] for event in case.events if event["time"] is not None]
    least, most = min(times), max(times)
    middle = sorted(times)[len(times) // 2]

    def moved(time: int | None) -> int | None:
        if time is None:
            return None
        if place == "last" or (place == "both" and time >= middle):
            return HIGHEST - (most - time)
        return LOWEST + (time - least)

    lateness = case.lateness if place != "both" or case.lateness == 0 else None
    events = [{**event, "time": moved(event["time"])} for event in case.events]
    return replace(case, events=events, lateness=lateness)


def far_cases(draw: Draw, place: str, count: int) -> list[Case]:
    found: list[Case] = []
    number = 0
    while len(found) < count:
        case = draw(random.Random(f"far-{place}-{number}"))
        number += 1
        has_times = case.time_kind == "int" and any(event["time"] is not None for event in case.events)
        if has_times and "EVERY" not in case.query_text:  # which has a row for each moment in between
            found.append(at_the_ends(case, place))
    return found


@pytest.mark.parametrize("place", ["first", "last", "both"])
@pytest.mark.parametrize("draw", [random_case, random_merging_case])
def test_matches(draw: Draw, place: str) -> None:
    check_cases(far_cases(draw, place, CASES), [BY_NAME["auto"]])


@pytest.mark.slow
@pytest.mark.parametrize("place", ["first", "last", "both"])
def test_aggregates(place: str) -> None:
    ways = [way for way in WAYS if way.name.startswith("aggregate ")]
    check_cases(far_cases(random_aggregate_case, place, CASES // 2), [BY_NAME["auto"], *ways])


@pytest.mark.parametrize("times", [(LOWEST, HIGHEST), (-(2**62) - 1, 2**62), (LOWEST, 0)])
@pytest.mark.parametrize(
    "text",
    [
        "PATTERN SEQ(A a, A b) WITHIN 10",
        "PATTERN SEQ((SEQ(A a, A b)) WITHIN 10, A? c) WITHIN 9000000000000000000",
        "PATTERN SEQ(A a, A b) WHERE b.time - a.time < 10",
        "PATTERN SEQ(A a, A b) WHERE b.time - a.time >= 10",
    ],
)
def test_a_distance_that_leaves_int64_is_no_short_one(text: str, times: tuple[int, int]) -> None:
    """A difference beyond int64 is null, as all arithmetic is, and its window is over."""
    table = pa.table({"time": pa.array(times, pa.int64()), "type": ["A", "A"]})
    assert len(cepheid.query(text).run(table, time="time", type="type")) == 0


def test_a_window_that_ends_behind_the_last_moment() -> None:
    """It closes when the stream does, whatever is absent."""
    table = pa.table({"time": pa.array([HIGHEST - 3, HIGHEST], pa.int64()), "type": ["A", "B"]})
    for text, found in (
        ("PATTERN SEQ(A a, ~B b) WITHIN 2", 1),
        ("PATTERN SEQ(A a, ~B b) WITHIN 3", 0),
        ("PATTERN SEQ(A a, ~C c) WITHIN 100", 1),
        ("PATTERN SEQ(~A a, B b) WITHIN 2", 1),
        ("PATTERN SEQ(~A a, B b) WITHIN 100", 0),
    ):
        assert len(cepheid.query(text).run(table, time="time", type="type")) == found, text
        session = cepheid.query(text).session(table.schema, time="time", type="type")
        assert session.push(table).num_rows + session.close().num_rows == found, text


def test_windows_of_kernels() -> None:
    for earlier, later, limit, expected in (
        (LOWEST, HIGHEST, HIGHEST, False),
        (LOWEST, -1, HIGHEST, True),
        (LOWEST, 0, HIGHEST, False),
        (LOWEST, LOWEST, 0, True),
        (HIGHEST - 1, HIGHEST, 0, False),
        (5, 3, 0, True),
    ):
        assert within(TICKS, limit, earlier, later) == expected
    moments = pa.array([LOWEST, -1, 0, HIGHEST]).to_numpy()
    assert leading_within((TICKS, HIGHEST), LOWEST, moments) == 2
    assert most_within(TICKS, HIGHEST, moments) == 2
