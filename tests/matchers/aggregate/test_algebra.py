"""Counting by algebra where random queries seldom lead: absences in every place, and wide numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyarrow as pa
import pytest

import cepheid
from cepheid.matchers.aggregate.algebra import matcher, memory, ticking

ONE_STREAM = {"time": "t", "type": "k"}
CASES = 40


@pytest.fixture(autouse=True)
def tiny_arrays() -> Iterator[None]:
    """There is room for next to none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_START", 1)
        patch.setattr(matcher, "_ROWS", 1)
        patch.setattr(matcher, "FEW", 1)
        patch.setattr(matcher, "_LOOK_AT", 2)
        patch.setattr(ticking, "AT_ONCE", 3)
        yield


def random_events(chance: random.Random, types: str, size: int) -> pa.Table:
    """Events that often tie."""
    time, rows = 0, []
    for _ in range(chance.randint(3, size)):
        time += chance.choice([0, 1, 1, 2])
        rows.append(
            {"t": time, "k": chance.choice(types), "p": chance.choice([1, 2]), "x": chance.randint(1, 3)}
        )
    return pa.Table.from_pylist(rows)


def query_with_absence(chance: random.Random) -> cepheid.Query:
    """A sequence of up to four with one absence, which may be of a type that also has a step."""
    length = chance.randint(1, 4)
    parts = [f"{chance.choice('ABC')} {name}" for name in "abcd"[:length]]
    parts.insert(chance.randint(0, length), f"~{chance.choice('AXXX')} u")
    keyed = chance.random() < 0.3
    conditions = [text for text, wanted in (("[p]", keyed), ("u.x > 1", chance.random() < 0.2)) if wanted]
    where = f" WHERE skip_till_any_match {{ {' AND '.join(conditions)} }}" if conditions else ""
    windows = ["5", "10", "20"] if keyed else ["5", "10", "20", "6 EVENTS"]
    group, emit = " GROUP BY p" if keyed else "", chance.choice(["", "", " EMIT EVERY 7"])
    within = f" WITHIN {chance.choice(windows)}"
    return cepheid.query(f"PATTERN SEQ({', '.join(parts)}){where}{within} AGG COUNT{group}{emit}")


def rows(table: pa.Table) -> list[str]:
    """Rows as text, in any order; counts and sums in whatever type."""
    return sorted(
        str(
            {
                name: value if value is None or name in ("time", "p") else int(value)
                for name, value in row.items()
            }
        )
        for row in table.to_pylist()
    )


@pytest.mark.parametrize("seed", range(CASES))
def test_absence(seed: int) -> None:
    chance = random.Random(f"absence-{seed}")
    query, events = query_with_absence(chance), random_events(chance, "ABCX", 60)
    expected = rows(query.using("aggregate", method="aseq").run(events, **ONE_STREAM).table)
    algebra = query.using("aggregate", method="inverse", max_events=200)
    assert rows(algebra.run(events, **ONE_STREAM).table) == expected, f"{query}\n{events.to_pylist()}"
    session = algebra.session(events.schema, **ONE_STREAM)
    cut = chance.randint(0, events.num_rows)
    found = [session.push(events.slice(0, cut))]
    session = cepheid.resume(algebra, session.snapshot())
    found += [session.push(events.slice(cut)), session.close()]
    assert rows(pa.concat_tables(found)) == expected, f"{query}\n{events.to_pylist()}"


def query_of_groups(chance: random.Random) -> str:
    """Rows at periods or at the end: of all partitions, of each, or of those that share one of two keys."""
    steps = ", ".join(f"{kind} {kind.lower()}" for kind in "ABC"[: chance.randint(1, 3)])
    keys = chance.choice([(), ("p",), ("p", "x")])
    group = chance.sample(keys, chance.randint(0, len(keys)))
    where = f" WHERE [{', '.join(keys)}]" if keys else ""
    within = chance.choice(["", " WITHIN 5", " WITHIN < 5", " WITHIN 20"])
    items = chance.choice(["COUNT", "COUNT, SUM(a.x) AS s"])
    by = f" GROUP BY {', '.join(group)}" if group else ""
    emit = chance.choice(["EVERY 1", "EVERY 2", "EVERY 7", "EVERY 7", "ON CLOSE"])
    return f"PATTERN SEQ({steps}){where}{within} AGG {items}{by} EMIT {emit}"


@pytest.mark.parametrize("crowded", [0, 1 << 14], ids=["apart", "among the events"])
@pytest.mark.parametrize("seed", range(CASES))
def test_rows_of_periods_and_at_the_end(seed: int, crowded: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher, "_CROWDED", crowded)
    chance = random.Random(f"groups-{seed}")
    text, events = query_of_groups(chance), random_events(chance, "ABC", 60)
    query = cepheid.query(text)
    found = query.run(events, **ONE_STREAM).table
    expected = query.using("aggregate", method="aseq").run(events, **ONE_STREAM).table
    assert rows(found) == rows(expected), f"{text}\n{events.to_pylist()}"
    assert "ON CLOSE" in text or found["time"].to_pylist() == expected["time"].to_pylist()
    if "WITHIN" not in text:
        return  # of a stream without end it is refused
    session = query.session(events.schema, **ONE_STREAM)
    cut = chance.randint(0, events.num_rows)
    pieces = [session.push(events.slice(0, cut))]
    session = cepheid.resume(query, session.snapshot())
    pieces += [session.push(events.slice(cut)), session.close()]
    assert rows(pa.concat_tables(pieces)) == rows(expected), f"{text}\n{events.to_pylist()}"


@pytest.mark.parametrize("items", ["COUNT", "SUM(b.x) AS s", "COUNT, AVG(a.x) AS m, SUM(c.x) AS s"])
@pytest.mark.parametrize("words", [1, 2, 5])
def test_numbers_of_any_width(items: str, words: int) -> None:
    chance = random.Random(f"wide-{items}-{words}")
    events = random_events(chance, "ABC", 80)
    query = cepheid.query(f"PATTERN SEQ(A a, B b, C c) WITHIN 30 AGG {items}")
    expected = query.using("aggregate", method="aseq").run(events, **ONE_STREAM).table
    most = {1: 100, 2: 1 << 24, 5: 1 << 60}[words]
    session = query.using("aggregate", method="inverse", max_events=most).session(events.schema, **ONE_STREAM)
    found = session.push(events)
    for name in expected.column_names:
        assert [float(value) for value in found.column(name).to_pylist() if value is not None] == [
            float(value) for value in expected.column(name).to_pylist() if value is not None
        ]


@pytest.mark.parametrize("where", ["", " WHERE [p]"])
def test_sums_of_the_largest_numbers_are_exact(where: str) -> None:
    events = random_events(random.Random(f"large{where}"), "ABC", 80)
    large = [[-(2**63), 2**63 - 1, 7, None][x] for x in (i * 7 % 4 for i in range(events.num_rows))]
    events = events.set_column(events.column_names.index("x"), "x", pa.array(large, pa.int64()))
    text = (
        f"PATTERN SEQ(A a, B b, C c){where} WITHIN 30 AGG COUNT, SUM(b.x) AS s, AVG(c.x) AS m, SUM(a.x) AS f"
    )
    query = cepheid.query(text)
    expected = query.using("aggregate", method="aseq").run(events, **ONE_STREAM).table
    assert query.using("aggregate", method="inverse").run(events, **ONE_STREAM).table.equals(expected)
    assert expected.num_rows > 0


def test_counts_past_64_bits_are_exact() -> None:
    events = pa.table({"t": range(400), "k": ["ABCDEFGHIJ"[i * 10 // 400] for i in range(400)]})
    steps = ", ".join(f"{kind} {kind.lower()}" for kind in "ABCDEFGHIJ")
    for limit in ("", "400 EVENTS"):
        query = cepheid.query(f"PATTERN SEQ({steps}){limit and f' WITHIN {limit}'} AGG COUNT")
        last = query.run(events, **ONE_STREAM).table.column("count").to_pylist()[-1]
        assert int(last) == 40**10
    wide = cepheid.query(f"PATTERN SEQ({steps}, A{{1,1}} z[]) AGG COUNT")
    assert len(wide.run(events, **ONE_STREAM)) > 0


def test_partitions_without_a_start_are_forgotten() -> None:
    events = pa.table({"t": range(600), "k": ["A", "B"] * 300, "p": [i // 2 for i in range(600)]})
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE [p] WITHIN 5 AGG COUNT GROUP BY p")
    session = query.session(events.schema, **ONE_STREAM)
    sizes = []
    for start in range(0, 600, 20):
        assert set(session.push(events.slice(start, 20)).column("count").to_pylist()) == {1}
        sizes.append(session.stats["state_bytes"])
    assert sizes[-1] <= 2 * sizes[4]
