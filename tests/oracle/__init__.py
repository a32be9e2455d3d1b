"""The judge of every engine: what a query means, in plain Python, written from SEMANTICS.md and nothing else.

Each stage is a function of plain values, and the next one takes what it returns.

stage                   module         what SEMANTICS.md says there
events in their order   stream         Events; WITHIN: what a window spans, and when it closes
times in zones          zones          Events: a time with a zone, a literal without one
values of expressions   evaluate       Events: logic; WHERE: attributes, functions, a[i], a[..i-1], a.len
conjuncts               conditions     WHERE: for every i; what names an absent variable holds
a pattern's variables   facts          PATTERN and [k]: the windows, branches and parts of SEQ around each
positive matches        positive       PATTERN and Strategy
  by runs               runs           the NFA^b model: begin, take, proceed and ignore, in all strategies
  by combining          combinations   SEQ, AND, OR, Kleene, windows of parts: skip_till_any_match only
absence                 absence        Absence: the nearest selected events, and the windows around
order of output         order          The order of output: completion, then events
which are let out       emit, groups   EMIT
what a match returns    matches        RETURN
AGG                     aggregate      AGG, from a list of all matches
                        ends           with which variables a match may end: when there is a row
                        counting       the same, for streams whose matches are too many to list
                        totals         what COUNT, SUM, AVG, MIN and MAX make of values
queries of queries      compose        Composition
profiles                profiles       Profiles: select, consume, once
                        time_events    Profiles: AT, EVERY, SILENCE

A pattern operator joins in `combinations`, and in `runs` if it has states. What acts on matches in the order
of output, as profiles do, takes what `matches.found` returns.
"""

from .aggregate import aggregates
from .compose import composed_rows
from .counting import counts
from .groups import Completed, completed, counted
from .matches import Match, matches, rows
from .profiles import profile_rows

__all__ = [
    "Completed",
    "Match",
    "aggregates",
    "completed",
    "composed_rows",
    "counted",
    "counts",
    "matches",
    "profile_rows",
    "rows",
]
