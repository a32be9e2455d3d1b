"""How much each experiment of the Spark benchmark runs over."""

from dataclasses import dataclass

from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class SparkSizes:
    """Events, batches and repetitions."""

    mode: str
    events: int = by_mode(4_000_000, quick=1_000_000, tiny=4_000)  # plumbing, pushed filters, files, keys
    keyless_events: int = by_mode(3_000_000, quick=1_000_000, tiny=4_000)
    rival_events: int = by_mode(1_000_000, tiny=4_000)
    plain_events: int = by_mode(100_000, quick=50_000, tiny=2_000)
    """For the plain self-join, whose work grows with their square."""
    few_keys: int = by_mode(1_000, tiny=10)
    many_keys: int = by_mode(100_000, tiny=100)
    repeat: int = by_mode(5, quick=3, tiny=1)
    discarded: int = by_mode(2, quick=1, tiny=0)
    stream_batches: int = by_mode(8, quick=4, tiny=2)
    stream_batch_events: int = by_mode(100_000, quick=50_000, tiny=1_000)
    stream_repeat: int = by_mode(3, quick=2, tiny=1)
    stream_discarded: int = by_mode(1, tiny=0)
    state_batches: int = by_mode(30, quick=16, tiny=2)
    state_batch_events: int = by_mode(10_000, quick=5_000, tiny=1_000)
    windows: tuple[int, ...] = by_mode((1, 10, 60), quick=(1, 10, 30), tiny=(1,))
    """Seconds of the stream's time, of 1,000 events each."""
    shards: tuple[int, ...] = by_mode((1, 2, 4, 8, 16), quick=(1, 4), tiny=(1,))
    small_batches: int = by_mode(8, quick=5, tiny=2)
    stored_megabytes: tuple[int, ...] = by_mode((1, 10, 50), quick=(1, 10), tiny=(1,))


FULL, QUICK, TINY = in_each_mode(SparkSizes)
