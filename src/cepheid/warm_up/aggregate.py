"""What reaches the kernels of the aggregate engine, by each method, and of what it is compared with."""

from cepheid.query import query
from cepheid.warm_up.stream import EVENTS, ONE_STREAM, run
from cepheid.workload import workload

TRIPLES = "PATTERN SEQ(A a, B b, C c) WITHIN 5 AGG COUNT"


def count_by_stacks() -> None:
    """Two stacks."""
    run("PATTERN SEQ(A a, B+ b[]) WITHIN 5 AGG COUNT, MAX(b.x)", "aggregate", method="stacks")


def count_by_marking() -> None:
    """Start event marking, also with ordered indexes."""
    run("PATTERN SEQ(A a, B+ b[]) WITHIN 5 AGG COUNT, MAX(b.x)", "aggregate", method="aseq")
    run("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT", "aggregate", method="aseq")
    run("PATTERN SEQ(A a, B b) WHERE a.x < b.x WITHIN 5 AGG COUNT", "aggregate", method="ordered")


def count_by_construction() -> None:
    """Every match is built: only to be compared with."""
    run("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT", "aggregate", method="construction")


def count_by_algebra() -> None:
    """Numbers of one word, for one query or many, and of several."""
    run("PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT", "aggregate", method="inverse")
    run("PATTERN SEQ(A a, ~C c, B b) WITHIN 5 AGG COUNT", "aggregate", method="inverse")
    periods = f"{TRIPLES} EMIT EVERY 2"
    workload({"one": periods, "two": periods}).run(EVENTS, **ONE_STREAM)
    query(periods).session(EVENTS.schema, **ONE_STREAM).push(EVENTS)


def count_together() -> None:
    """Sharing as published."""
    workload({"one": TRIPLES, "two": TRIPLES}).using("prefix_tree").run(EVENTS, **ONE_STREAM)
