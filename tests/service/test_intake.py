"""Bodies are read quickly, and as if each event were looked at by itself in the plainest way."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from hypothesis import example, given
from hypothesis import strategies as st

from cepheid.runners.stream.loose_values import OddEvent, _plain
from cepheid.service.intake import LONGEST_TYPE, read_events
from cepheid.service.moments import NoMoment, shown, ticks_of
from cepheid.service.steps import EventsAccepted, fresh_session

pytestmark = pytest.mark.service

LONG = re.compile(r"\d{16}")


def plainly(events: Any) -> tuple[list[Any], list[Any]]:
    """The good events (place, time, type, text, whether a number is long) and the bad ones."""
    good, bad = [], []
    for place, event in enumerate(events if isinstance(events, list) else [events]):
        try:
            if not isinstance(event, dict):
                raise OddEvent("it is not an object")
            if event.get("type") is None:
                raise OddEvent("it has no 'type'")
            kind = event["type"]
            if not isinstance(kind, str) or not 1 <= len(kind) <= LONGEST_TYPE:
                raise OddEvent(f"its 'type' is not a text of 1 to {LONGEST_TYPE} characters")
            time = None if event.get("time") is None else ticks_of(event["time"])
            whole = event if time is None else event | {"time": shown(time)}
            text = json.dumps(_plain(whole, (), []), ensure_ascii=False, allow_nan=False, sort_keys=True)
            try:
                text.encode()
            except UnicodeEncodeError:
                raise OddEvent("it holds half a character, which is no text") from None
        except (OddEvent, NoMoment) as error:
            bad.append({"index": place, "reason": str(error)})
        else:
            good.append((place, time, kind, text, LONG.search(text) is not None))
    return good, bad


TEXTS = st.text(max_size=6) | st.sampled_from(
    ["null", "1.0", ".0,", "9" * 17, "\ud800", "é", "😀", "\n", '"']
)
NUMBERS = (
    st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([1.0, -0.0, 1e16, 1e22, 2.5, 10.05, 2**53, 2**53 + 1, 10**400])
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
TIMES = st.sampled_from(
    [
        "2026-01-31T17:00:00Z",
        "2026-01-31T17:00:00.250000Z",
        "2026-01-31T17:00:00.000000Z",
        "2026-01-31T17:00:00.25Z",
        "2026-01-31 17:00:00",
        "2026-W05-6T17:00:00Z",
        "20260131T170000Z",
        "2026-01-31T17:00:00+02:00",
        "2026-01-31T24:00:00Z",
        "0001-01-01T00:00:00+23:00",
        "soon",
        1769878800,
        1769878800.25,
        1e300,
        True,
        None,
    ]
)
EVENTS = st.dictionaries(TEXTS, VALUES, max_size=4).flatmap(
    lambda rest: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["A", "", 1, None, "x" * 256, "é"]) | TEXTS,
            "time": TIMES | VALUES,
        },
    ).map(lambda own: rest | own)
)


@given(st.lists(EVENTS | VALUES, max_size=60) | EVENTS)
@example([{"type": "A", "n": n, "x": 1.0, "y": None} for n in range(60)])
@example([{"type": "A", "n": 2**53 + n, "t": "2026"} for n in range(60)])
def test_a_body_is_read_as_if_each_event_were_looked_at_by_itself(events: Any) -> None:
    body = json.dumps(events).encode()
    good, bad = plainly(json.loads(body))
    found = read_events(body, {"content-type": "application/json"})
    rows = zip(found.places, found.times, found.types, found.texts, strict=True)
    assert [(*row, row[0] in found.doubtful) for row in rows] == good
    assert found.bad == bad
    if isinstance(events, list):
        lines = "\n".join(map(json.dumps, events)).encode()
        again = read_events(lines, {"content-type": "application/x-ndjson"})
        assert (again.texts, again.times, again.bad) == (found.texts, found.times, found.bad)


@given(st.lists(st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3), min_size=17, max_size=60))
def test_many_events_at_once_tell_what_they_do_one_by_one(attributes: list[Any]) -> None:
    events = [{**each, "type": "A", "time": n} for n, each in enumerate(attributes)]
    read = read_events(json.dumps(events).encode(), {"content-type": "application/json"})
    together, single = fresh_session(0), fresh_session(0)
    for session in (together, single):
        session.add("number", "PATTERN A a WHERE a.x > 1 WITHIN 1 s RETURN a.y AS y, a.z AS z")
        session.add(
            "pair", "PATTERN SEQ(A a, A b) WHERE [y] AND a.x != b.x WITHIN 9 s RETURN a.x AS a, b.x AS b"
        )
        session.add("whole", "PATTERN A a WHERE a.z IS NOT NULL WITHIN 1 s")
    columns = list(zip([time or 0 for time in read.times], read.types, read.texts, strict=True))
    found = together.push(EventsAccepted(*map(list, zip(*columns, strict=True))).loose()).to_pylist()
    expected: list[Any] = []
    for time, kind, text in columns:
        expected += single.push(EventsAccepted([time], [kind], [text]).loose()).to_pylist()
    assert found == expected
    assert together.take_bad().to_pylist() == single.take_bad().to_pylist()
