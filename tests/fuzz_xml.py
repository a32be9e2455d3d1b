"""Random documents and tree patterns against the oracle: by all parsers, cut anywhere, with snapshots."""

from __future__ import annotations

import argparse
import random
import sys
from typing import Any

import cepheid
from cepheid.pattern.twig.render import render_twig
from cepheid.plan.twig.build import twig_plan
from cepheid.xml import XmlPattern
from tests.cases.twig import twig_case
from tests.oracle.documents import document
from tests.oracle.twig import twig_rows

MOST_FAILURES = 5

Rows = list[dict[str, Any]]


def session_rows(pattern: XmlPattern, data: bytes, dice: random.Random) -> Rows:
    """The rows of a session on random pieces, that goes on from a snapshot now and then."""
    session, rows = pattern.session(), []
    cuts = sorted(dice.choices(range(len(data) + 1), k=dice.randint(0, 8)))
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        rows += session.push(data[begin:end]).to_pylist()
        if dice.random() < 1 / 3:
            session = cepheid.resume(pattern, session.snapshot())
    rows += session.close().to_pylist()
    return rows


def in_order(rows: Rows, variables: tuple[str, ...]) -> Rows:
    """In document order, then by the variables' first place."""
    return sorted(rows, key=lambda row: (row["start"], variables.index(row["var"])))


def run_case(seed: int) -> tuple[int, str | None]:
    """How many rows there are, and what is wrong."""
    case = twig_case(seed)
    plan = twig_plan(case.pattern)
    pattern = XmlPattern(plan)
    expected = twig_rows(case.pattern, document(case.data))
    found = {
        "fast": list(pattern.run(case.data)),
        "lxml": list(pattern.run(case.data, "lxml")),
        "expat": list(pattern.run(case.data, "expat")),
        "session": in_order(session_rows(pattern, case.data, random.Random(seed)), plan.variables),
    }
    wrong = [name for name, rows in found.items() if rows != expected]
    if not wrong:
        return len(expected), None
    told = f"seed {seed}, {', '.join(wrong)}: {render_twig(case.pattern)} over {case.data.decode()}"
    return len(expected), told


def main(cases: int, seed: int) -> int:
    """Run the cases; the exit status."""
    rows = failures = with_rows = 0
    for number in range(seed, seed + cases):
        count, finding = run_case(number)
        rows, with_rows = rows + count, with_rows + bool(count)
        if finding is not None:
            failures += 1
            print(f"\n{finding}", flush=True)
            if failures >= MOST_FAILURES:
                break
    print(f"{cases:,} cases, {with_rows:,} with rows, {rows:,} rows; {failures} findings")
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=20_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    chosen = parser.parse_args()
    sys.exit(main(chosen.cases, chosen.seed))
