"""pandas-match-recognize, in a process of its own: it brings modules whose names might be anyone's."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pyarrow.parquet as pq

from cepheid.bench.harness import child_environment
from cepheid.bench.peers.driver import driven
from cepheid.bench.peers.fetching import installed
from cepheid.bench.peers.peer import Peer, PeerGround, ReadyPeer
from cepheid.bench.peers.recognize import UNSAID

VERSION = "0.2.5"
LEFT_OUT = "it finds fewer by our query with AFTER MATCH SKIP TO NEXT ROW; why is not known"
NEEDED = (f"pandas_match_recognize=={VERSION}", "antlr4-python3-runtime", "psutil")


@contextmanager
def _pandas(ground: PeerGround) -> Iterator[ReadyPeer]:
    packages = installed(*NEEDED)
    few = ground.events.slice(0, ground.sizes.slow_events)
    path = ground.folder / "few.parquet"
    pq.write_table(few, path)
    environment = child_environment()
    environment["PYTHONPATH"] = os.pathsep.join([environment["PYTHONPATH"], str(packages)])
    command = [sys.executable, "-m", "cepheid.bench.peers.frames_driver", str(path)]
    with driven(command, environment) as process:
        runs = {name: partial(process.count, name) for name in ("QA next", "QB")}
        differs = dict.fromkeys(runs, LEFT_OUT)
        yield ReadyPeer(VERSION, runs, events=few.num_rows, differs=differs, unsaid=UNSAID)


PANDAS = Peer("pandas-match-recognize", "MATCH_RECOGNIZE over a DataFrame, of fewer events", _pandas)
