"""How much each experiment of the SASE+ benchmark runs over."""

from dataclasses import dataclass

from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class SaseSizes:
    """Events, windows and repetitions."""

    mode: str
    headline_events: int = by_mode(1_000_000, tiny=4_000)
    predicate_events: int = by_mode(200_000, tiny=2_000)  # the paper has 200 windows for each of two symbols
    window_events: int = by_mode(100_000, quick=50_000, tiny=2_000)
    windows: tuple[int, ...] = by_mode((500, 1000, 1500, 2000), tiny=(50, 100))
    rises: tuple[float, ...] = by_mode((0.55, 0.6, 0.65, 0.7), tiny=(0.7,))
    compared_events: int = by_mode(100_000, quick=50_000, tiny=2_000)  # ways of sharing at W = 500
    sharing_events: int = by_mode(50_000, quick=20_000, tiny=2_000)  # ways of sharing at all windows
    rounds: int = by_mode(5, full=25, tiny=1)  # of a comparison of ways of sharing, at least
    sharing_seconds: float = by_mode(0.0, full=8.0, quick=0.5)  # a short comparison is repeated for so long
    start_events: int = by_mode(100_000, quick=50_000, tiny=2_000)
    explosive_events: tuple[int, ...] = by_mode((100, 200, 500, 1000, 2000), tiny=(10, 20, 40))
    repeat: int = by_mode(3, full=5, tiny=1)
    headline_repeat: int = by_mode(9, full=15, tiny=1)
    partition_events: int = by_mode(5_000_000, quick=500_000, tiny=4_000)
    few_keys: int = by_mode(1_000, tiny=10)
    many_keys: int = by_mode(1_000_000, quick=100_000, tiny=1_000)
    stream_events: int = by_mode(100_000_000, quick=3_000_000, tiny=20_000)
    starts: int = by_mode(5, tiny=1)
    cold_start: bool = by_mode(False, full=True)


FULL, QUICK, TINY = in_each_mode(SaseSizes)
