"""How much each experiment of the A-Seq benchmark runs over."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Events, lengths, windows (ms, where nothing else is said) and repetitions."""

    mode: str
    events: int = 1_000_000  # for what counts
    most_built: int = 1_000_000_000  # matches, for what builds them: its stream is cut to that
    most_listed: int = 3_000_000  # matches, for the nfa engine, which makes rows of them
    density: int = 10  # events a ms
    densities: tuple[int, ...] = (5, 10, 20)
    lengths: tuple[int, ...] = (2, 3, 4, 5)
    windows: tuple[int, ...] = (100, 200, 300, 400, 500)
    stress_lengths: tuple[int, ...] = (6, 8, 10)
    stress_events: int = 200_000
    huge_window: int = 1_000_000  # events
    huge_events: int = 2_500_000
    flat_windows: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)  # events
    flat_events: int = 4_000_000
    active_starts: int = 5_000
    active_events: int = 400_000
    speed_events: int = 10_000_000
    keys: tuple[int, ...] = (1, 10, 100, 1_000)
    repeat: int = 3
    shared_window: int = 100
    shared_events: int = 400_000
    frequencies: tuple[float, ...] = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1)
    shared_lengths: tuple[int, ...] = (2, 4, 6, 8, 10)
    long_window: int = 32  # where what is shared is long: counts must fit 64 bits
    sharing_queries: tuple[int, ...] = (2, 3, 4, 5, 6)
    group_window: int = 200
    group_events: int = 40_000
    group_sizes: tuple[int, ...] = (8, 8, 8, 12, 12, 12, 16, 16, 16, 20, 20, 20)
    run_groups: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
    many_queries: int = 1_000
    many_events: int = 200_000


FULL = Sizes("full", repeat=5)
QUICK = Sizes(
    "quick",
    events=100_000,
    most_built=40_000_000,
    most_listed=300_000,
    densities=(5, 10),
    windows=(100, 300, 500),
    stress_events=30_000,
    huge_events=1_100_000,
    flat_events=1_200_000,
    active_events=120_000,
    speed_events=4_000_000,
    keys=(1, 100),
    repeat=2,
    shared_events=40_000,
    frequencies=(0.001, 0.005, 0.05),
    shared_lengths=(4, 10),
    sharing_queries=(2, 6),
    group_events=3_000,
    run_groups=(1, 4, 7, 10),
    many_events=10_000,
)
TINY = Sizes(
    "tiny",
    events=4_000,
    most_built=200_000,
    most_listed=20_000,
    densities=(1, 2),
    density=2,
    lengths=(2, 3),
    windows=(100, 200),
    stress_lengths=(6,),
    stress_events=1_500,
    huge_window=1_000,
    huge_events=1_500,
    flat_windows=(10, 1_000),
    flat_events=2_000,
    active_starts=50,
    active_events=2_000,
    speed_events=4_000,
    keys=(1, 5),
    repeat=1,
    shared_window=10,
    long_window=10,
    shared_events=1_500,
    frequencies=(0.005,),
    shared_lengths=(4,),
    sharing_queries=(2,),
    group_window=10,
    group_events=1_000,
    group_sizes=(8, 12),
    run_groups=(1, 2),
    many_queries=30,
    many_events=500,
)
