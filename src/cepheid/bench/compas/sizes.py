"""How much each experiment of the benchmark on profiles runs over."""

from dataclasses import dataclass

from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class CompasSizes:
    """Profiles, events and repetitions."""

    mode: str
    profiles: tuple[int, ...] = by_mode(
        (1_000, 10_000, 100_000, 1_000_000), quick=(1_000, 10_000, 100_000), tiny=(20, 100)
    )
    events: int = by_mode(20_000, quick=10_000, tiny=200)  # of a push
    repeat: int = by_mode(7, quick=5, tiny=1)
    compared: int = by_mode(10_000, tiny=100)  # profiles beside a hand-written loop
    compared_events: int = by_mode(200_000, quick=50_000, tiny=500)
    queries: int = by_mode(100, tiny=5)  # of a workload
    queried_events: int = by_mode(20_000, quick=5_000, tiny=200)
    loaded: int = by_mode(200_000, quick=50_000, tiny=200)
    rules: tuple[int, ...] = by_mode((100, 1_000, 10_000), quick=(100, 1_000), tiny=(10, 40))
    log_events: int = by_mode(50_000, quick=10_000, tiny=300)
    sequences: int = by_mode(10_000, quick=2_000, tiny=40)  # of the paper's figures
    figure_repeat: int = by_mode(5, quick=3, tiny=1)
    groups: tuple[int, ...] = by_mode((1, 10, 100, 1_000), quick=(1, 10, 100), tiny=(1, 4))
    many_groups: int = by_mode(1_000, quick=100, tiny=4)
    sequence_counts: tuple[int, ...] = by_mode(
        (1_000, 5_000, 10_000, 20_000), quick=(500, 2_000, 4_000), tiny=(20, 40, 60)
    )
    cardinalities: tuple[tuple[int, int], ...] = by_mode(
        ((1, 30_000), (10, 3_000), (100, 300), (300, 100), (3_000, 10), (30_000, 1)),
        quick=((1, 3_000), (50, 60), (3_000, 1)),
        tiny=((1, 30), (5, 6), (30, 1)),
    )
    cardinality_events: int = by_mode(30_001, quick=3_001, tiny=31)
    distances: tuple[int, ...] = by_mode((1, 10, 100, 1_000, 10_000), quick=(1, 100, 2_000), tiny=(1, 10))


FULL, QUICK, TINY = in_each_mode(CompasSizes)
