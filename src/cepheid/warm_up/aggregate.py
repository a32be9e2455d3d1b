"""What reaches the kernels of the aggregate engine, by each method, and of what it is compared with."""

from cepheid.warm_up.stream import EVENTS, LONG, ONE_STREAM, push, run, with_real_time
from cepheid.workload import workload

PAIRS = "PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT"
KLEENE = "PATTERN SEQ(A a, B+ b[]) WITHIN 5 AGG COUNT, MAX(b.x)"
SUMS = "PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT, SUM(b.n)"
TRIPLES = "PATTERN SEQ(A a, B b, C c) WITHIN 5 AGG COUNT"
ABSENCE = "PATTERN SEQ(A a, ~C c, B b) WITHIN 5 AGG COUNT"
RISING = "PATTERN SEQ(A a, B b) WHERE a.x < b.x WITHIN 5 AGG COUNT"
BY_GROUP = "PATTERN SEQ(A a, B b) WHERE [p] WITHIN 5 AGG COUNT GROUP BY p"
RISING_BY_GROUP = "PATTERN SEQ(A a, B b) WHERE [p] AND a.x < b.x WITHIN 5 AGG COUNT GROUP BY p"
ABSENCE_BY_GROUP = "PATTERN SEQ(A a, ~C c, B b) WHERE [p] WITHIN 5 AGG COUNT GROUP BY p"

EIGHT_STEPS = "PATTERN SEQ(A a, B b, C c, A d, B e, C f, A g, B h) AGG COUNT"  # a word may hold it, or not
TEN_STEPS = "PATTERN SEQ(A a, B b, C c, A d, B e, C f, A g, B h, A i, B j) AGG COUNT"  # no word holds it


def _each_time(text: str, method: str) -> None:
    """Rows at events and at the end of every period, from a table and in a session."""
    run(text, "aggregate", method=method)
    run(f"{text} EMIT EVERY 2", "aggregate", method=method)
    push(f"{text} EMIT EVERY 2", "aggregate", method=method)


def count() -> None:
    """What the engine finds out about a table before it chooses a method."""
    run(PAIRS, "aggregate")
    run("PATTERN SEQ(A a, B b) WITHIN 5 EVENTS AGG COUNT", "aggregate")
    run(f"{BY_GROUP} EMIT ON CLOSE", "aggregate")
    for events in (LONG, with_real_time(LONG)):
        run(PAIRS, "aggregate", events)
        run(EIGHT_STEPS, "aggregate", events)


def count_by_stacks() -> None:
    """Two stacks."""
    run(KLEENE, "aggregate", method="stacks")
    _each_time(BY_GROUP, "stacks")


def count_by_marking() -> None:
    """Start event marking."""
    run(KLEENE, "aggregate", method="aseq")
    run(PAIRS, "aggregate", method="aseq")
    _each_time(BY_GROUP, "aseq")


def count_in_order() -> None:
    """Start event marking with ordered indexes."""
    run(RISING, "aggregate", method="ordered")
    _each_time(RISING_BY_GROUP, "ordered")


def count_on_ways() -> None:
    """Matches of an AND, on the graph of them."""
    run("PATTERN AND(A a, B b) WITHIN 5 AGG COUNT, SUM(b.x)", "aggregate")


def count_by_construction() -> None:
    """Every match is built: only to be compared with."""
    run(PAIRS, "aggregate", method="construction")
    _each_time(BY_GROUP, "construction")


def count_by_algebra() -> None:
    """Numbers of one word, for one query or many, and of several."""
    run(PAIRS, "aggregate", method="inverse")
    _each_time(SUMS, "inverse")
    run(ABSENCE, "aggregate", method="inverse")
    run(TEN_STEPS, "aggregate", LONG, method="inverse")
    _each_time(BY_GROUP, "inverse")
    _each_time(ABSENCE_BY_GROUP, "inverse")
    periods = f"{TRIPLES} EMIT EVERY 2"
    workload({"one": periods, "two": periods}).run(EVENTS, **ONE_STREAM)
    push(periods)


def count_together() -> None:
    """Sharing as published."""
    workload({"one": TRIPLES, "two": TRIPLES}).using("prefix_tree").run(EVENTS, **ONE_STREAM)
