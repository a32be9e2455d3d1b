"""Esper, fetched by Maven: its licence is the GPL, so it is no part of this package."""

from contextlib import AbstractContextManager

from cepheid.bench.peers.fetching import jars_of_maven
from cepheid.bench.peers.java import java_peer
from cepheid.bench.peers.peer import Peer, PeerGround, ReadyPeer

VERSION = "8.9.0"


def _esper(ground: PeerGround) -> AbstractContextManager[ReadyPeer]:
    parts = (f"com.espertech:esper-{part}:{VERSION}" for part in ("compiler", "runtime"))
    return java_peer(ground, "Esper", jars_of_maven(*parts), VERSION)


ESPER = Peer(
    "Esper",
    "`every a -> b` with equality of symbols as a filter, its clock moved by each event",
    _esper,
)
