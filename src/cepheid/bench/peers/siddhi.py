"""Siddhi, by the jars in PyPI's PySiddhi."""

from contextlib import AbstractContextManager

from cepheid.bench.peers.fetching import jars_of_wheel
from cepheid.bench.peers.java import java_peer
from cepheid.bench.peers.peer import Peer, PeerGround, ReadyPeer

VERSION = "5.1.0"
LONGER = "`within` lets a few matches of three steps pass that are longer than the window"


def _siddhi(ground: PeerGround) -> AbstractContextManager[ReadyPeer]:
    jars = jars_of_wheel(f"PySiddhi=={VERSION}", "__PySiddhiProxy/target/lib/")
    return java_peer(ground, "Siddhi", jars, VERSION, differs={"QB": LONGER})


SIDDHI = Peer(
    "Siddhi",
    "`every a -> b within 10 sec` in a partition for each symbol, events in batches of 1,024, on their own "
    "clock; QA any as a join with a window of A events, since a pattern takes one b for each a",
    _siddhi,
)
