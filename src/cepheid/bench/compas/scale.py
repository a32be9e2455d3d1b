"""Scale: the same number of profiles satisfied by each event, and ever more that are not."""

from collections.abc import Callable
from functools import lru_cache
from statistics import median
from typing import Any

from cepheid.bench.compas.sizes import CompasSizes
from cepheid.bench.compas.subscriptions import EQUALITIES, KINDS, LIKE, RANGES, STREAM, events, subscriptions
from cepheid.bench.harness import measure
from cepheid.bench.results import Chart, Figure, Section, at_most
from cepheid.errors import CepheidError
from cepheid.profiles import ProfileSet

SATISFIED = (0, 1, 10)
BARS = {EQUALITIES: 4, RANGES: 6, LIKE: 6}


class PushedEvents:
    """A session that is given more and more events; its own start, and the pool's, is behind it."""

    def __init__(self, of: ProfileSet, kind: str, satisfied: int, count: int, size: int) -> None:
        self.kind, self.satisfied, self.count, self.size = kind, satisfied, count, size
        self.done = 0
        self.next = self._batch()
        self.session = of.session(self.next.schema, **STREAM)

    def _batch(self) -> Any:
        return events(self.kind, self.satisfied, self.count, self.size, self.done * self.size)

    def __call__(self) -> None:
        """Push what was made ready before."""
        told = self.session.push(self.next)
        if abs(told.num_rows - self.satisfied * self.size) > self.satisfied:  # the last of a batch may wait
            raise CepheidError(f"{told.num_rows} matches of {self.size} events with {self.satisfied} each")

    def ready(self) -> None:
        """Make the next events."""
        self.done += 1
        self.next = self._batch()


_loaded = lru_cache(4)(subscriptions)
"""Events that satisfy none are for the same sets as those that satisfy one."""


def scale(kind: str) -> Callable[[CompasSizes], Section]:
    """The experiment for profiles of one kind."""

    def measured(sizes: CompasSizes) -> Section:
        rows = [row for satisfied in SATISFIED for row in _rows(kind, satisfied, sizes)]
        title = f"Scale: {kind}"
        return Section(
            title,
            f"Profiles of one part, {kind}; each event satisfies 0, 1 or 10. {sizes.events:,} events are "
            "pushed into a session, and all that is told comes back as a table. Processor time an event, the "
            f"median of {sizes.repeat} pushes, in turns; tested: primitives an event was tested for.",
            tuple(rows),
            (Chart("profiles", "ns an event", "satisfied", log_y=True, title=title),),
            tuple(_figure(kind, satisfied, rows) for satisfied in SATISFIED),
        )

    return measured


def _rows(kind: str, satisfied: int, sizes: CompasSizes) -> list[dict[str, Any]]:
    """A row for each number of profiles, measured in turns."""
    pushed = {
        str(count): PushedEvents(
            _loaded(kind, max(satisfied, 1), count), kind, satisfied, count, sizes.events
        )
        for count in sizes.profiles
    }
    seconds: dict[str, list[float]] = {name: [] for name in pushed}
    for _ in range(sizes.repeat + 1):
        for name, spent in measure(pushed, 1, discarded=0).items():
            seconds[name].append(spent.best)
            pushed[name].ready()
    return [
        {
            "satisfied": satisfied,
            "profiles": each.count,
            "ns an event": round(median(seconds[name][1:]) / sizes.events * 1e9),  # the first compiles
            "tested": round(each.session.stats["tested"] / max(each.session.stats["events"], 1), 2),
        }
        for name, each in pushed.items()
    ]


def _figure(kind: str, satisfied: int, rows: list[dict[str, Any]]) -> Figure:
    own = [row for row in rows if row["satisfied"] == satisfied]
    first, last = own[0], own[-1]
    ratio = last["ns an event"] / max(first["ns an event"], 1)
    return at_most(
        f"{kind}, {satisfied} satisfied: {last['profiles']:,} profiles to {first['profiles']:,}",
        BARS[kind], ratio,
        f"{last['ns an event']} and {first['ns an event']} ns an event; tested {last['tested']} and "
        f"{first['tested']}",
    )  # fmt: skip


BY_KIND = tuple((f"scale: {kind}", scale(kind)) for kind in KINDS)
