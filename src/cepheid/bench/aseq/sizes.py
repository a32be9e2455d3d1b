"""How much each experiment of the A-Seq benchmark runs over."""

from dataclasses import dataclass

from cepheid.bench.aseq.query_groups import SIZES
from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class AseqSizes:
    """Events, lengths, windows (ms, where nothing else is said) and repetitions."""

    mode: str
    events: int = by_mode(1_000_000, quick=100_000, tiny=4_000)  # for what counts
    most_built: int = by_mode(1_000_000_000, quick=40_000_000, tiny=200_000)
    """Matches, for what builds them: its stream is cut to that."""
    most_listed: int = by_mode(3_000_000, quick=300_000, tiny=20_000)
    """Matches, for the nfa engine, which makes rows of them."""
    density: int = by_mode(10, tiny=2)  # events a ms
    densities: tuple[int, ...] = by_mode((5, 10, 20), quick=(5, 10), tiny=(1, 2))
    lengths: tuple[int, ...] = by_mode((2, 3, 4, 5), tiny=(2, 3))
    windows: tuple[int, ...] = by_mode((100, 200, 300, 400, 500), quick=(100, 300, 500), tiny=(100, 200))
    stress_lengths: tuple[int, ...] = by_mode((6, 8, 10), tiny=(6,))
    stress_events: int = by_mode(200_000, quick=30_000, tiny=1_500)
    huge_window: int = by_mode(1_000_000, tiny=1_000)  # events
    huge_events: int = by_mode(2_500_000, quick=1_100_000, tiny=1_500)
    flat_windows: tuple[int, ...] = by_mode((1_000, 10_000, 100_000, 1_000_000), tiny=(10, 1_000))  # events
    flat_events: int = by_mode(4_000_000, quick=1_200_000, tiny=2_000)
    active_starts: int = by_mode(5_000, tiny=50)
    active_events: int = by_mode(400_000, quick=120_000, tiny=2_000)
    speed_events: int = by_mode(10_000_000, quick=4_000_000, tiny=4_000)
    keys: tuple[int, ...] = by_mode((1, 10, 100, 1_000), quick=(1, 100), tiny=(1, 5))
    rotating_events: int = by_mode(20_000_000, quick=2_000_000, tiny=200_000)
    repeat: int = by_mode(5, quick=2, tiny=1)
    shared_window: int = by_mode(100, tiny=10)
    shared_events: int = by_mode(400_000, quick=40_000, tiny=1_500)
    frequencies: tuple[float, ...] = by_mode(
        (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1), quick=(0.001, 0.005, 0.05), tiny=(0.005,)
    )
    shared_lengths: tuple[int, ...] = by_mode((2, 4, 6, 8, 10), quick=(4, 10), tiny=(4,))
    long_window: int = by_mode(32, tiny=10)  # where what is shared is long: counts must fit 64 bits
    sharing_queries: tuple[int, ...] = by_mode((2, 3, 4, 5, 6), quick=(2, 6), tiny=(2,))
    group_window: int = by_mode(200, tiny=10)
    group_events: int = by_mode(40_000, quick=3_000, tiny=1_000)
    group_sizes: tuple[int, ...] = by_mode(SIZES, tiny=(8, 12))
    run_groups: tuple[int, ...] = by_mode(tuple(range(1, 13)), quick=(1, 4, 7, 10), tiny=(1, 2))
    many_queries: int = by_mode(1_000, tiny=30)
    many_events: int = by_mode(200_000, quick=10_000, tiny=500)


FULL, QUICK, TINY = in_each_mode(AseqSizes)
