"""How many profiles the service has, and how much is sent to it."""

from dataclasses import dataclass

from cepheid.bench.sizes import by_mode, in_each_mode


@dataclass(frozen=True, slots=True)
class ServiceSizes:
    """Profiles, rounds in which the sides take turns, and what each of them is sent in a round."""

    mode: str
    profiles: int = by_mode(10_000, quick=2_000, tiny=40)
    rounds: int = by_mode(10, quick=5, tiny=1)
    batches: int = by_mode(40, quick=20, tiny=4)  # requests of BATCH events
    single_events: int = by_mode(3_000, quick=1_500, tiny=64)
    delay_rounds: int = by_mode(6, quick=3, tiny=1)
    delay_seconds: float = by_mode(10.0, quick=5.0, tiny=0.5)
    rate: int = by_mode(1_000, tiny=100)  # events a second


BATCH, CONNECTIONS, BATCH_CONNECTIONS = 500, 32, 4

FULL, QUICK, TINY = in_each_mode(ServiceSizes)
