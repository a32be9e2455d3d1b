"""What is said about a result that may not be what was meant."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from tests.runners.streams import BINDING

DICE = random.Random(1)
ROWS: list[dict[str, Any]] = [
    {
        "time": time,
        "type": DICE.choice(["failed", "success"]),
        "user": DICE.choice(["ann", "bob", None]),
        "n": time % 7,
    }
    for time in range(2000)
]
TABLE = pa.Table.from_pylist(ROWS)


def run(text: str, events: Any = TABLE, **options: Any) -> tuple[Any, list[str]]:
    """The result of a query, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cepheid.query(text).run(events, **BINDING, **options)
    assert all(item.filename == __file__ for item in caught)
    return result, [str(item.message) for item in caught]


UNSEEN = [
    ("SEQ(failde a, success b) WITHIN 9", "no event has type 'failde'; did you mean 'failed'?"),
    ("SEQ(failed a, SUCCESS b) WITHIN 9", "no event has type 'SUCCESS'; did you mean 'success'?"),
    ("SEQ(failed a, Quux b) WITHIN 9", "no event has type 'Quux'; there are 'success', 'failed'"),
    ("failed a WHERE a.user = 'anne'", "no event has user = 'anne'; did you mean 'ann'?"),
    ("failed a WHERE 'Bob' = a.user", "no event has user = 'Bob'; did you mean 'bob'?"),
    ("failed a WHERE a.user IN ('anne')", "no event has user = 'anne'; did you mean 'ann'?"),
    ("SEQ(failde+ a[], success b) WITHIN 9", "no event has type 'failde'; did you mean 'failed'?"),
    ("SEQ(failed a, succes b) WITHIN 9 AGG COUNT", "no event has type 'succes'; did you mean 'success'?"),
    ("SEQ(failde a, success b) WITHIN 9 AGG COUNT", "no event has type 'failde'; did you mean 'failed'?"),
]


@pytest.mark.parametrize(("pattern", "note"), UNSEEN, ids=[pattern for pattern, _ in UNSEEN])
@pytest.mark.parametrize("encoded", [False, True])
def test_what_no_event_has_is_told(pattern: str, note: str, encoded: bool) -> None:
    place = TABLE.column_names.index("type")
    events = TABLE.set_column(place, "type", TABLE["type"].dictionary_encode()) if encoded else TABLE
    result, warned = run(f"PATTERN {pattern}", events)
    assert result.notes == (note,) and warned == [note]
    assert note in repr(result)


def test_one_of_several_values_is_enough() -> None:
    result, warned = run("PATTERN failed a WHERE a.user IN ('ann', 'carl')")
    assert len(result) and result.notes == () and warned == []
    result, warned = run("PATTERN failed a WHERE a.user IN ('anne', 'bob') AND a.n > 9")
    assert result.notes[0] == "no event has user = 'anne'; did you mean 'ann'?" and len(warned) == 1


def test_a_misspelled_absence_gives_matches_and_a_warning() -> None:
    result, warned = run("PATTERN SEQ(failed a, ~failled r, success b) WITHIN 2")
    assert len(result) and warned == ["no event has type 'failled'; did you mean 'failed'?"]
    assert warned[0].replace("'", "&#x27;") in result._repr_html_()
    result, warned = run("PATTERN SEQ(failed a, ~reset r, success b) WITHIN 2")
    assert len(result) and warned == []  # what is absent may well be absent
    assert result.notes == ("no event has type 'reset'; there are 'success', 'failed'",)


def test_nothing_is_said_where_matches_have_what_they_need() -> None:
    result, warned = run("PATTERN SEQ(failed a, success b) WITHIN 2")
    assert (result.notes, result.steps, warned) == ((), (), [])


# -- why nothing was found -------------------------------------------------------------------------


def test_how_far_events_came() -> None:
    result, warned = run(
        "PATTERN SEQ(failed+ a[], success b) WHERE [user] AND a[i].n > 9 AND b.n < 3 WITHIN 2"
    )
    assert warned == []
    good = [row for row in ROWS if row["user"] is not None]
    failed = [row for row in good if row["type"] == "failed"]
    others = [row for row in good if row["type"] == "success"]
    assert [(step.variable, step.asks, step.events) for step in result.steps] == [
        ("", "user is not null", len(good)),
        ("a[]", "type failed", len(failed)),
        ("a[]", "n > 9", 0),
        ("b", "type success", len(others)),
        ("b", "n < 3", sum(row["n"] < 3 for row in others)),
    ]
    assert result.notes == ("no event passes 'n > 9' as a[]", "n is from 0 to 6")


def test_the_first_event_of_a_kleene_variable_may_be_asked_for_more() -> None:
    result, _ = run("PATTERN SEQ(failed+ a[], ~reset r, success b) WHERE a[1].n > 9 WITHIN 2")
    assert [step.variable for step in result.steps] == ["a[1]", "a[1]", "a[i]", "b", "~r"]


@pytest.mark.parametrize("keys", [pa.array([1, 2, None]), pa.array(["x", "y", None]).dictionary_encode()])
def test_no_key_has_them_all(keys: pa.Array) -> None:
    events = pa.table({"time": [1, 2, 3], "type": ["A", "B", "A"], "k": keys, "l": [7, 7, 7]})
    result, _ = run("PATTERN SEQ(A a, B b) WHERE [k, l] WITHIN 9", events)
    assert result.notes == ("no k and l has events for each of a, b: is it the right key?",)


def test_what_joins_events_is_left() -> None:
    result, _ = run(
        "PATTERN SEQ(failed a, success b) WHERE strict_contiguity { [user] AND b.n > a.n + 9 } WITHIN 2"
    )
    assert result.notes == (
        "each step has events, and 2 values of user have events for all of them; what is left is their "
        "order, WITHIN 2, b.n > a.n + 9",
        "try skip_till_next_match: now no other event may lie between, or a longer WITHIN, or fewer steps or "
        "conditions, one at a time",
    )


def test_an_empty_result_in_a_notebook() -> None:
    result, _ = run("PATTERN SEQ(failed a, success b) WHERE a.n > 9 WITHIN 2")
    page = result._repr_html_()
    assert "0 matches in 2,000 events" in page and "n &gt; 9" in page and "n is from 0 to 6" in page
    assert "monospace" in page and "<th>" not in page


def test_there_were_no_events() -> None:
    assert run("PATTERN SEQ(A a, B b) WITHIN 9", [])[0].notes == ("there were no events",)


def test_all_events_were_bad() -> None:
    nowhere = TABLE.set_column(0, "time", pa.nulls(2000, pa.int64()))
    result, (warned,) = run("PATTERN failed a", nowhere)
    assert repr(result) == (
        "<0 matches in 0 events, 2,000 bad>\n'time' is no time (2,000 times)\n"
        "2,000 bad events took no part\nno event could be used: all of them were bad"
    )
    assert "'time' is no time (2,000 times)" in warned
    assert "took no part" in result._repr_html_()


def test_reasons_of_bad_events_stand_above_matches() -> None:
    result, warned = run("PATTERN failed a", [*ROWS, {**ROWS[0], "time": None}])
    assert "&#x27;time&#x27; is no time<br>1 bad event took no part" in result._repr_html_()
    assert repr(result).endswith("in 2,000 events, 1 bad>") and warned == []


def test_each_query_of_a_workload() -> None:
    queries = {
        "pairs": "PATTERN SEQ(failed a, success b) WITHIN 1",
        "typo": "PATTERN failde a",
        "fed": "PATTERN SEQ(pairs p, failed f, typo t) WITHIN 9",
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = cepheid.workload(queries).run(TABLE, **BINDING)
    assert [str(item.message) for item in caught] == [
        "query 'typo': no event has type 'failde'; did you mean 'failed'?"
    ]
    assert found["pairs"].notes == () and found["typo"].steps[0].events == 0
    assert found["fed"].notes == (
        f"it sees the matches of 'pairs' ({len(found['pairs']):,}), 'typo' (0): are those what it needs?",
    )


# -- sessions --------------------------------------------------------------------------------------

PAIRS = cepheid.query("PATTERN SEQ(failed a, success b) WITHIN 10 min")
SCHEMA = {"time": pa.timestamp("us"), "type": pa.string()}


def pushed(pushes: list[Any], **options: Any) -> list[str]:
    session = PAIRS.session(SCHEMA, **BINDING, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for each in pushes:
            session.push(each)
    return [str(item.message) for item in caught]


def test_texts_for_times_do_not_vanish() -> None:
    texts = [{"time": f"2026-01-01T00:00:{n % 60:02}", "type": "failed"} for n in range(2000)]
    (warned,) = pushed([texts[:1000], texts[1000:]])
    assert warned.splitlines() == [
        *(
            f"time: '2026-01-01T00:00:{n:02}' does not fit timestamp[us]: text is not a time until "
            f"datetime.fromisoformat() made it one ({17} times)"
            for n in range(3)
        ),
        "… and 57 more reasons",
        "1,000 bad events took no part",
        "0 did; session.late and session.bad have the others, with the reason",
    ]
    assert pushed([texts], on_bad="drop") == []


def test_one_time_in_the_future_makes_the_others_late() -> None:
    def moments(*hours: int) -> pa.Table:
        times = pa.array([hour * 3_600_000_000 for hour in hours], pa.timestamp("us"))
        return pa.table({"time": times, "type": ["failed"] * len(hours)})

    (warned,) = pushed([moments(9999), moments(1, 2), moments(3, 4)])
    assert "behind the watermark (2 times)" in warned and "1 did" in warned
    assert pushed([moments(3, 2, 4, 5)]) == []


def test_a_resumed_session_does_not_warn_again() -> None:
    session = PAIRS.session(SCHEMA, **BINDING)
    with pytest.warns(cepheid.CepheidWarning):
        session.push({"time": None})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cepheid.resume(PAIRS, session.snapshot()).push({"time": None})


def watched(text: str, pushes: list[pa.Table]) -> tuple[list[str], list[str]]:
    """What a session warns of as events are pushed, and at its end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        session = cepheid.query(text).session(TABLE.schema, **BINDING)
        for each in pushes:
            session.push(each)
        before = len(caught)
        session.close()
    texts = [str(item.message) for item in caught]
    return texts[:before], texts[before:]


HALVES = [TABLE.slice(0, 700), TABLE.slice(700)]


def test_a_session_says_what_no_event_has() -> None:
    near = "no event has type 'failde'; did you mean 'failed'?"
    assert watched("PATTERN SEQ(failde a, success b) WITHIN 9", HALVES) == ([near], [])
    assert watched("PATTERN SEQ(failde a, success b) WITHIN 9", HALVES[:1]) == ([], [near])
    far = "no event has type 'Quux'; there are 'success', 'failed'"
    assert watched("PATTERN SEQ(Quux a, success b) WITHIN 9", HALVES) == ([], [far])
    assert watched("PATTERN SEQ(Quux a, success b) WITHIN 9", []) == ([], [])


@pytest.mark.parametrize(
    "pattern",
    [
        "SEQ(failed a, success b) WITHIN 9",
        "SEQ(failed a, ~failde r, success b) WITHIN 9",
        "failed a WHERE a.user IN ('ann', 'bobb')",
    ],
)
def test_a_session_that_has_what_it_needs_says_nothing(pattern: str) -> None:
    assert watched(f"PATTERN {pattern}", HALVES) == ([], [])


def test_a_resumed_session_does_not_know_what_there_was() -> None:
    query = cepheid.query("PATTERN SEQ(failde a, success b) WITHIN 9")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = query.session(TABLE.schema, **BINDING)
        session.push(HALVES[0])
        session = cepheid.resume(query, session.snapshot())
        session.push(HALVES[1])
        session.close()


# -- the command line ------------------------------------------------------------------------------


def on_the_command_line(source: str, given: str | None = None) -> str:
    """What a misspelled query says on standard error."""
    pattern = "PATTERN SEQ(failde a, success b) WITHIN 5"
    command = [sys.executable, "-m", "cepheid", "run", pattern, "--events", source]
    done = subprocess.run(command, capture_output=True, text=True, check=True, input=given)
    assert "Warning" not in done.stderr and done.stdout == ""
    return done.stderr


@pytest.mark.slow
def test_the_command_line_says_it_once(tmp_path: Path) -> None:
    file = tmp_path / "events.csv"
    file.write_text("time,type\n1,failed\n2,success\n")
    said = on_the_command_line(str(file))
    assert said.count("did you mean 'failed'?") == 1 and "type success" in said


@pytest.mark.slow
def test_the_command_line_says_it_of_a_live_stream() -> None:
    events = "".join(json.dumps({"time": time, "type": "failed"}) + "\n" for time in (1, 2))
    assert on_the_command_line("-", events).count("did you mean 'failed'?") == 1
