"""What reaches the kernels of the nfa engine, of the ways that it finds, and of what it is compared with."""

import pyarrow as pa

from cepheid.expand import expand
from cepheid.query import query
from cepheid.warm_up.stream import EVENTS, ONE_STREAM, run

TRENDS = "PATTERN SEQ(A a, ~C c, B+ b[]) WHERE b[i].x > a.x WITHIN 5"
DEFERRING = "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { 1 = 1 } WITHIN 5"


def match() -> None:
    """Matches, and what EMIT makes of them without listing all."""
    run(TRENDS, "nfa")
    run("PATTERN SEQ(A a, B+ b[]) WITHIN 5", "nfa", sharing="merging")
    for emit in ("EMIT NON OVERLAPPING", "EMIT FIRST 1", "EMIT LONGEST", "EMIT COUNT"):
        run(f"PATTERN SEQ(A a, B+ b[]) WITHIN 5 {emit}", "nfa")
    found = query("PATTERN SEQ(A a, B+ b[]) WITHIN 5 EMIT COMPRESSED").run(EVENTS, **ONE_STREAM)
    list(expand(found))


def match_later() -> None:
    """Runs that read later what they can only take."""
    query(DEFERRING).run(pa.concat_tables([EVENTS] * 64), **ONE_STREAM)


def backtrack() -> None:
    """One run at a time."""
    run(TRENDS, "nfa", sharing="backtracking")
