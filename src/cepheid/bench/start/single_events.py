"""Pushing one event at a time into a session that holds many keys, and many events at once."""

import cProfile
import io
import pstats
import time
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.bench.harness import in_fresh_process
from cepheid.bench.results import Figure, Section, no_bar
from cepheid.bench.start.sizes import StartSizes
from cepheid.query import query

QUERY = "PATTERN SEQ(A a, B b, C c) WHERE skip_till_next_match { [k] AND b.x > a.x } WITHIN 1000000"
BINDING: dict[str, Any] = {"time": "t", "type": "kind"}
SCHEMA = pa.schema([("t", pa.int64()), ("kind", pa.string()), ("k", pa.int64()), ("x", pa.float64())])
FORMS = ("dict", "table")
MEDIAN_BAR, LAST_BAR = 200.0, 1000.0  # microseconds
LINES = 12


def pushing(sizes: StartSizes) -> Section:
    """The time of a push, by what is pushed."""
    rows, figures, profile = [], [], ""
    for form in FORMS:
        told = [
            in_fresh_process(push_times, form=form, keys=sizes.keys, pushes=sizes.pushes)
            for _ in range(sizes.sessions)
        ]
        rows += [{"one event as": form, **each["row"]} for each in told]
        median = min(each["row"]["median µs"] for each in told)
        last = min(each["row"]["99 % µs"] for each in told)
        spread = ", ".join(f"{each['row']['median µs']}/{each['row']['99 % µs']}" for each in told)
        figures += [
            _under(f"one event as a {form}: median", MEDIAN_BAR, median, spread),
            _under(f"one event as a {form}: 99th percentile", LAST_BAR, last, spread),
        ]
        profile = profile or told[0]["profile"]
    whole = [
        in_fresh_process(push_whole, rows=sizes.whole_batch, keys=sizes.keys) for _ in range(sizes.sessions)
    ]
    seconds = ", ".join(f"{each['seconds']:.3f}" for each in whole)
    figures.append(
        no_bar(
            f"{sizes.whole_batch:,} events at once",
            f"{min(each['seconds'] for each in whole):.3f} s",
            seconds,
        )
    )
    return Section(
        "One event at a time",
        f"{QUERY} over {sizes.keys:,} keys. The session holds a run for each key before anything is timed. "
        f"What is left in a push (one profile, by own time): {profile}",
        tuple(rows),
        figures=tuple(figures),
    )


def _under(name: str, bar: float, value: float, spread: str) -> Figure:
    note = f"least of the processes; median/99 % of each: {spread}"
    return Figure(name, f"under {bar:g} µs", f"{value:g} µs", value < bar, note)


def events(first: int, rows: int, keys: int) -> pa.Table:
    """Events whose keys take turns, and whose types take turns with every round of the keys."""
    number = np.arange(first, first + rows)
    kinds = np.array(["A", "B", "C"])[number // keys % 3]
    values = (number * 7919 % 1000).astype(float)
    return pa.table([number, kinds, number % keys, values], schema=SCHEMA)


def _filled(keys: int) -> Any:
    """A session in which every key waits for its second event."""
    session = query(QUERY).session(SCHEMA, **BINDING)
    session.push(events(0, keys, keys))
    return session


def push_times(form: str, keys: int, pushes: int) -> dict[str, Any]:
    """Push events one by one; the microseconds of a push, and the profile of some more."""
    table = events(keys, 2 * pushes, keys)
    ones: list[Any] = (
        [[row] for row in table.to_pylist()]
        if form == "dict"
        else [table.slice(i, 1) for i in range(2 * pushes)]
    )
    session = _filled(keys)
    for one in ones[: pushes // 10]:
        session.push(one)
    timed, profiled = ones[pushes // 10 : pushes], ones[pushes : pushes + pushes // 5]
    taken = np.empty(len(timed))
    for place, one in enumerate(timed):
        began = time.perf_counter_ns()
        session.push(one)
        taken[place] = time.perf_counter_ns() - began
    median, ninety, last = np.percentile(taken / 1000, [50, 90, 99]).round(1).tolist()
    row = {"pushes": len(timed), "median µs": median, "90 % µs": ninety, "99 % µs": last}
    return {"row": row, "profile": _profile(session, profiled)}


def _profile(session: Any, ones: list[Any]) -> str:
    watched = cProfile.Profile()
    watched.enable()
    for one in ones:
        session.push(one)
    watched.disable()
    entries = pstats.Stats(watched, stream=io.StringIO()).stats.items()  # type: ignore[attr-defined]
    whole = sum(entry[2] for _, entry in entries) or 1.0
    most = sorted(entries, key=lambda item: -item[1][2])[:LINES]
    return ", ".join(f"{name} {entry[2] / whole:.0%}" for (_, _, name), entry in most)


def push_whole(rows: int, keys: int) -> dict[str, Any]:
    """Push many events at once into such a session."""
    table = events(keys, rows, keys)
    _filled(keys).push(table)
    session = _filled(keys)
    began = time.process_time()
    session.push(table)
    return {"seconds": time.process_time() - began}
