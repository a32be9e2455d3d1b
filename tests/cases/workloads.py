"""Random workloads of aggregate queries, with a stream for each."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pyarrow as pa

import cepheid

TYPES = "ABCDE"
COLUMNS = pa.schema([("t", pa.int64()), ("k", pa.string()), ("p", pa.int64()), ("x", pa.int64())])


@dataclass(frozen=True)
class WorkloadCase:
    """Queries that often begin alike, have substrings in common, or nothing at all."""

    queries: dict[str, cepheid.Query]
    events: pa.Table

    def __str__(self) -> str:
        listed = [f"{name}: {query}" for name, query in self.queries.items()]
        return "\n".join([*listed, *map(str, self.events.to_pylist())])


def random_workload(chance: random.Random, most: int = 8) -> WorkloadCase:
    """A workload of up to so many queries."""
    queries = {f"q{number}": _query(chance) for number in range(chance.randint(2, most))}
    return WorkloadCase(queries, _events(chance))


def _events(chance: random.Random) -> pa.Table:
    rows, time = [], 0
    for _ in range(chance.randint(5, 80)):
        time += chance.choice([0, 1, 1, 2])
        rows.append(
            {
                "t": time,
                "k": chance.choice(TYPES),
                "p": chance.choice([1, 2, None]),
                "x": chance.choice([1, 2, 3, -5, None]),
            }
        )
    return pa.Table.from_pylist(rows, schema=COLUMNS)


def _query(chance: random.Random) -> cepheid.Query:
    names = "abcd"[: chance.randint(1, 4)]
    parts = [f"{chance.choice(TYPES)} {name}" for name in names]
    if chance.random() < 0.15:
        parts.insert(0, f"~{chance.choice(TYPES)} u")
    conditions = [
        text
        for text in ("[p]", f"{chance.choice(names)}.x > {chance.choice([0, 1, 2])}")
        if chance.random() < 0.3
    ]
    where = f" WHERE skip_till_any_match {{ {' AND '.join(conditions)} }}" if conditions else ""
    window = chance.choice([" WITHIN 5", " WITHIN 10", " WITHIN 10", " WITHIN 6 EVENTS"])
    of = f"{chance.choice(names)}.x"
    aggregates = chance.choice([*["COUNT"] * 3, f"COUNT, SUM({of})", f"AVG({of})", f"MAX({of})"])
    group = " GROUP BY p" if "[p]" in conditions and chance.random() < 0.5 else ""
    emit = chance.choice(["", "", "", " EMIT EVERY 7"])
    return cepheid.query(f"PATTERN SEQ({', '.join(parts)}){where}{window} AGG {aggregates}{group}{emit}")
