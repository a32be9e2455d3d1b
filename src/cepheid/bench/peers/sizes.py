"""How many events the peers are given, and how often."""

from dataclasses import dataclass

from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class PeerSizes:
    """Events and repetitions."""

    mode: str
    events: int = by_mode(1_000_000, quick=100_000, tiny=2_000)
    repeat: int = by_mode(3, quick=2, tiny=1)
    symbols: int = by_mode(100, tiny=5)
    some_events: int = by_mode(200_000, quick=20_000, tiny=500)  # for who takes half a minute for a million
    slow_events: int = by_mode(20_000, quick=5_000, tiny=500)  # for who takes a second for ten thousand


FULL, QUICK, TINY = in_each_mode(PeerSizes)
