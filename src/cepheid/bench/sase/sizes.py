"""How much each experiment of the SASE+ benchmark runs over."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Events, windows and repetitions."""

    mode: str
    headline_events: int = 1_000_000
    predicate_events: int = 200_000  # 200 windows for each of two symbols, as the paper has it
    window_events: int = 100_000
    windows: tuple[int, ...] = (500, 1000, 1500, 2000)
    rises: tuple[float, ...] = (0.55, 0.6, 0.65, 0.7)
    compared_events: int = 100_000  # ways of sharing at W = 500
    sharing_events: int = 50_000  # and at all windows
    rounds: int = 5  # of a comparison of ways of sharing, at least
    sharing_seconds: float = 2.0  # a comparison is repeated for so long, if it is short
    start_events: int = 100_000
    explosive_events: tuple[int, ...] = (100, 200, 500, 1000, 2000)
    repeat: int = 3
    headline_repeat: int = 9
    partition_events: int = 5_000_000
    few_keys: int = 1_000
    many_keys: int = 1_000_000
    stream_events: int = 100_000_000
    starts: int = 5
    cold_start: bool = True


FULL = Sizes("full", repeat=5, headline_repeat=15, rounds=25, sharing_seconds=8.0)
QUICK = Sizes(
    "quick",
    window_events=50_000,
    compared_events=50_000,
    sharing_events=20_000,
    sharing_seconds=0.5,
    start_events=50_000,
    partition_events=500_000,
    many_keys=100_000,
    stream_events=3_000_000,
    cold_start=False,
)
TINY = Sizes(
    "tiny",
    headline_events=4_000,
    predicate_events=2_000,
    window_events=2_000,
    windows=(50, 100),
    rises=(0.7,),
    compared_events=2_000,
    sharing_events=2_000,
    rounds=1,
    sharing_seconds=0.0,
    start_events=2_000,
    explosive_events=(10, 20, 40),
    repeat=1,
    headline_repeat=1,
    partition_events=4_000,
    few_keys=10,
    many_keys=1_000,
    stream_events=20_000,
    starts=1,
    cold_start=False,
)
