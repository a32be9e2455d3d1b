"""What reaches the kernels of the nfa engine, of the ways that it finds, and of what it is compared with."""

from itertools import product

import numpy as np
import pyarrow as pa

from cepheid.expand import expand
from cepheid.matchers.baselines.binary_search import find_by_hand
from cepheid.matchers.baselines.handwritten import rising_prices
from cepheid.matchers.store import ROW_NUMBERS, WORTH_A_KERNEL, gather
from cepheid.query import query
from cepheid.sources.generate import stocks
from cepheid.warm_up.stream import EVENTS, LONG, ONE_STREAM, push, run, with_clocks

TRENDS = "PATTERN SEQ(A a, ~C c, B+ b[]) WHERE b[i].x > a.x WITHIN 5"
KLEENE = "PATTERN SEQ(A a, B+ b[]) WITHIN 5"
SILENT_END = "PATTERN SEQ(A a, B b, ~C c) WHERE [p] WITHIN 5"


def match() -> None:
    """Matches, from a table and in a session."""
    run(TRENDS, "nfa")
    run(f"{TRENDS} RETURN sum(b.x) AS s, max(b.n) AS m, b.len AS n", "nfa")
    push(f"{TRENDS} RETURN a.k AS k", "nfa")
    run(SILENT_END, "nfa", LONG)
    push(SILENT_END, "nfa")
    push("PATTERN A a WHERE hour(a.t) = 0", "nfa", with_clocks(EVENTS))
    rows = np.arange(WORTH_A_KERNEL)
    for word, numbers in product((pa.int8(), pa.int16(), pa.int32(), pa.int64()), ROW_NUMBERS):
        gather(pa.array(rows % 100, word), rows.astype(numbers))


def answer_without_listing() -> None:
    """What EMIT makes of matches, merged or not."""
    run(KLEENE, "nfa", sharing="merging")
    for emit in ("EMIT NON OVERLAPPING", "EMIT FIRST 1", "EMIT LONGEST", "EMIT COUNT"):
        run(f"{KLEENE} {emit}", "nfa")
    run(f"{SILENT_END} EMIT NON OVERLAPPING", "nfa")
    run("PATTERN SEQ(A a, B b, ~C c) WITHIN 2 EMIT NON OVERLAPPING", "nfa")  # one partition: another array
    found = query(f"{KLEENE} EMIT COMPRESSED").run(EVENTS, **ONE_STREAM)
    list(expand(found.table))  # rows as users see them, made when they are asked for
    compressed = expand(found)
    list(compressed)


def match_later() -> None:
    """Runs that read later what they can only take."""
    run("PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { 1 = 1 } WITHIN 5", "nfa", LONG)


def backtrack() -> None:
    """One run at a time."""
    run(TRENDS, "nfa", sharing="backtracking")


def match_by_hand() -> None:
    """What benchmarks compare with, written by hand: one query, and a search for equal values."""
    rising_prices(stocks(200, 1, symbols=2), 20)
    values = np.arange(4)
    find_by_hand(values, values, values, np.zeros((2, 4), np.int64))  # type: ignore[no-untyped-call]
