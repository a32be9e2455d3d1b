"""`cepheid bench peers`: what one would use instead, asked for the same patterns over the same events.

Peers take turns with Cepheid in one run, after a discarded run of each. A time is that of the processor, of
this process and all that it started: a peer's compiler and its collection of garbage are its own cost. Where
a peer can be asked to read the events and look for nothing, that time is taken off; nothing is taken off
Cepheid's, which goes from an Arrow table in memory to an Arrow table of matches.

Peers are optional. One that is not there is fetched by pip or Maven; if a step fails, the peer is skipped,
and the report names the step. The benchmark fails if a peer finds another number of matches, unless it is
stated what the pattern means to it.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cepheid.bench.course import measured, publish
from cepheid.bench.harness import one_arrow_thread
from cepheid.bench.peers.by_hand import PYSPARK
from cepheid.bench.peers.compare import compared
from cepheid.bench.peers.duck import DUCKDB
from cepheid.bench.peers.esper import ESPER
from cepheid.bench.peers.events import events_of, write_for_java
from cepheid.bench.peers.flink import FLINK_CEP, FLINK_SQL
from cepheid.bench.peers.frames import PANDAS
from cepheid.bench.peers.patterns import PARTS
from cepheid.bench.peers.peer import Peer, PeerGround
from cepheid.bench.peers.siddhi import SIDDHI
from cepheid.bench.peers.sizes import FULL, QUICK, PeerSizes
from cepheid.bench.peers.there import Company, gathered
from cepheid.bench.results import Report

PEERS: tuple[Peer, ...] = (FLINK_CEP, FLINK_SQL, SIDDHI, ESPER, DUCKDB, PANDAS, PYSPARK)


def main(quick: bool, out: Path | None) -> None:
    """Measure, show the figures, and write a report if a folder is given."""
    publish(run(QUICK if quick else FULL), out)


def run(sizes: PeerSizes, peers: tuple[Peer, ...] = PEERS) -> Report:
    """All patterns, one after the other, by all peers that are there."""
    experiments = tuple((name, compared(name)) for name in PARTS)
    with one_arrow_thread(), ground_of(sizes) as ground, ExitStack() as stack:
        company = Company(ground, tuple(gathered(peers, ground, stack)))
        return measured("peers", sizes.mode, (("who is there", Company.section), *experiments), company)


@contextmanager
def ground_of(sizes: PeerSizes) -> Iterator[PeerGround]:
    """The events in memory and in a file."""
    with tempfile.TemporaryDirectory() as folder:
        events, for_java = events_of(sizes.events, sizes.symbols), Path(folder) / "events"
        write_for_java(events, for_java)
        yield PeerGround(sizes, events, for_java, Path(folder))
