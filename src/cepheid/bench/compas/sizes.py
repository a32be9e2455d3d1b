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


FULL, QUICK, TINY = in_each_mode(CompasSizes)
