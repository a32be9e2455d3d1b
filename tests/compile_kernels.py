"""Compile the kernels once, before every process of the tests would: `python -m tests.compile_kernels`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import pyarrow as pa

import cepheid

EVENTS = pa.table({"t": range(8), "k": list("ABABCABC"), "x": [float(time) for time in range(8)]})
ONE_STREAM = {"time": "t", "type": "k"}
TRENDS = "PATTERN SEQ(A a, ~C c, B+ b[]) WHERE b[i].x > a.x WITHIN 5"


def run(text: str, engine: str = "aggregate", **options: str) -> None:
    """Over a table."""
    cepheid.query(text).using(engine, **options).run(EVENTS, **ONE_STREAM)


def match() -> None:
    """The nfa engine, and the ways that it finds."""
    run(TRENDS, "nfa")
    run("PATTERN SEQ(A a, B+ b[]) WITHIN 5", "nfa", sharing="merging")
    for emit in ("EMIT NON OVERLAPPING", "EMIT FIRST 1", "EMIT LONGEST", "EMIT COUNT"):
        run(f"PATTERN SEQ(A a, B+ b[]) WITHIN 5 {emit}", "nfa")
    found = cepheid.query("PATTERN SEQ(A a, B+ b[]) WITHIN 5 EMIT COMPRESSED").run(EVENTS, **ONE_STREAM)
    assert len(cepheid.expand(found)) > 0


def match_later() -> None:
    """The nfa engine with runs that read later what they can only take."""
    events = pa.concat_tables([EVENTS] * 64)
    found = cepheid.query("PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { 1 = 1 } WITHIN 5")
    assert found.run(events, **ONE_STREAM).stats["events_deferred"] > 0


def backtrack() -> None:
    """The nfa engine, one run at a time."""
    run(TRENDS, "nfa", sharing="backtracking")


def match_by_trees() -> None:
    """The tree engine, and the ways that it plaits."""
    run(TRENDS, "tree")
    for emit in ("EMIT NON OVERLAPPING", "EMIT FIRST 1", "EMIT COUNT", "EMIT COMPRESSED"):
        run(f"PATTERN AND(A a, B+ b[], ~C c) WITHIN 5 {emit}", "tree")


def count_by_stacks() -> None:
    """Two stacks."""
    run("PATTERN SEQ(A a, B+ b[]) WITHIN 5 AGG COUNT, MAX(b.x)", method="stacks")


def count_by_marking() -> None:
    """Start event marking, also with ordered indexes, and what it is compared with."""
    run("PATTERN SEQ(A a, B+ b[]) WITHIN 5 AGG COUNT, MAX(b.x)", method="aseq")
    run("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT", method="aseq")
    run("PATTERN SEQ(A a, B b) WHERE a.x < b.x WITHIN 5 AGG COUNT", method="ordered")
    run("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT", method="construction")


def count_by_algebra() -> None:
    """Numbers of one word, for one query or many, and of several."""
    run("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT", method="inverse")
    run("PATTERN SEQ(A a, ~C c, B b) WITHIN 5 AGG COUNT", method="inverse")
    triples = "PATTERN SEQ(A a, B b, C c) WITHIN 5 AGG COUNT EMIT EVERY 2"
    cepheid.workload({"one": triples, "two": triples}).run(EVENTS, **ONE_STREAM)
    cepheid.query(triples).session(EVENTS.schema, **ONE_STREAM).push(EVENTS)


def count_together() -> None:
    """Sharing as published."""
    triples = "PATTERN SEQ(A a, B b, C c) WITHIN 5 AGG COUNT"
    cepheid.workload({"one": triples, "two": triples}).using("prefix_tree").run(EVENTS, **ONE_STREAM)


ENGINES: tuple[Callable[[], None], ...] = (
    match,
    match_later,
    backtrack,
    match_by_trees,
    count_by_stacks,
    count_by_marking,
    count_by_algebra,
    count_together,
)


def compile_for(number: int) -> None:
    """Run what needs the kernels of one engine."""
    ENGINES[number]()


if __name__ == "__main__":
    print("compiling kernels (once per machine and version) …", flush=True)
    with ProcessPoolExecutor() as pool:
        list(pool.map(compile_for, range(len(ENGINES))))
