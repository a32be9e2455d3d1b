"""A live stream in a session: log-ins that fail three times, then succeed; with late events and a restart."""

from __future__ import annotations

import pyarrow as pa

import cepheid

SCHEMA = pa.schema([("ts", pa.int64()), ("kind", pa.string()), ("user", pa.string())])
QUERY = cepheid.query("""
PATTERN SEQ(fail{3,} f[], success s)
WHERE   skip_till_next_match { [user] }
WITHIN  60
RETURN  s.user AS user, f.len AS failures, s.time AS at
EMIT    NON OVERLAPPING
""")

BATCHES = [
    [(1, "fail", "ann"), (2, "fail", "bob"), (4, "fail", "ann"), (3, "fail", "ann")],
    [(9, "success", "ann"), (10, "fail", "bob"), (1, "fail", "late")],
    [(12, "fail", "bob"), (20, "success", "bob")],
]


def batch(rows: list[tuple[int, str, str]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA
    )


def report(matches: pa.Table) -> None:
    for row in matches.to_pylist():
        print(f"{row['user']} got in at {row['at']} after {row['failures']} failures")


def main() -> None:
    session = QUERY.session(SCHEMA, time="ts", type="kind", lateness=2)
    for rows in BATCHES:
        report(session.push(batch(rows)))
        print(f"{session.late.num_rows} late so far")
        session = cepheid.resume(QUERY, session.snapshot())  # as if the process had been restarted
    report(session.close())


if __name__ == "__main__":
    main()
