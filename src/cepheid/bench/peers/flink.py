"""Flink: its CEP library, and MATCH_RECOGNIZE in its SQL, by the jars in PyPI's apache-flink-libraries."""

from contextlib import AbstractContextManager

from cepheid.bench.peers.fetching import jars_of_wheel
from cepheid.bench.peers.java import java_peer
from cepheid.bench.peers.peer import Peer, PeerGround, ReadyPeer

VERSION = "2.3.0"
REQUIREMENT = f"apache-flink-libraries=={VERSION}"


def _cep(ground: PeerGround) -> AbstractContextManager[ReadyPeer]:
    jars = jars_of_wheel(REQUIREMENT, "pyflink/lib/")
    return java_peer(ground, "FlinkCep", jars, VERSION, beside=("FlinkStream",))


def _sql(ground: PeerGround) -> AbstractContextManager[ReadyPeer]:
    jars = jars_of_wheel(REQUIREMENT, "pyflink/lib/")
    without = {"QA any": "MATCH_RECOGNIZE gives one match for each event that begins one"}
    some = ground.sizes.some_events
    return java_peer(ground, "FlinkSql", jars, VERSION, beside=("FlinkStream",), unsaid=without, events=some)


FLINK_CEP = Peer(
    "Flink CEP",
    "keyed by symbol, on event time, parallelism 1 in a local environment, objects reused, no checkpoints",
    _cep,
)
FLINK_SQL = Peer(
    "Flink SQL",
    "MATCH_RECOGNIZE … AFTER MATCH SKIP TO NEXT ROW, with a variable for what may lie between; fewer events",
    _sql,
)
