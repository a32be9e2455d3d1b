"""What reaches the kernels of the tree engine, and of the ways that it plaits."""

from cepheid.query import query, resume
from cepheid.warm_up.nfa import TRENDS
from cepheid.warm_up.stream import ENDLESS, EVENTS, ONE_STREAM, push, run

CONJUNCTION = "PATTERN AND(A a, B+ b[], ~C c) WITHIN 5"


def match() -> None:
    """Matches, from a table and in a session."""
    run(TRENDS, "tree")
    run(f"{TRENDS} RETURN sum(b.x) AS s, max(b.n) AS m, b.len AS n", "tree")
    run("PATTERN AND(A a, B b, ~C c) WHERE [p] AND a.x < b.x AND a.n = b.n WITHIN 5", "tree", ENDLESS)
    run("PATTERN AND(A a, B b, ~C c) WITHIN 1", "tree", ENDLESS)
    run("PATTERN AND(A a, B b, C c) WHERE a.n = b.n AND b.n = c.n WITHIN 200", "tree", ENDLESS)
    push(CONJUNCTION, "tree")
    change_shape("PATTERN SEQ(A a, B b, C c) WHERE a.x < b.x AND b.n = c.n WITHIN 5")


def change_shape(text: str) -> None:
    """A session goes on in the shape that a snapshot is of."""
    session = query(text).using("tree", shape="right").session(EVENTS.schema, **ONE_STREAM)
    session.push(EVENTS)
    resume(query(text).using("tree"), session.snapshot()).close()


def answer_without_listing() -> None:
    """What EMIT makes of matches."""
    for emit in ("EMIT NON OVERLAPPING", "EMIT FIRST 1", "EMIT LONGEST", "EMIT COUNT", "EMIT COMPRESSED"):
        run(f"{CONJUNCTION} {emit}", "tree")
        run(f"PATTERN AND(A a, B b) WITHIN 5 {emit}", "tree")
