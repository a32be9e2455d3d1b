"""Who an event is, and so which `match_id` a match has: content and order, never the form it comes in."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.events import FewEvents
from cepheid.matchers.identity import EventIdentities
from cepheid.matchers.match_identity import at_variable, without_variable

TIME = np.array([1, 2, 2, 2, 5], np.int64)
COLUMNS: dict[str, Any] = {"x": [1, 2, 2, 3, None], "s": ["a", "é", "é", "", None]}


def hashes(columns: dict[str, Any], time: np.ndarray = TIME) -> list[tuple[int, ...]]:
    batch = pa.RecordBatch.from_pydict(columns)
    found = EventIdentities(tuple(columns)).hashes(batch, time)
    return [tuple(row) for row in found.tolist()]


PLAIN = hashes(COLUMNS)

FORMS: dict[str, dict[str, Any]] = {
    "int32": {"x": pa.array(COLUMNS["x"], pa.int32())},
    "uint8": {"x": pa.array(COLUMNS["x"], pa.uint8())},
    "uint64": {"x": pa.array(COLUMNS["x"], pa.uint64())},
    "dictionary": {"s": pa.array(COLUMNS["s"]).dictionary_encode()},
    "another dictionary": {
        "s": pa.DictionaryArray.from_arrays(
            pa.array([2, 1, 3, 0, None], pa.int8()), pa.array(["", "é", "a", "é"])
        )
    },
    "large string": {"s": pa.array(COLUMNS["s"], pa.large_string())},
    "dictionary of numbers": {"x": pa.array(COLUMNS["x"]).dictionary_encode()},
    "a slice": {"s": pa.array(["z", *COLUMNS["s"], "z"]).slice(1, 5)},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_the_form_of_a_column_means_nothing(form: dict[str, Any]) -> None:
    assert hashes({**COLUMNS, **form}) == PLAIN


def test_the_order_of_columns_means_nothing() -> None:
    assert hashes({"s": COLUMNS["s"], "x": COLUMNS["x"]}) == PLAIN


def test_every_event_is_someone() -> None:
    assert len(set(PLAIN)) == len(PLAIN)
    assert len({lane for row in PLAIN for lane in row}) == 2 * len(PLAIN)


@pytest.mark.parametrize("cuts", list(itertools.combinations(range(1, 5), 2)))
def test_cuts_mean_nothing(cuts: tuple[int, ...]) -> None:
    identities = EventIdentities(("x", "s"))
    batch = pa.RecordBatch.from_pydict(COLUMNS)
    found: list[tuple[int, ...]] = []
    for start, stop in itertools.pairwise([0, *cuts, 5]):
        part = identities.hashes(batch.slice(start, stop - start), TIME[start:stop])
        found += [tuple(row) for row in part.tolist()]
        nothing = identities.hashes(batch.slice(0, 0), TIME[:0])
        assert nothing.shape == (0, 2)
    assert found == PLAIN


def test_repeated_events_are_numbered_in_their_own_time() -> None:
    same = {"x": [7] * 5}
    found = hashes(same, np.array([1, 1, 1, 2, 2], np.int64))
    assert len(set(found[:3])) == 3
    assert found[:2] == found[3:]  # time itself is one of the columns that a plan names


def test_reals_are_known_by_value() -> None:
    assert hashes({"y": [0.0]}, TIME[:1]) == hashes({"y": [-0.0]}, TIME[:1])
    assert hashes({"y": [float("nan")]}, TIME[:1]) == hashes(
        {"y": pa.array([float("nan")], pa.float32())}, TIME[:1]
    )
    assert hashes({"y": [1.5]}, TIME[:1]) == hashes({"y": pa.array([1.5], pa.float32())}, TIME[:1])


def test_times_are_known_by_moment() -> None:
    one_day = {
        str(kind): hashes({"t": pa.array([86_400], pa.timestamp("s")).cast(kind)}, TIME[:1])
        for kind in (pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us", "UTC"), pa.timestamp("ns"))
    }
    assert len(set(map(str, one_day.values()))) == 1
    fine = pa.array([86_400 * 10**9 + 1], pa.timestamp("ns"))
    assert hashes({"t": fine}, TIME[:1]) != one_day["timestamp[s]"]


def test_neighbouring_texts_do_not_run_together() -> None:
    assert hashes({"p": ["ab"], "q": ["c"]}, TIME[:1]) != hashes({"p": ["a"], "q": ["bc"]}, TIME[:1])
    assert hashes({"p": [None], "q": [""]}, TIME[:1]) != hashes({"p": [""], "q": [None]}, TIME[:1])


# -- match_id --------------------------------------------------------------------------------------

EVENTS = pa.table({"time": [1, 2, 3, 3, 4], "type": ["A", "A", "B", "B", "B"], "x": [5, 5, 6, 6, 7]})
QUERY = cepheid.query("PATTERN SEQ(A+ a[], B b) WITHIN 10")


def ids(events: Any, query: cepheid.Query = QUERY) -> list[str]:
    found: list[str] = query.run(events, time="time", type="type").table.column("match_id").to_pylist()
    return found


def test_ids_are_distinct_and_repeat() -> None:
    assert len(set(ids(EVENTS))) == len(ids(EVENTS)) == 9
    assert ids(EVENTS) == ids(EVENTS)


def test_ids_do_not_depend_on_the_form() -> None:
    encoded = EVENTS.set_column(1, "type", EVENTS.column("type").dictionary_encode())
    narrow = EVENTS.set_column(2, "x", EVENTS.column("x").cast(pa.int16()))
    for form in (
        encoded,
        narrow,
        EVENTS.to_pylist(),
        pa.concat_tables([EVENTS.slice(0, 2), EVENTS.slice(2)]),
    ):
        assert ids(form) == ids(EVENTS)


def test_another_query_gives_other_ids() -> None:
    other = cepheid.query("PATTERN SEQ(A+ a[], B b) WITHIN 11")
    assert not set(ids(EVENTS)) & set(ids(EVENTS, other))


def test_which_event_is_bound_to_which_variable_counts() -> None:
    one = pa.table({"time": [1, 2], "type": ["A", "A"], "x": [1, 1]})
    query = cepheid.query("PATTERN OR(SEQ(A a, A b), SEQ(A c, A d)) WITHIN 10")
    assert len(set(ids(one, query))) == 2


MOMENTS = [1_000, 1_001, None, -1, 2_000_000]
KINDS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "int8": (pa.int8(), [1, -1, None, 0, 127]),
    "uint64": (pa.uint64(), [1, 0, None, 5, 2**63 - 1]),
    "float": (pa.float64(), [0.0, -0.0, None, float("nan"), 1e300]),
    "float32": (pa.float32(), [0.5, -2.0, None, float("inf"), 1.0]),
    "bool": (pa.bool_(), [True, False, None, True, False]),
    "text": (pa.large_string(), ["", "é🦀", None, "a" * 100, "b"]),
    "nested": (pa.struct([("n", pa.int64())]), [{"n": 1}, {"n": None}, None, {"n": 2}, {"n": 3}]),
    **{unit: (pa.timestamp(unit, "UTC"), MOMENTS) for unit in ("s", "ms", "us", "ns")},
}


@pytest.mark.parametrize("cuts", [(0, 5), (0, 1, 2, 3, 4, 5), (0, 2, 3, 5)])
@pytest.mark.parametrize(("kind", "values"), KINDS.values(), ids=KINDS.keys())
def test_a_few_events_are_who_they_are_among_many(
    kind: pa.DataType, values: list[Any], cuts: tuple[int, ...]
) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(values, kind), pa.array(COLUMNS["s"])], ["x", "s"])
    many = EventIdentities(("x", "s")).hashes(batch, TIME).tolist()
    for form in ("few", "batch"):
        identities, found = EventIdentities(("x", "s")), []
        for start, stop in itertools.pairwise(cuts):
            rows = list(zip(values, COLUMNS["s"], strict=True))[start:stop]
            few = FewEvents(rows, ("x", "s"), (kind, pa.string()))
            part = few if form == "few" else few.record_batch()
            found += identities.hashes(part, TIME[start:stop]).tolist()
        assert found == many


def test_the_identity_of_an_event_without_its_variable() -> None:
    events = np.array([[1, 2**64 - 1], [0, 77], [2**63, 5]], np.uint64)
    variables = np.array([[0], [3], [62]], np.uint64)
    known = [[at_variable(each, int(v[0])) for each in row] for row, v in zip(events, variables, strict=True)]
    assert (without_variable(np.array(known, np.uint64), variables) == events).all()
