"""The memory of a session whose groups come and go for ever: those that left the window are forgotten."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.bench.aseq.sizes import AseqSizes
from cepheid.bench.harness import in_fresh_process, resident_bytes
from cepheid.bench.results import Chart, Figure, Section
from cepheid.query import query

MEGABYTE = 1e6
GROWTH_BAR = 1.1
OF_GROUP = 8
"""So many events has each group; then it never returns."""

BATCH_ROWS, SAMPLES = 50_000, 100
SCHEMA = pa.schema([("time", pa.int64()), ("type", pa.string()), ("k", pa.int64()), ("x", pa.int64())])
QUERIES = {
    "inverse": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 1000 AGG COUNT GROUP BY k EMIT EVERY 1000",
    "stacks": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 1000 AGG COUNT, MAX(b.x) GROUP BY k",
}


def rotating_groups(sizes: AseqSizes) -> Section:
    """A long stream through a session of each method, in a process of its own."""
    size = sizes.rotating_events
    curves = {
        method: in_fresh_process(memory_curve, text=text, method=method, size=size)
        for method, text in QUERIES.items()
    }
    growth = {method: _growth(told["samples"]) for method, told in curves.items()}
    listed = ", ".join(f"{method} {times:.2f}×" for method, times in growth.items())
    most = max(sample["groups"] for told in curves.values() for sample in told["samples"])
    return Section(
        "Memory of rotating groups",
        f"{'; '.join(QUERIES.values())}. A session is fed {size:,} events in batches of {BATCH_ROWS:,}; each "
        f"group has {OF_GROUP} events and never returns, so there are {size // OF_GROUP:,} of them. Resident "
        "memory holds the interpreter and the compiled kernels besides.",
        tuple(
            {
                "method": method,
                "events": sample["events"],
                "resident MB": round(sample["resident"] / MEGABYTE, 1),
                "state MB": round(sample["state"] / MEGABYTE, 2),
                "groups remembered": sample["groups"],
            }
            for method, told in curves.items()
            for sample in told["samples"][:: max(len(told["samples"]) // 8, 1)]
        ),
        (Chart("million events", "MB", "method", title="resident memory as groups come and go"),),
        (
            Figure(
                f"memory over {size / 1e6:,.0f} M events of rotating groups",
                "flat: the last quarter within 1.1× of the second",
                listed,
                max(growth.values()) <= GROWTH_BAR,
                f"{most:,} groups remembered at most, of {size // OF_GROUP:,}",
            ),
        ),
        tuple(
            {"million events": s["events"] / 1e6, "MB": s["resident"] / MEGABYTE, "method": method}
            for method, told in curves.items()
            for s in told["samples"]
        ),
    )


def memory_curve(text: str, method: str, size: int) -> dict[str, Any]:
    """Memory, state and remembered groups as a stream goes by."""
    session = query(text).using("aggregate", method=method).session(SCHEMA, time="time", type="type")
    samples: list[dict[str, int]] = []
    rows, every = 0, max(size // BATCH_ROWS // SAMPLES, 1)
    for number, batch in enumerate(_batches(size), 1):
        rows += session.push(batch).num_rows
        if number % every == 0:
            stats = session.stats
            samples.append(
                {
                    "events": stats["events"],
                    "resident": resident_bytes(),
                    "state": stats["state_bytes"],
                    "groups": stats["groups"],
                }
            )
    rows += session.close().num_rows
    return {"rows": rows, "samples": samples}


def _batches(size: int) -> Iterator[pa.Table]:
    for first in range(0, size, BATCH_ROWS):
        numbers = np.arange(first, min(first + BATCH_ROWS, size), dtype=np.int64)
        kinds = pa.DictionaryArray.from_arrays(pa.array((numbers % 2).astype(np.int8)), pa.array(["A", "B"]))
        columns = [numbers, kinds.cast(pa.string()), numbers // OF_GROUP, numbers % 1_000]
        yield pa.Table.from_arrays([pa.array(column) for column in columns], schema=SCHEMA)


def _growth(samples: list[dict[str, int]]) -> float:
    """How much more the last quarter of a stream has taken than the second."""
    quarter = max(len(samples) // 4, 1)
    second, last = samples[quarter : 2 * quarter] or samples, samples[-quarter:]
    taken = [float(np.median([sample["resident"] for sample in some])) for some in (second, last)]
    return taken[1] / taken[0]
