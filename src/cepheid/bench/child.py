"""Measurements that need a process of their own: `python -m cepheid.bench.child NAME JSON` prints JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from cepheid.bench.harness import measure, peak_resident_bytes, resident_bytes
from cepheid.bench.sase.explosive_run import explosive
from cepheid.bench.sase.queries import Template, whole_run
from cepheid.query import query
from cepheid.sources.generate import STOCKS_SCHEMA, stock_batches

BY_KEY = (
    "PATTERN SEQ(stock a, stock b) WHERE skip_till_next_match "
    "{ [symbol] AND a.volume > 900 AND b.volume < 150 } WITHIN 5 EVENTS"
)
FOLDED_BATCH = 1 << 20
SAMPLES = 200


def over_keys(size: int, keys: int, generated_keys: int) -> pa.Table:
    """Events of many symbols, folded onto fewer: all else stays the same."""
    batches = stock_batches(size, 1, symbols=generated_keys, batch_rows=FOLDED_BATCH)
    events = pa.Table.from_batches(batches, schema=STOCKS_SCHEMA).combine_chunks()
    if keys == generated_keys:
        return events
    folded = (events.column("symbol").to_numpy() - 1) % keys + 1
    return events.set_column(1, "symbol", pa.array(folded))


def partition_times(size: int, few: int, many: int, repeat: int) -> dict[str, Any]:
    """The same events over few keys and over many, in turns."""
    asked = query(BY_KEY)
    runs = {str(keys): whole_run(asked, over_keys(size, keys, many)) for keys in (few, many)}
    matches = {name: len(run()) for name, run in runs.items()}
    timings = measure(runs, repeat)
    return {
        name: {"best": timing.best, "median": timing.median, "matches": matches[name]}
        for name, timing in timings.items()
    }


def partition_memory(size: int, keys: int) -> dict[str, Any]:
    """One run over many keys, for its peak of memory."""
    matches = whole_run(query(BY_KEY), over_keys(size, keys, keys))()
    return {"matches": len(matches), "state_bytes": matches.stats["peak_state_bytes"]}


def memory_curve(size: int, batch_rows: int, window: int) -> dict[str, Any]:
    """A long stream through one session: memory and state as it goes."""
    session = Template("p2", "s3", window).parsed().session(STOCKS_SCHEMA, time="time", type="type")
    samples: list[dict[str, int]] = []
    every = max(size // batch_rows // SAMPLES, 1)
    matches = 0
    for number, batch in enumerate(stock_batches(size, 1, batch_rows=batch_rows), 1):
        matches += session.push(batch).num_rows
        if number % every == 0:
            stats = session.stats
            samples.append(
                {"events": stats["events"], "resident": resident_bytes(), "state": stats["state_bytes"]}
            )
            _say_share(stats["events"] / size)
    matches += session.close().num_rows
    return {"matches": matches, "seconds": session.stats["seconds"], "samples": samples}


def _say_share(done: float) -> None:
    if sys.stderr.isatty():
        print(f"\r  {done:4.0%}", end="\r" if done >= 1 else "", file=sys.stderr, flush=True)


MEASUREMENTS: dict[str, Callable[..., dict[str, Any]]] = {
    "partition_times": partition_times,
    "partition_memory": partition_memory,
    "memory_curve": memory_curve,
    "explosive": explosive,
}


def main(name: str, arguments: str) -> None:
    """Run one measurement and print what it gives, with the peak of memory."""
    pa.set_cpu_count(1)
    result = MEASUREMENTS[name](**json.loads(arguments))
    print(json.dumps({**result, "peak_resident": peak_resident_bytes()}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
