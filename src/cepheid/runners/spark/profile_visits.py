"""Shards of profiles in Spark's state store: each has its profiles there, beside what they know."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
from pyspark.sql import types as st

from cepheid.errors import SnapshotError
from cepheid.plan.profile.sets import ProfileSetPlan
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.frames import Frames
from cepheid.runners.spark.pack import pack, unpack
from cepheid.runners.spark.profiles import ProfileShards, as_profiles, given_column
from cepheid.runners.spark.route import BEAT, PROFILES, Beat
from cepheid.runners.spark.stamp import INSTEAD, Stamp
from cepheid.runners.spark.visits import ShardVisits

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle, ValueState

KEPT = st.StructType([st.StructField("data", st.BinaryType())])
"""The profiles of a group, packed; of the guard, what tells the set from others."""

MOST_PLANS = 16
"""How many sets of profiles a worker keeps planned."""

_PLANS: dict[tuple[str, str], ProfileSetPlan] = {}


class ProfileVisits(ShardVisits):
    """What Spark calls for each group of a micro-batch; at a start, its profiles are among its rows."""

    def __init__(self, shards: ProfileShards, assigned: Assignment, stamp: Stamp, frames: Frames) -> None:
        super().__init__(assigned, stamp, frames)
        self.shards = shards

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Once a task."""
        self.keep_in(handle.getValueState("profiles", KEPT))
        super().init(handle)

    def keep_in(self, profiles: ValueState) -> None:
        """Keep the profiles of the group that is being visited here."""
        self._profiles = profiles

    def _visited(self, number: int, given: list[tuple[str, bytes]]) -> Iterator[pd.DataFrame]:
        arriving = [blob for what, blob in given if what == PROFILES]
        if arriving and not self._profiles.exists():
            rows = pa.concat_tables(map(unpack, arriving)).sort_by(given_column("profile"))
            self._profiles.update((pack(rows.combine_chunks()),))
        self.plan = self._planned()
        yield from super()._visited(number, given)

    def _planned(self) -> ProfileSetPlan:
        """The plan of this group's profiles; a worker plans them once."""
        packed = self._kept()
        known = hashlib.sha256(packed).hexdigest(), self.stamp.fingerprint
        if known not in _PLANS:
            rows = unpack(packed) if packed else self.shards.profiles.empty_table()
            while len(_PLANS) >= MOST_PLANS:
                del _PLANS[next(iter(_PLANS))]
            _PLANS[known] = self.shards.planned(as_profiles(rows), self.shards.stream)
        return _PLANS[known]

    def _kept(self) -> bytes:
        found = self._profiles.get()
        return b"" if found is None else bytes(found[0])

    def _guard(self, given: list[tuple[str, bytes]]) -> None:
        """Refuse other profiles than those at rest: their state, and the way of the events, would not fit."""
        super()._guard(given)
        told = [bytes(blob) for what, blob in given if what == PROFILES]
        beats = [Beat.from_bytes(blob) for what, blob in given if what == BEAT]
        told += [beat.known.encode() for beat in beats if beat.known is not None]
        if told and not self._profiles.exists():
            self._profiles.update((told[0],))
        if any(self._kept() != known for known in told):
            raise SnapshotError(
                "the profiles are other ones than those that this checkpoint was made with: go on with "
                f"those, {INSTEAD}"
            )
