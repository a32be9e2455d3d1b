"""10^9 combinations completed in one window: counted, listed in part, handed out as a graph, and drawn from.

Of n events A, then n events B, then n events C, `AND(A a, B b, C c)` and `SEQ(A a, B b, C c)` have n³
matches, completed by the events C. With an event D after them, as in `SEQ(AND(A a, B b, C c), D d)`, one
event completes all of them. Each question is asked in a process of its own, after ten events of each type.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.bench.condensed.cells import counted
from cepheid.bench.condensed.sizes import CondensedSizes
from cepheid.bench.harness import in_fresh_process, peak_resident_bytes
from cepheid.bench.results import Figure, Section
from cepheid.errors import CepheidError
from cepheid.expand import expand
from cepheid.matchers.packed_rows import PackedRows
from cepheid.query import Query, query

PATTERNS = {
    "AND(A a, B b, C c)": "ABC",
    "SEQ(A a, B b, C c)": "ABC",
    "SEQ(AND(A a, B b, C c), D d)": "ABCD",
    "SEQ(A a, B b, C c, D d)": "ABCD",
}
"""Each pattern and its types; of D there is one event."""

MANY = "ABC"
FIRST, DRAWN, FEW = 1_000, 1_000, 10
PEAK_BAR = 100e6
ROWS = 50
"""A batch of a session."""


def billion(sizes: CondensedSizes) -> Section:
    """Every question about every pattern: seconds, and memory above that of a small run."""
    rows = []
    for pattern in PATTERNS:
        for question in QUESTIONS:
            told = in_fresh_process(asked_about, pattern=pattern, question=question, each=sizes.each)
            rows.append(
                {
                    "pattern": pattern,
                    "asked": question,
                    "answer": told["answer"],
                    "seconds": round(told["seconds"], 3),
                    "MB above a small run": round((told["peak_resident"] - told["before"]) / 1e6, 1),
                }
            )
    worst = max(rows, key=lambda row: row["MB above a small run"])
    slowest = max(rows, key=lambda row: row["seconds"])
    return Section(
        f"{sizes.each:,}³ combinations completed in one window",
        f"{sizes.each:,} events of each of the types A, B, C, in this order, and one D; always condensed. "
        "Counts were compared with the formula. The first matches of EMIT FIRST are taken from a session, "
        f"{ROWS} events at a time, and dropped: each completing event has {FIRST:,} of its own. Seconds are "
        "of processor time, in a process that has run ten events of each type before; memory is the peak "
        "above that of the small run.",
        tuple(rows),
        figures=(
            Figure(f"{sizes.each:,}³ combinations: counted, listed, compressed, drawn", "exact, in seconds",
                   f"{slowest['seconds']:.2f} s at most", None,
                   f"{slowest['asked']} of {slowest['pattern']}"),
            Figure(f"{sizes.each:,}³ combinations: memory above a small run", "at most 100 MB",
                   f"{worst['MB above a small run']:.0f} MB", worst["MB above a small run"] <= PEAK_BAR / 1e6,
                   f"{worst['asked']} of {worst['pattern']}"),
        ),
    )  # fmt: skip


def stream_of(each: int, types: str) -> pa.Table:
    """So many events of each type after each other, and one of D."""
    kinds = [kind for name in types for kind in [name] * (each if name in MANY else 1)]
    return pa.table({"time": np.arange(len(kinds)), "type": pa.array(kinds).dictionary_encode()})


# ---------------------------------------------------------------- in a process of its own


def asked_about(pattern: str, question: str, each: int) -> dict[str, Any]:
    """One question about many events, after the same about ten of each type."""
    ask = QUESTIONS[question]
    ask(pattern, FEW)
    before, began = peak_resident_bytes(), time.process_time()
    answer = ask(pattern, each)
    return {"answer": answer, "seconds": time.process_time() - began, "before": before}


def _query(pattern: str, each: int, emit: str) -> Query:
    text = f"PATTERN {pattern} WITHIN {len(MANY) * each + 1} EMIT {emit}"
    return query(text).using("tree", condense="always")


def _events(pattern: str, each: int) -> pa.Table:
    return stream_of(each, PATTERNS[pattern])


def count(pattern: str, each: int) -> str:
    """EMIT COUNT."""
    found = _query(pattern, each, "COUNT").run(_events(pattern, each), time="time", type="type")
    return _checked(counted(found), each)


def first(pattern: str, each: int) -> str:
    """EMIT FIRST, through a session."""
    events = _events(pattern, each)
    session = _query(pattern, each, f"FIRST {FIRST}").session(events.schema, time="time", type="type")
    listed = sum(session.push(batch).num_rows for batch in events.to_batches(max_chunksize=ROWS))
    return f"{listed + session.close().num_rows:,} matches"


def compressed(pattern: str, each: int) -> str:
    """EMIT COMPRESSED, and from it the count, the first matches and some at random."""
    found = _query(pattern, each, "COMPRESSED").run(_events(pattern, each), time="time", type="type")
    expanded = expand(found)
    number = _checked(expanded.count(), each)
    listed, drawn = len(expanded.first(FIRST)), len(expanded.sample(min(DRAWN, each**3)))
    assert isinstance(found.source, PackedRows)
    kept = found.source.packed.nbytes
    return f"{number}; {listed:,} listed, {drawn:,} drawn; {kept / 1e6:.1f} MB kept"


def _checked(number: int, each: int) -> str:
    if number != each**3:
        raise CepheidError(f"{each}³ combinations were counted as {number:,}")
    return f"{number:,}"


QUESTIONS: dict[str, Callable[[str, int], str]] = {
    "EMIT COUNT": count,
    f"EMIT FIRST {FIRST}": first,
    "EMIT COMPRESSED, expand()": compressed,
}
