"""Batch on Spark: what matching adds to plumbing, what pushed filters save, files, and many keys."""

from collections.abc import Iterable, Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from cepheid.bench.results import Chart, Section, at_least, at_most
from cepheid.bench.spark.events import Trades
from cepheid.bench.spark.ground import SHARDS, Ground, Ratio, timing_rows

PLUMBING_BAR, PUSHED_BAR, FILES_BAR, KEYS_BAR = 1.25, 5.0, 1.5, 1.5

RETURNED = "RETURN a.symbol, a.ts AS start, b.ts AS end, a.price AS low, b.price AS high"
ALL_ROWS = (
    "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [symbol] AND b.price > a.price + 900 } "
    f"WITHIN 10 seconds {RETURNED}"
)
"""Every event may start or end a match, and few do both."""

SELECTIVE = (
    "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [symbol] AND a.volume <= 10 AND b.volume <= 10 } "
    f"WITHIN 1000 seconds {RETURNED}"
)
"""One event in a hundred qualifies: volumes are anything from 1 to 1000."""

CARRIED = ("ts", "kind", "symbol", "price")
"""The columns that ALL_ROWS needs."""


def count_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a worker does that only counts."""
    counted = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_pydict({"rows": pa.array([counted], pa.int64())})


def counted(events: DataFrame) -> DataFrame:
    """The plumbing without the matching: shuffle, sort, and over to Python."""
    shuffled = events.select(*CARRIED).repartition(SHARDS, "symbol")
    return shuffled.sortWithinPartitions("symbol", "ts").mapInArrow(count_rows, "rows long")


def plumbing(ground: Ground) -> Section:
    """Matching against the same plumbing, and against reading in the workers."""
    sizes = ground.sizes
    path = ground.events(Trades(sizes.events, symbols=sizes.few_keys))
    timings = ground.measured(
        {
            "count": lambda: counted(ground.read(path)),
            "match": partial(ground.match, path, ALL_ROWS),
            "match_files": partial(ground.match_files, path, ALL_ROWS),
        }
    )
    matches = ground.match_files(path, ALL_ROWS).count()
    added = Ratio.of(timings["match"], timings["count"])
    spared = Ratio.of(timings["match"], timings["match_files"])
    return Section(
        "What matching adds to the plumbing",
        f"{ALL_ROWS} over {sizes.events:,} events of {sizes.few_keys:,} symbols in Parquet files: no row "
        f"can be dropped beforehand, and {matches:,} matches come out. `count` moves the same columns to the "
        "same workers by repartition, sortWithinPartitions and mapInArrow, and only counts them; "
        "match_files reads the files in the workers and moves packed tables.",
        timing_rows(timings, dict.fromkeys(timings, sizes.events)),
        (Chart("contender", "events/s (wall)", kind="bar", title="events a second"),),
        (
            at_most("match against plumbing that counts", PLUMBING_BAR, added.wall, str(added)),
            at_least("match_files against match, all rows kept", FILES_BAR, spared.wall, str(spared)),
        ),
    )


def pushed_filters(ground: Ground) -> Section:
    """A selective query with and without its filter in Spark's plan."""
    sizes = ground.sizes
    path = ground.events(Trades(sizes.events, symbols=sizes.few_keys))
    asked = partial(ground.match, path, SELECTIVE)
    timings = ground.measured({"pushed": asked, "not pushed": partial(asked, push=False)})
    gain = Ratio.of(timings["not pushed"], timings["pushed"])
    return Section(
        "Pushed filters",
        f"{SELECTIVE} over {sizes.events:,} events, of which one in a hundred qualifies, anywhere in the "
        "files. `not pushed` is match(…, push=False): all events are shuffled, and the matcher drops them.",
        timing_rows(timings, dict.fromkeys(timings, sizes.events)),
        (Chart("contender", "events/s (wall)", kind="bar", title="events a second, 1 % of them qualify"),),
        (at_least("1 % of rows qualify: pushed against not", PUSHED_BAR, gain.wall, str(gain)),),
    )


def many_keys(ground: Ground) -> Section:
    """As many events of few symbols and of many."""
    sizes = ground.sizes
    paths = {
        f"{keys:,} keys": ground.events(Trades(sizes.events, symbols=keys))
        for keys in (sizes.few_keys, sizes.many_keys)
    }
    few, many = paths
    timings = ground.measured({name: partial(ground.match, path, ALL_ROWS) for name, path in paths.items()})
    cost = Ratio.of(timings[many], timings[few])
    return Section(
        "Many keys",
        f"{ALL_ROWS} over {sizes.events:,} events by match. With more symbols there are fewer events of each "
        "in a window, and more texts to tell apart.",
        timing_rows(timings, dict.fromkeys(timings, sizes.events)),
        figures=(at_most(f"{many} against {few}, batch", KEYS_BAR, cost.wall, str(cost)),),
    )
