"""DuckDB, where the installed version has MATCH_RECOGNIZE."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from cepheid.bench.peers.peer import Peer, PeerGround, ReadyPeer
from cepheid.bench.peers.recognize import UNSAID, rows_of
from cepheid.bench.peers.skipped import PeerSkippedError

WINDOW = "INTERVAL 10 SECOND"


@contextmanager
def _duckdb(ground: PeerGround) -> Iterator[ReadyPeer]:
    try:
        import duckdb
    except ImportError:
        raise PeerSkippedError("import duckdb", "it is not installed") from None
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("events", ground.events)
        connection.execute("CREATE TABLE held AS SELECT * FROM events")

        def count(pattern: str) -> int:
            asked = f"SELECT count(*), count(first), count(last) FROM ({rows_of(pattern, 'held', WINDOW)})"
            return int(connection.execute(asked).fetchall()[0][0])

        try:
            connection.execute(f"EXPLAIN {rows_of('QA next', 'held', WINDOW)}")
        except duckdb.Error as error:
            why = f"version {duckdb.__version__} does not have it ({str(error).splitlines()[0]})"
            raise PeerSkippedError("MATCH_RECOGNIZE", why) from None
        runs = {name: partial(count, name) for name in ("QA next", "QB")}
        yield ReadyPeer(duckdb.__version__, runs, unsaid=UNSAID)


DUCKDB = Peer("DuckDB", "MATCH_RECOGNIZE over a table of its own, on one thread", _duckdb)
