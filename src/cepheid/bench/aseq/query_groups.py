"""The query groups of the thesis's second experiment (A-Seq 5.3), and the stream that they are planned for.

Eight substrings of length 2 and 3; queries that string some of them together at random; three groups each of
8, 12, 16 and 20 queries. The types that begin a substring, and so would be connected, are made rare, as the
thesis does "by controlling the frequency of the connect event types", or no plan would share anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from cepheid.bench.aseq.events import TYPES
from cepheid.plan.aggregate.sharing.benefit import Published
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Step, Steps

SIZES = (8, 8, 8, 12, 12, 12, 16, 16, 16, 20, 20, 20)
INSTANCES = 100  # events of an ordinary type in a window
RAREST = 0.001
COMMONEST = 0.2  # so that about three groups of twelve share nothing, as in the thesis


@dataclass(frozen=True)
class QueryGroup:
    """Queries to be planned together, and how often the types come that begin their substrings."""

    queries: tuple[SharedQuery, ...]
    frequencies: Mapping[Step, float]  # of the types that begin a substring, as a share of INSTANCES

    @property
    def published(self) -> Published:
        """The thesis's cost model for this stream."""
        return Published(INSTANCES, self.frequencies)

    @property
    def rates(self) -> dict[str, float]:
        """Events of each type in a window."""
        return {name: INSTANCES * self.frequencies.get(name, 1.0) for name in TYPES}


def query_groups(seed: int, *, distinct: bool = False, commonest: float = COMMONEST) -> list[QueryGroup]:
    """The twelve groups of a seed; in `distinct` ones the eight substrings have no type in common."""
    random = Random(seed)
    return [query_group(random, size, distinct, commonest) for size in SIZES]


def query_group(
    random: Random, size: int, distinct: bool = False, commonest: float = COMMONEST
) -> QueryGroup:
    parts: list[Steps] = (
        _distinct_parts(random) if distinct else [tuple(random.sample(TYPES, n)) for n in _lengths(random)]
    )
    queries = tuple(
        SharedQuery(f"q{number}", _composed(random, parts), window="1000 ms") for number in range(1, size + 1)
    )
    frequencies = {part[0]: random.uniform(RAREST, commonest) for part in parts}
    return QueryGroup(queries, frequencies)


def _lengths(random: Random) -> list[int]:
    return [random.choice((2, 3)) for _ in range(8)]


def _distinct_parts(random: Random) -> list[Steps]:
    """All twenty types, divided among four substrings of two and four of three."""
    shuffled = random.sample(TYPES, len(TYPES))
    parts: list[Steps] = []
    for length in (2, 2, 2, 2, 3, 3, 3, 3):
        parts.append(tuple(shuffled[:length]))
        shuffled = shuffled[length:]
    return parts


def _composed(random: Random, parts: list[Steps]) -> Steps:
    chosen = random.sample(parts, random.randint(2, 4))
    return tuple(step for part in chosen for step in part)
