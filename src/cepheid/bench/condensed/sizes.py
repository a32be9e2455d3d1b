"""How much each experiment of the benchmark on condensed composition runs over."""

from dataclasses import dataclass

from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class CondensedSizes:
    """Steps, rounds, windows and repetitions."""

    mode: str
    steps: int = by_mode(8_000, quick=300, tiny=60)
    windows: tuple[int, ...] = by_mode((10, 20, 50, 100), tiny=(5, 10))  # at 4 classes
    classes: tuple[int, ...] = by_mode((2, 3, 4, 5, 6), tiny=(2, 3))  # at 20 steps
    largest: tuple[int, int] = by_mode((5, 50), tiny=(4, 20))  # classes and steps of the promised saving
    largest_steps: int = by_mode(8_000, quick=200, tiny=60)
    codes: int = by_mode(800, tiny=20)
    rounds: int = by_mode(400, quick=40, tiny=12)
    nested_rounds: int = by_mode(60, quick=8, tiny=8)
    seconds: tuple[int, ...] = by_mode((10, 30, 60, 90), tiny=(10, 30))  # windows of Query 3
    repeat: int = by_mode(5, quick=3, tiny=1)
    budget: float = by_mode(60.0, quick=5.0, tiny=0.0)  # seconds of a cell; its sides share them
    queries: int = by_mode(50, quick=10, tiny=2)  # of which all shapes are tried
    query_events: int = by_mode(20_000, quick=4_000, tiny=300)
    swapped_events: int = by_mode(600_000, quick=100_000, tiny=12_000)
    each: int = by_mode(1_000, tiny=10)  # events of each of three types: their product is completed
    stream_events: int = by_mode(10_000_000, quick=200_000, tiny=4_000)
    stream_batch: int = by_mode(10_000, quick=2_000, tiny=100)


FULL, QUICK, TINY = in_each_mode(CondensedSizes)
