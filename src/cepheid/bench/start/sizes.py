"""How often each start is measured, and how large the session is that single events are pushed into."""

from dataclasses import dataclass

from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class StartSizes:
    """Fresh processes for each figure, keys, and events that are pushed one by one."""

    mode: str
    starts: int = by_mode(7, full=15, tiny=1)
    cold_starts: int = by_mode(1, full=3, tiny=0)  # each compiles for a minute or so
    sessions: int = by_mode(2, full=5, tiny=1)  # processes in which single events are pushed
    keys: int = by_mode(10_000, tiny=50)
    pushes: int = by_mode(10_000, full=30_000, tiny=100)
    whole_batch: int = by_mode(100_000, tiny=500)


FULL, QUICK, TINY = in_each_mode(StartSizes)
