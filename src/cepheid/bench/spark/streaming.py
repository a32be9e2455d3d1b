"""Streams on Spark: what matching adds to a stateful job, what state weighs, and what a shard costs."""

import statistics
from collections.abc import Mapping
from functools import partial

from pyspark.sql import DataFrame

from cepheid.bench.harness import Timing
from cepheid.bench.results import Chart, Figure, Row, Section, at_most, no_bar
from cepheid.bench.spark.batch import ALL_ROWS, CARRIED, KEYS_BAR
from cepheid.bench.spark.events import Trades
from cepheid.bench.spark.ground import SHARDS, Ground, Ratio
from cepheid.bench.spark.streams import Asked, Streamed, counting, storing, streamed
from cepheid.spark import match

STREAM_BAR, GROWTH_BAR = 1.3, 1.25
SMALL_EVENTS = 100
MEGABYTE = 1_000_000


def matched(events: DataFrame, query: str = ALL_ROWS, shards: int = SHARDS) -> DataFrame:
    return match(events, query, time="ts", type="kind", shards=shards)


def streams(ground: Ground) -> Section:
    """Matching against a stateful job that only counts, and many keys against few."""
    sizes = ground.sizes
    batches, size = sizes.stream_batches, sizes.stream_batch_events
    few = ground.events(Trades(batches * size, symbols=sizes.few_keys), files=batches)
    many = ground.events(Trades(batches * size, symbols=sizes.many_keys), files=batches)
    names = "count", "match", f"match, {sizes.many_keys:,} keys"
    count = partial(counting, columns=CARRIED, shards=SHARDS)
    ran = _in_turns(ground, dict(zip(names, [(few, count), (few, matched), (many, matched)], strict=True)))
    timings = {name: _timing(runs) for name, runs in ran.items()}
    added = Ratio.of(timings["match"], timings["count"])
    keys = Ratio.of(timings[names[2]], timings["match"])
    return Section(
        "What matching adds to a stateful stream",
        f"{ALL_ROWS} over {batches} micro-batches of {size:,} events of {sizes.few_keys:,} symbols, in "
        f"{SHARDS} shards, state in RocksDB, from a new checkpoint each time. `count` packs the same columns "
        "by shard and visits the same shards by transformWithStateInPandas, and only counts. The time is "
        "Spark's own of the micro-batches (triggerExecution), without the first of each stream; processor "
        "time is of whole streams.",
        tuple(_stream_row(name, runs, size) for name, runs in ran.items()),
        figures=(
            at_most("streaming match against a stateful count", STREAM_BAR, added.wall, str(added)),
            at_most(
                f"{sizes.many_keys:,} keys against {sizes.few_keys:,}, streaming",
                KEYS_BAR,
                keys.wall,
                str(keys),
            ),
        ),
    )


def _in_turns(ground: Ground, contenders: Mapping[str, tuple[str, Asked]]) -> dict[str, list[Streamed]]:
    """One stream after the other, over and over; the first rounds are discarded."""
    discarded = ground.sizes.stream_discarded
    ran: dict[str, list[Streamed]] = {name: [] for name in contenders}
    for _ in range(discarded + ground.sizes.stream_repeat):
        for name, (path, asked) in contenders.items():
            ran[name].append(streamed(ground, path, asked, shards=SHARDS))
    return {name: runs[discarded:] for name, runs in ran.items()}


def _timing(runs: list[Streamed]) -> Timing:
    return Timing(tuple(run.cpu for run in runs), tuple(run.seconds for run in runs))


def _stream_row(name: str, runs: list[Streamed], size: int) -> Row:
    seconds = [batch.seconds for run in runs for batch in run.batches[1:]]
    middle = statistics.median(seconds)
    return {
        "contender": name,
        "events/batch": size,
        "events/s (wall)": round(size / middle),
        "seconds/batch (median)": round(middle, 3),
        "seconds/stream (cpu, median)": round(statistics.median(run.cpu for run in runs), 2),
    }


def state(ground: Ground) -> Section:
    """How much is stored for each shard, batch by batch, for windows of several lengths."""
    sizes = ground.sizes
    batches, size = sizes.state_batches, sizes.state_batch_events
    path = ground.events(Trades(batches * size), files=batches)
    kept = {window: _state_of(ground, path, window) for window in sizes.windows}
    rows = tuple(
        {
            "window (s)": window,
            "events in the window": window * 1_000,
            "KB/shard (median)": round(statistics.median(told[len(told) // 2 :]) / 1000, 1),
            "KB/shard (most)": round(max(told) / 1000, 1),
            "bytes/event in the window": round(max(told) * SHARDS / (window * 1_000), 1),
        }
        for window, told in kept.items()
    )
    drawn = tuple(
        {"thousand events": (number + 1) * size / 1000, "KB a shard": told / 1000, "window": f"{window} s"}
        for window, all_told in kept.items()
        for number, told in enumerate(all_told)
    )
    return Section(
        "State",
        f"{_within(sizes.windows[-1])} and the same with shorter windows, over {batches} micro-batches of "
        f"{size:,} events, a thousand events to a second, in {SHARDS} shards: the bytes in the state store "
        "of the largest shard, from the progress of the streaming query. They are of a snapshot and of the "
        "batches since, until these are as large and a new snapshot takes their place.",
        rows,
        (Chart("thousand events", "KB a shard", "window", title="stored bytes as the stream goes by"),),
        tuple(_flat(window, told, size) for window, told in kept.items()),
        drawn,
    )


def _within(seconds: int) -> str:
    return ALL_ROWS.replace("WITHIN 10 seconds", f"WITHIN {seconds} seconds")


def _state_of(ground: Ground, path: str, window: int) -> list[int]:
    ran = streamed(ground, path, partial(matched, query=_within(window)), shards=SHARDS)
    return [max(batch.shard_bytes) for batch in ran.batches]


def _flat(window: int, told: list[int], size: int) -> Figure:
    """Once a window is full, its state grows no more."""
    full = -(-window * 1_000 // size)
    later = told[full:]
    name = f"state of a window of {window} s"
    if len(later) < 4:
        return no_bar(name, "the stream is too short to tell")
    early, late = statistics.median(later[: len(later) // 2]), statistics.median(later[len(later) // 2 :])
    note = f"medians, once the window is full; at most {max(told) / 1000:.0f} KB a shard"
    return at_most(f"{name}: last half against first", GROWTH_BAR, late / early, note)


def costs(ground: Ground) -> Section:
    """What a micro-batch costs for each shard, and for each byte of state that is written."""
    by_shards, by_bytes = _shard_rows(ground), _stored_rows(ground)
    return Section(
        "What a shard costs",
        f"The time of a micro-batch of {SMALL_EVENTS} events, for which all work is overhead: by the number "
        f"of shards (and of shuffle partitions) on {SHARDS} cores; and with one shard whose state is one "
        "value that each micro-batch writes anew, by its size. Medians, without the first two of a stream.",
        (*by_shards, *by_bytes),
        (Chart("shards", "seconds/batch (median)", title="a micro-batch of next to nothing, by shards"),),
        drawn=tuple(by_shards),
    )


def _shard_rows(ground: Ground) -> list[Row]:
    return [
        _cost_row("match", shards, "–", _small_batch(ground, partial(matched, shards=shards), shards))
        for shards in ground.sizes.shards
    ]


def _stored_rows(ground: Ground) -> list[Row]:
    return [
        _cost_row(
            "state rewritten",
            1,
            f"{size} MB",
            _small_batch(ground, partial(storing, columns=CARRIED, size=size * MEGABYTE), 1),
        )
        for size in ground.sizes.stored_megabytes
    ]


def _cost_row(what: str, shards: int, size: str, seconds: float) -> Row:
    return {"what": what, "shards": shards, "state": size, "seconds/batch (median)": round(seconds, 2)}


def _small_batch(ground: Ground, asked: Asked, shards: int) -> float:
    batches = ground.sizes.small_batches
    path = ground.events(Trades(batches * SMALL_EVENTS), files=batches)
    ran = streamed(ground, path, asked, shards=shards)
    return statistics.median(batch.seconds for batch in ran.batches[2:] or ran.batches)
