"""For tests of queries: events written as text, scenarios read from files, and assertions over both.

    assert_matches("PATTERN SEQ(A a, B b)", events("time type\\n1 A\\n2 B"), ["1; 2"])

A scenario file holds scenarios, each a title, a query, its events and what is expected:

    === Shoplifting                                a title begins a scenario; lines of '#' are comments
    time=ts order=seq                              optional: time type order time_unit lateness query=FILE;
                                                   a profile: select=a:last,b:2 consume once=12hours timezone
    PATTERN SEQ(Shelf s, ~Register r, Exit e)
    WHERE skip_till_next_match { [tag] }
    ---
    id ts    type  tag                             the header; `id` labels the events (without: 1, 2, …)
    1  12:00 Shelf 7
    CUT                                            ends a batch; WATERMARK 12:05 advances the watermark,
    2  12:10 Exit  7                               CRASH goes on from a snapshot, EMITS 1; 2 says what has
    ---                                            become certain since the last EMITS
    1; 2                                           a match in the order of the variables, or {s: 1; e: 2}:
                                                   `1 2 3` a Kleene variable, `[]` an empty one, `-` null

Expected are matches in order, `NONE`, `RETURNS` with a table of rows, `ERROR` with a part of the
message, and `LATE` or `BAD` with the labels of events. Cells are integers, floats, `true`, ISO
timestamps (`12:05` is on 2024-01-01), `null`, `[1,2]`, or strings, in quotes where they have blanks. A
heading such as `x:float` sets the type of its column. One of times in a zone has a heading such as
`ts:timestamp[Europe/Berlin]`, and times with an offset.

A query with EMIT COUNT has rows, given with RETURNS; of one with EMIT COMPRESSED, what it expands to is
expected.

A query with AGG has rows and no matches. They are given with RETURNS, in order, and EMITS names them
by their cells, with bars between the rows. A whole number is exact, of whatever size and in whatever
kind of column; floats may differ by a billionth:

    === Sales after an offer
    PATTERN SEQ(Offer o, Sale s) AGG COUNT, SUM(s.price) AS total WITHIN 10
    ---
    id time type  price
    1  1    Offer 0
    2  4    Sale  20
    EMITS 4 1 20
    3  11   Sale  30
    ---
    RETURNS time count total
            4    1     20
            11   2     50
"""

from cepheid.testing.assertions import assert_matches, assert_scenario
from cepheid.testing.comparisons import compare_aggregates, compare_matches, compare_rows, describe, labels
from cepheid.testing.scenarios import Scenario, ScenarioStep, scenario
from cepheid.testing.tables import DAY, events

__all__ = [
    "DAY",
    "Scenario",
    "ScenarioStep",
    "assert_matches",
    "assert_scenario",
    "compare_aggregates",
    "compare_matches",
    "compare_rows",
    "describe",
    "events",
    "labels",
    "scenario",
]
