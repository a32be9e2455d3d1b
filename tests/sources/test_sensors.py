"""Generated sensors of a building: the hours of the day, faults, and silences."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import cepheid
from cepheid.sources.generate import SENSORS_SCHEMA, sensor_batches, sensors
from cepheid.sources.generate.sensors import TYPES

FOUND = {
    "a heating sticks": "PATTERN Temperature t WHERE [office] AND t.value > 26 "
    "AND (hour(t.time) >= 22 OR hour(t.time) < 6)",
    "a sensor is silent": "PATTERN SILENCE OF Reading r FOR 30 min WHERE [sensor]",
    "a laboratory is cold and damp": "PATTERN AND(Temperature t, Humidity h) WHERE [laboratory] "
    "AND t.value < 15 AND h.value > 70 WITHIN 30 min",
    "somebody comes in": "PATTERN SEQ(WindowBroken w, Presence p) WHERE [office] WITHIN 10 min",
}


@pytest.fixture(scope="module")
def building() -> pa.Table:
    return sensors(150_000, seed=1)


def test_columns_types_and_order(building: pa.Table) -> None:
    assert building.schema == SENSORS_SCHEMA and building.num_rows == 150_000
    assert set(pc.unique(building["type"].cast(pa.string())).to_pylist()) == set(TYPES)
    assert (np.diff(building["time"].to_numpy()) >= np.timedelta64(0)).all()
    assert pc.all(pc.xor(building["office"].is_null(), building["laboratory"].is_null())).as_py()


@pytest.mark.parametrize("batch_rows", [1, 1_000, 65_536])
def test_neither_batches_nor_the_size_change_what_comes(building: pa.Table, batch_rows: int) -> None:
    batches = sensor_batches(3_000, 1, batch_rows=batch_rows)
    assert pa.Table.from_batches(batches).combine_chunks() == building.slice(0, 3_000).combine_chunks()


def test_the_afternoon_is_warmer_than_the_night(building: pa.Table) -> None:
    degrees = building.filter(pc.equal(building["type"].cast(pa.string()), "Temperature"))
    hour = pc.hour(degrees["time"])
    mean = {at: pc.mean(degrees.filter(pc.equal(hour, at))["value"]).as_py() for at in (3, 15)}
    assert mean[15] > mean[3] + 3


def test_nobody_comes_on_sundays(building: pa.Table) -> None:
    seen = building.filter(pc.equal(building["type"].cast(pa.string()), "Presence"))
    days = pc.value_counts(pc.day_of_week(seen["time"])).to_pylist()
    counts = {each["values"]: each["counts"] for each in days}
    assert counts[0] > 10 * counts.get(6, 0)  # Monday and Sunday


@pytest.mark.parametrize("what", FOUND)
def test_something_goes_wrong(building: pa.Table, what: str) -> None:
    assert len(cepheid.profile(FOUND[what]).run(building, time="time", type="type")) > 0


def test_rooms_and_nonsense() -> None:
    few = sensors(2_000, 1, rooms=2)
    assert pc.unique(few["office"]).sort().to_pylist() == [1, 2]
    assert sensors(0, 1).num_rows == 0
    for wrong in ({"size": -1}, {"seed": -1}, {"rooms": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            sensors(**{"size": 1, "seed": 1, **wrong})
