"""One pattern, by Cepheid and by all peers that are there."""

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from cepheid.bench.harness import Contender, Timing, measure
from cepheid.bench.peers.patterns import TEXTS
from cepheid.bench.peers.skipped import PeerSkippedError
from cepheid.bench.peers.there import Company, Guest
from cepheid.bench.processes import family_seconds
from cepheid.bench.results import Chart, Figure, Row, Section, at_least
from cepheid.bench.terminal import say
from cepheid.errors import CepheidError
from cepheid.query import query

BARS = {"Flink CEP": 30.0, "Siddhi": 8.0}
OURS = "Cepheid"
SOURCE = ", source only"
LEAST = 0.01  # seconds: what a clock of processes can tell


@dataclass(frozen=True, slots=True)
class Spent:
    """The times of one contender an event, in nanoseconds, its source taken off: a value for each round."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]

    @classmethod
    def of(cls, whole: Timing, source: Timing | None, events: int) -> "Spent":
        """The rounds of a contender, with those of its source beside them."""
        taken = source or Timing((0.0,) * len(whole.cpu), (0.0,) * len(whole.wall))
        return cls(_net(whole.cpu, taken.cpu, events), _net(whole.wall, taken.wall, events))

    def times(self, other: "Spent") -> tuple[float, ...]:
        """How many times the processor time of another, round by round."""
        return tuple(one / two for one, two in zip(self.cpu, other.cpu, strict=True))


def _net(whole: tuple[float, ...], source: tuple[float, ...], events: int) -> tuple[float, ...]:
    off = statistics.median(source)
    return tuple(max(each - off, LEAST) / events * 1e9 for each in whole)


def compared(name: str) -> Callable[[Company], Section]:
    """The experiment on one pattern."""

    def experiment(company: Company) -> Section:
        rows, figures, matches = _measured(name, company)
        sizes = company.ground.sizes
        return Section(
            name,
            f"{TEXTS[name]}, over {sizes.events:,} events of {sizes.symbols} symbols: {matches:,} matches. "
            "Processor time of all processes; a peer's time without its source's, where it can be told. "
            "Medians; the spread is the least and the most of the rounds.",
            tuple(rows),
            (Chart("by", "events/s (cpu)", kind="bar", log_y=True, title=f"{name}: events a second"),),
            tuple(figures),
        )

    return experiment


def _measured(name: str, company: Company) -> tuple[list[Row], list[Figure], int]:
    ground, table = company.ground, company.ground.events
    asked = partial(_ours, name, table)
    matches = asked()
    agreed = {guest.peer.name: _agreed(guest, name, table, matches) for guest in company.guests}
    ready = {guest.peer.name: guest.ready for guest in company.guests if agreed[guest.peer.name]}
    contenders: dict[str, Contender] = {
        OURS: asked,
        **{who: peer.runs[name] for who, peer in ready.items() if peer},
    }
    contenders |= {who + SOURCE: peer.source for who, peer in ready.items() if peer and peer.source}
    timings = measure(contenders, ground.sizes.repeat, discarded=0, processor=family_seconds)
    spent = {OURS: Spent.of(timings[OURS], None, table.num_rows)}
    for who, peer in ready.items():
        assert peer is not None
        spent[who] = Spent.of(timings[who], timings.get(who + SOURCE), peer.events or table.num_rows)
    rows = [_row(who, each, spent[OURS], agreed.get(who, f"{matches:,}")) for who, each in spent.items()]
    rows += [_unmeasured(guest, name) for guest in company.guests if guest.peer.name not in spent]
    return rows, list(_figures(name, spent)), matches


def _ours(name: str, table: pa.Table) -> int:
    return len(query(TEXTS[name]).run(table, time="ts", type="kind"))


def _agreed(guest: Guest, name: str, table: pa.Table, matches: int) -> str:
    """What a peer finds, by a run that is not timed; nothing, if it cannot be asked for the pattern."""
    if guest.ready is None or name not in guest.ready.runs:
        return ""
    expected = matches if guest.ready.events is None else _ours(name, table.slice(0, guest.ready.events))
    try:
        found = guest.ready.runs[name]()
        if guest.ready.source is not None:
            guest.ready.source()
    except PeerSkippedError as skipped:
        say(f"{guest.peer.name} is skipped at {skipped}")
        return ""
    if found == expected:
        return f"{found:,}"
    if name in guest.ready.differs:
        return f"{found:,} of {expected:,}: {guest.ready.differs[name]}"
    raise CepheidError(f"{guest.peer.name} finds {found:,} matches of {name}, Cepheid {expected:,}")


def _row(who: str, spent: Spent, ours: Spent, matches: str) -> Row:
    times = spent.times(ours)
    return {
        "by": who,
        "events/s (cpu)": round(1e9 / statistics.median(spent.cpu)),
        "events/s (wall)": round(1e9 / statistics.median(spent.wall)),
        "times Cepheid's processor time": round(statistics.median(times), 1),
        "spread": f"{min(times):.1f} to {max(times):.1f}",
        "matches": matches,
    }


def _unmeasured(guest: Guest, name: str) -> Row:
    why = (
        guest.ready.unsaid.get(name, "it failed; see above") if guest.ready else f"skipped at {guest.skipped}"
    )
    return {
        "by": guest.peer.name,
        "events/s (cpu)": "–",
        "events/s (wall)": "–",
        "times Cepheid's processor time": "–",
        "spread": "–",
        "matches": why,
    }


def _figures(name: str, spent: dict[str, Spent]) -> Iterator[Figure]:
    for who, bar in BARS.items():
        if who in spent:
            times = spent[who].times(spent[OURS])
            text = f"processor time, median; {min(times):.1f} to {max(times):.1f}"
            yield at_least(f"{name}: {who} against Cepheid", bar, statistics.median(times), text)
