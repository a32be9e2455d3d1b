"""What reaches the kernels of the tree engine, and of the ways that it plaits."""

import pyarrow as pa

from cepheid.expand import expand
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


def change_shape(text: str, condense: str = "never") -> None:
    """A session goes on in the shape that a snapshot is of."""
    asked = query(text)
    session = asked.using("tree", shape="right", condense=condense).session(EVENTS.schema, **ONE_STREAM)
    session.push(EVENTS)
    resume(asked.using("tree", condense=condense), session.snapshot()).close()


def condense() -> None:
    """Composites in groups: counted by when they began, and as ways, as the text has them and otherwise."""
    chains = "PATTERN SEQ(A a, B+ b[], ~Z z, C c) WHERE a.x < b[i].x AND a.n = c.n WITHIN 5"
    for emit in ("", "EMIT FIRST 1", "EMIT LONGEST", "EMIT COUNT", "EMIT COMPRESSED"):
        condensed(f"{chains} {emit}", "left", EVENTS)
        condensed(f"PATTERN AND(A a, B b, C c) WHERE a.n < c.n WITHIN 5 {emit}", "left", EVENTS)
        condensed(f"PATTERN AND(A a, B b) WHERE a.x < b.x WITHIN 5 {emit}", "(b a)", EVENTS)
    condensed("PATTERN SEQ(A a, B b, C c) WITHIN 5 EMIT FIRST 1", "left", EVENTS)
    condensed("PATTERN SEQ(A+ a[], B b) WHERE a[i].x > 0 WITHIN 5 EMIT COUNT", "left", ENDLESS)
    change_shape("PATTERN SEQ(A a, B b, C c) WHERE a.x < b.x AND b.n = c.n WITHIN 5", "always")
    found = query("PATTERN AND(A a, B+ b[]) WITHIN 5 EMIT COMPRESSED").using("tree").run(EVENTS, **ONE_STREAM)
    list(expand(found.table))
    expand(found).first(1)


def condensed(text: str, shape: str, events: pa.Table) -> None:
    """Run a query condensed, and go on from a snapshot."""
    asked = query(text).using("tree", shape=shape, condense="always")
    asked.run(events, **ONE_STREAM)
    session = asked.session(events.schema, **ONE_STREAM)
    session.push(events)
    resume(asked, session.snapshot()).close()


def answer_without_listing() -> None:
    """What EMIT makes of matches."""
    for emit in ("EMIT NON OVERLAPPING", "EMIT FIRST 1", "EMIT LONGEST", "EMIT COUNT", "EMIT COMPRESSED"):
        run(f"{CONJUNCTION} {emit}", "tree")
        query(f"PATTERN AND(A a, B b) WITHIN 5 {emit}").using("tree", condense="never").run(
            EVENTS, **ONE_STREAM
        )
