"""Shards of profiles without Spark: random sets over micro-batches, with a state store that is a dict."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from cepheid.runners.spark.frames import MATCHES
from cepheid.runners.spark.journal import AT_HAND
from cepheid.runners.spark.pack import pack, unpack
from cepheid.runners.spark.route import PROFILES
from tests.spark.agreement_pipeline import MICRO_BATCHES
from tests.spark.agreement_profile_jobs import BatchTask, SetJob, SetRoutes, SetVisits
from tests.spark.agreement_profiles import Told, expected, told, trials
from tests.spark.agreement_stream import Arrival, arrival_of

pytestmark = pytest.mark.spark


class StateOfKey:
    """A variable of Spark's state: a value or a list for each group."""

    def __init__(self, handle: DictHandle, name: str) -> None:
        self.handle, self.name = handle, name

    @property
    def place(self) -> tuple[Any, str]:
        return self.handle.key, self.name

    def exists(self) -> bool:
        return self.place in self.handle.values

    def get(self) -> Any:
        return self.handle.values.get(self.place)

    def update(self, value: Any) -> None:
        self.handle.values[self.place] = value

    def clear(self) -> None:
        self.handle.values.pop(self.place, None)

    def appendList(self, rows: list[Any]) -> None:
        self.update([*(self.get() or []), *rows])


class ListOfKey(StateOfKey):
    """A list is there, though it may be empty."""

    def get(self) -> Any:
        return super().get() or []


class DictHandle:
    """What Spark gives a processor."""

    def __init__(self) -> None:
        self.key: Any = None
        self.values: dict[tuple[Any, str], Any] = {}

    def getValueState(self, name: str, schema: Any) -> StateOfKey:
        return StateOfKey(self, name)

    def getListState(self, name: str, schema: Any) -> StateOfKey:
        return ListOfKey(self, name)


def streamed(job: SetJob, arrival: Arrival, rng: random.Random) -> Told:
    """What a set tells as a stream; now and then another worker goes on from what rests in the store."""
    handle, found = DictHandle(), Counter[tuple[str, str]]()
    for place in range(MICRO_BATCHES):
        visits = SetVisits([job])
        visits.init(handle)  # type: ignore[arg-type]
        for key, frame in _groups(job, arrival, place):
            handle.key = key
            for told_frame in visits.handleInputRows((key,), iter([frame]), None):
                for what, blob in zip(told_frame["what"], told_frame["blob"], strict=True):
                    found += told(unpack(blob)) if what == MATCHES else Counter()
        if rng.random() < 0.5:
            AT_HAND._shards.clear()
    return found


def _groups(job: SetJob, arrival: Arrival, place: int) -> Iterator[tuple[int, Any]]:
    rows = [{"trial": 0, "what": "events", "blob": pack(arrival.batches[place].combine_chunks())}]
    rows = [row for row in rows if len(arrival.batches[place])]
    if place in (0, 2):
        rows.append({"trial": 0, "what": PROFILES, "blob": pack(job.profiles)})
    routed = list(SetRoutes([job])([pa.RecordBatch.from_pylist(rows)])) if rows else []
    if routed:
        for key, frame in pa.Table.from_batches(routed).to_pandas().groupby("key"):
            yield int(key), frame


@pytest.mark.parametrize("seed", range(3))
def test_random_sets_as_streams(seed: int) -> None:
    rng = random.Random(seed)
    for trial in trials(8, seed, is_stream=True):
        arrival = arrival_of(trial, rng)  # type: ignore[arg-type]
        found = streamed(SetJob(trial, arrival.lateness), arrival, rng)
        assert found == expected(trial, arrival.lateness), trial


def test_random_sets_in_batches() -> None:
    number = pa.RecordBatch.from_pylist([{"trial": 0}])
    for trial in trials(10, 5, is_stream=False):
        rows = list(BatchTask([SetJob(trial, 0)], 1)([number]))
        found = sum((told(pa.Table.from_batches([batch])) for batch in rows), Counter[tuple[str, str]]())
        assert found == expected(trial, 0), trial
