"""What to find: the trees of a query, and a builder that makes them in Python.

from cepheid import pattern as p

p.seq(p.event("Shelf", "s"), p.no("Register", "r"), p.event("Exit", "e")).within("12 hours")
"""

from functools import partial

from cepheid.pattern.build import (
    Builder,
    agg,
    all_of,
    any_event,
    any_of,
    at,
    column,
    event,
    every,
    no,
    nth,
    one_or_more,
    optional,
    seq,
    silence,
    star,
    times,
    within,
    zero_or_more,
)
from cepheid.pattern.terms import Term, call, case, over, var

avg = partial(over, "avg")
coalesce = partial(call, "coalesce")
collect = partial(over, "collect")
concat = partial(call, "concat")
count = partial(over, "count")
first = partial(over, "first")
last = partial(over, "last")
max = partial(over, "max")
min = partial(over, "min")
regexp_extract = partial(call, "regexp_extract")
regexp_like = partial(call, "regexp_like")
substr = partial(call, "substr")
sum = partial(over, "sum")

__all__ = [
    "Builder",
    "Term",
    "agg",
    "all_of",
    "any_event",
    "any_of",
    "at",
    "avg",
    "call",
    "case",
    "coalesce",
    "collect",
    "column",
    "concat",
    "count",
    "event",
    "every",
    "first",
    "last",
    "max",
    "min",
    "no",
    "nth",
    "one_or_more",
    "optional",
    "over",
    "regexp_extract",
    "regexp_like",
    "seq",
    "silence",
    "star",
    "substr",
    "sum",
    "times",
    "var",
    "within",
    "zero_or_more",
]
