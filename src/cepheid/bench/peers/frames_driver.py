"""The process that asks pandas-match-recognize: `python -m cepheid.bench.peers.frames_driver FILE`."""

import contextlib
import importlib
import sys

import pyarrow.parquet as pq

from cepheid.bench.peers.driver import ANSWER
from cepheid.bench.peers.recognize import rows_of

WINDOW = "10000"  # milliseconds


def main(path: str) -> None:
    """Read the events, then answer line by line."""
    match_recognize = importlib.import_module("pandas_match_recognize").match_recognize
    events = pq.read_table(path).to_pandas()
    events["ts"] = events["ts"].astype("datetime64[ms]").astype("int64")
    print(f"{ANSWER}{len(events)}", flush=True)
    for line in sys.stdin:
        with contextlib.redirect_stdout(sys.stderr):
            found = match_recognize(rows_of(line.strip(), "events", WINDOW), events)
        print(f"{ANSWER}{len(found)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
