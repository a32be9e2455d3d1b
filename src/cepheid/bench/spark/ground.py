"""What all experiments on Spark share: a session, a folder of events, and how two contenders are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from cepheid.bench.harness import Timing, measure, median_ratio
from cepheid.bench.processes import family_seconds
from cepheid.bench.results import Row
from cepheid.bench.spark.events import Trades, write_events
from cepheid.bench.spark.sizes import SparkSizes
from cepheid.errors import CepheidError
from cepheid.spark import match, match_files

CORES = SHARDS = 2

Asked = Callable[[], DataFrame]


@dataclass(frozen=True, slots=True)
class Ground:
    """Where the experiments take place."""

    spark: SparkSession
    folder: Path
    sizes: SparkSizes

    def events(self, stream: Trades, files: int = 8) -> str:
        """The folder of a stream's files, which are written once."""
        folder = self.folder / f"{stream.events}-{stream.symbols}-{stream.kinds}-{stream.seed}-{files}"
        return str(folder) if folder.exists() else write_events(stream, folder, files)

    def read(self, path: str) -> DataFrame:
        """The events of a folder, as anyone reads them."""
        return self.spark.read.parquet(path)

    def match(self, path: str, text: str, *, push: bool = True) -> DataFrame:
        """The matches in a folder, read by Spark."""
        return match(self.read(path), text, time="ts", type="kind", shards=SHARDS, push=push)

    def match_files(self, path: str, text: str) -> DataFrame:
        """The matches in a folder, read by the workers."""
        return match_files(self.spark, path, text, time="ts", type="kind", shards=SHARDS)

    def measured(self, contenders: Mapping[str, Asked], repeat: int | None = None) -> dict[str, Timing]:
        """Each contender from its files to its last row, in turns."""
        runs = {name: partial(run_to_the_end, asked) for name, asked in contenders.items()}
        return measure(
            runs, repeat or self.sizes.repeat, discarded=self.sizes.discarded, processor=family_seconds
        )

    @contextmanager
    def shuffled_into(self, partitions: int) -> Iterator[None]:
        """So many partitions after each shuffle, for a while."""
        name = "spark.sql.shuffle.partitions"
        before = self.spark.conf.get(name) or "200"
        self.spark.conf.set(name, str(partitions))
        try:
            yield
        finally:
            self.spark.conf.set(name, before)


def run_to_the_end(asked: Asked) -> None:
    """Every row of the result is made, and thrown away."""
    asked().write.format("noop").mode("overwrite").save()


def equal_counts(contenders: Mapping[str, Asked]) -> int:
    """How many rows they give; all must give the same number."""
    counts = {name: asked().count() for name, asked in contenders.items()}
    if len(set(counts.values())) != 1:
        told = ", ".join(f"{name}: {count:,}" for name, count in counts.items())
        raise CepheidError(f"these should find the same matches, and their numbers differ: {told}")
    return next(iter(counts.values()))


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long one takes as the other: the median over the rounds in which they took turns."""

    cpu: float
    wall: float

    @classmethod
    def of(cls, slow: Timing, fast: Timing) -> Ratio:
        """The first divided by the second."""
        return cls(median_ratio(slow.cpu, fast.cpu), median_ratio(slow.wall, fast.wall))

    def __str__(self) -> str:
        return f"median of the rounds by the wall clock; by processor time {self.cpu:.2f}×"


def timing_rows(timings: Mapping[str, Timing], events: Mapping[str, int]) -> tuple[Row, ...]:
    """A row for each contender, with how many events it ran over."""
    return tuple(
        {
            "contender": name,
            "events": events[name],
            "events/s (wall)": round(events[name] / timing.median_wall),
            "seconds (wall, median)": round(timing.median_wall, 2),
            "seconds (cpu, median)": round(timing.median, 2),
        }
        for name, timing in timings.items()
    )
