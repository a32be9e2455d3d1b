"""Compile the kernels once, before every process of the tests would: `python -m tests.compile_kernels`."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import cepheid

EVENTS = [{"t": time, "k": kind, "x": float(time)} for time, kind in enumerate("ABABCABC")]

QUERIES = (
    ("nfa", {}, "PATTERN SEQ(A a, ~C c, B+ b[]) WHERE b[i].x > a.x WITHIN 5"),
    ("aggregate", {"method": "stacks"}, "PATTERN SEQ(A a, B+ b[]) WITHIN 5 AGG COUNT, MAX(b.x)"),
    ("aggregate", {"method": "aseq"}, "PATTERN SEQ(A a, B+ b[]) WITHIN 5 AGG COUNT, MAX(b.x)"),
    ("aggregate", {"method": "ordered"}, "PATTERN SEQ(A a, B b) WHERE a.x < b.x WITHIN 5 AGG COUNT"),
    ("aggregate", {"method": "inverse"}, "PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT"),
)


def compile_for(number: int) -> None:
    """Run a query that needs the kernels of one engine."""
    engine, options, text = QUERIES[number]
    cepheid.query(text).using(engine, **options).run(EVENTS, time="t", type="k")


if __name__ == "__main__":
    print("compiling kernels (once per machine and version) …", flush=True)
    with ProcessPoolExecutor() as pool:
        list(pool.map(compile_for, range(len(QUERIES))))
