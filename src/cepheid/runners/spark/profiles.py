"""Profiles over a DataFrame: they are divided among shards, and events go where they are wanted.

Both are rows on their way, so nothing has to be known on the driver. A first pass over the profiles says
which types of events each shard wants; events are copied to those shards, and meet the profiles there.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cepheid.errors import BindingError, UnsupportedError
from cepheid.events import EventSchema
from cepheid.plan.profile.sets import ProfileSetPlan
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.pack import pack
from cepheid.runners.spark.ranges import SHARD
from cepheid.runners.spark.schema import as_events, spark_schema
from cepheid.runners.spark.ticks import quoted
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms

GIVEN = ("profile", "query", "select", "consume", "once", "timezone")
"""The columns of a DataFrame of profiles; the first two are required."""

SHARDS = 4
"""How many there are unless told: each has a copy of the events that it wants."""

WANTED = "cepheid type"

ProfileRows = list[dict[str, Any]]
Planned = Callable[[ProfileRows, EventSchema], ProfileSetPlan]
"""How rows of profiles are planned over a stream."""

MOST_KEPT = 64
"""Of so many shards a worker keeps in mind which types they want."""

_TYPES: dict[tuple[str, str], list[str | None]] = {}

INTEREST = pa.schema([(SHARD, pa.int32()), (WANTED, pa.string())])


@dataclass(frozen=True, slots=True)
class ProfileShards:
    """What workers know of profiles and of the stream."""

    stream: EventSchema
    terms: Terms
    planned: Planned
    result: pa.Schema = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "result", self.planned([], self.stream).output_schema)

    @property
    def profiles(self) -> pa.Schema:
        """The columns of a profile on its way: names that no stream has by chance."""
        return pa.schema([(SHARD, pa.int32()), *((given_column(name), pa.string()) for name in GIVEN)])

    @property
    def both(self) -> pa.Schema:
        """The columns of an event or of a profile; the others are null."""
        return pa.schema([*self.profiles, *(f.with_nullable(True) for f in self.stream.columns)])


def given_column(name: str) -> str:
    """What a column of profiles is called beside those of events."""
    return f"cepheid {name}"


def match_profile_frames(
    df: DataFrame, profiles: DataFrame, shards: ProfileShards, count: int | None
) -> DataFrame:
    """What all profiles tell in a finite DataFrame."""
    number = count or SHARDS
    placed = placed_profiles(profiles, number)
    interest = placed.repartition(number, F.col(quoted(SHARD))).mapInArrow(
        InterestTask(shards), spark_schema(INTEREST)
    )
    events = df.join(F.broadcast(interest), _wants(shards.stream), "inner")
    names = [field.name for field in shards.both]
    both = _filled(events, df.schema.names, shards, names).unionByName(_filled(placed, [], shards, names))
    gathered = both.repartition(number, F.col(quoted(SHARD)))
    return gathered.mapInArrow(ProfileTask(shards), spark_schema(shards.result))


def placed_profiles(profiles: DataFrame, number: int) -> DataFrame:
    """The profiles with their shards, and with all columns that may be given."""
    if profiles.isStreaming:
        raise UnsupportedError(
            "the DataFrame of profiles is a stream: profiles are read once, when the events begin",
            hint="use a finite DataFrame of profiles",
        )
    missing = [name for name in GIVEN[:2] if name not in profiles.columns]
    unknown = [name for name in profiles.columns if name not in GIVEN]
    if missing or unknown:
        wrong = f"has no column '{missing[0]}'" if missing else f"has a column '{unknown[0]}'"
        raise BindingError(f"the DataFrame of profiles {wrong}: its columns are {', '.join(GIVEN)}")
    shard = F.pmod(F.xxhash64(F.col("profile")), F.lit(number)).cast("int")
    given = [
        (F.col(name).cast("string") if name in profiles.columns else F.lit(None).cast("string")).alias(
            given_column(name)
        )
        for name in GIVEN
    ]
    return profiles.select(shard.alias(SHARD), *given)


def _wants(stream: EventSchema) -> Column:
    """Whether a shard wants an event: one that wants no type in particular wants all."""
    wanted = F.col(quoted(WANTED))
    return (
        wanted.isNull() if stream.type is None else wanted.isNull() | (wanted == F.col(quoted(stream.type)))
    )


def _filled(rows: DataFrame, own: list[str], shards: ProfileShards, names: list[str]) -> DataFrame:
    """Events, or (if they have no columns of their own) profiles, with null for the columns of the other."""
    kinds = {each.name: each.dataType for each in spark_schema(shards.both)}
    there = {SHARD, *(own or list(shards.profiles.names))}
    return rows.select(
        *(
            F.col(quoted(name)) if name in there else F.lit(None).cast(kinds[name]).alias(name)
            for name in names
        )
    )


@dataclass(frozen=True, slots=True)
class InterestTask:
    """Says which types the profiles of each shard want; null is any."""

    shards: ProfileShards

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows of shard and type."""
        for shard, rows in by_shard(batches, self.shards.profiles):
            types = self._types(rows.sort_by(given_column("profile")))
            columns = [pa.array([shard] * len(types), pa.int32()), pa.array(types, pa.string())]
            yield pa.RecordBatch.from_arrays(columns, schema=INTEREST)

    def _types(self, rows: pa.Table) -> list[str | None]:
        """A stream asks the same at every micro-batch, so a worker keeps the answer."""
        known = hashlib.sha256(pack(rows.combine_chunks())).hexdigest(), str(self.shards.stream)
        if known not in _TYPES:
            while len(_TYPES) >= MOST_KEPT:
                del _TYPES[next(iter(_TYPES))]
            _TYPES[known] = wanted_types(self.shards.planned(as_profiles(rows), self.shards.stream))
        return _TYPES[known]


def wanted_types(plan: ProfileSetPlan) -> list[str | None]:
    """The types of events that any profile of a set asks for; just None, if it may be any."""
    found: set[str | None] = set()
    for each in plan.templates:
        if each.reason is not None:  # it may count events, or ask when the first one came
            return [None]
        found |= set(each.types)
    return [None] if None in found else [*sorted(filter(None, found))]


@dataclass(frozen=True, slots=True)
class ProfileTask:
    """Lets the events of each shard meet its profiles."""

    shards: ProfileShards

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of the result."""
        shards = self.shards
        for _, rows in by_shard(batches, shards.both):
            is_profile = rows.column(given_column("profile")).is_valid()
            plan = shards.planned(as_profiles(rows.filter(is_profile)), shards.stream)
            events = rows.filter(pc.invert(is_profile)).select(shards.stream.columns.names)
            assigned = Assignment(plan, shards.terms, side=False)
            bad = SideOutput("bad", shards.terms.on_bad, shards.stream.columns)
            given = events.cast(shards.stream.columns)
            yield from assigned.rows(assigned.matches(given, bad), bad)


def by_shard(batches: Iterable[pa.RecordBatch], columns: pa.Schema) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each shard that a worker was given."""
    given = [as_events(batch, columns) for batch in batches]
    if not given:
        return
    table = pa.Table.from_batches(given, schema=columns)
    for shard in pc.unique(table.column(SHARD)).to_pylist():
        yield shard, table.filter(pc.equal(table.column(SHARD), shard))


def as_profiles(rows: pa.Table) -> ProfileRows:
    """Profiles that are rows, in the order of their names."""
    own = rows.select([given_column(name) for name in GIVEN]).rename_columns(list(GIVEN))
    listed: ProfileRows = sorted(own.to_pylist(), key=lambda row: str(row["profile"]))
    return listed
