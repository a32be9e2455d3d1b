"""How much each experiment of the Spark benchmark runs over."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Events, batches and repetitions."""

    mode: str
    events: int = 4_000_000  # plumbing, pushed filters, files, keys
    keyless_events: int = 3_000_000
    rival_events: int = 1_000_000
    plain_events: int = 100_000  # for the plain self-join, whose work is quadratic in them
    few_keys: int = 1_000
    many_keys: int = 100_000
    repeat: int = 5
    discarded: int = 2
    stream_batches: int = 8
    stream_batch_events: int = 100_000
    stream_repeat: int = 3
    stream_discarded: int = 1
    state_batches: int = 30
    state_batch_events: int = 10_000
    windows: tuple[int, ...] = (1, 10, 60)  # seconds of the stream's time, of 1,000 events each
    shards: tuple[int, ...] = (1, 2, 4, 8, 16)
    small_batches: int = 8
    stored_megabytes: tuple[int, ...] = (1, 10, 50)


FULL = Sizes("full")
QUICK = Sizes(
    "quick",
    events=1_000_000,
    keyless_events=1_000_000,
    plain_events=50_000,
    repeat=3,
    discarded=1,
    stream_batches=4,
    stream_batch_events=50_000,
    stream_repeat=2,
    state_batches=16,
    state_batch_events=5_000,
    windows=(1, 10, 30),
    shards=(1, 4),
    small_batches=5,
    stored_megabytes=(1, 10),
)
TINY = Sizes(
    "tiny",
    events=4_000,
    keyless_events=4_000,
    rival_events=4_000,
    plain_events=2_000,
    few_keys=10,
    many_keys=100,
    repeat=1,
    discarded=0,
    stream_batches=2,
    stream_batch_events=1_000,
    stream_repeat=1,
    stream_discarded=0,
    state_batches=2,
    state_batch_events=1_000,
    windows=(1,),
    shards=(1,),
    small_batches=2,
    stored_megabytes=(1,),
)
