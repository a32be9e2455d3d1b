"""Random queries over random streams against the oracle: `make fuzz`, or `python -m tests.fuzz 20000 7`.

python -m tests.fuzz --sharing merging --sharing backtracking 2000     with these ways of sharing between runs
python -m tests.fuzz --aggregate 20000 7     the same for AGG; what the engines refuse is counted by reason
python -m tests.fuzz --aggregate --method stacks 2000     and with this method of counting besides
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from tests.laws.differential import check_case
from tests.laws.ways import AGGREGATES, BY_NAME, MATCHES, Draw

CHUNK = 250
MOST_FAILURES = 5
MOST_REASONS = 20


@dataclass
class Tally:
    """What came of some cases."""

    cases: int = 0
    with_rows: int = 0
    rows: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.cases += other.cases
        self.with_rows += other.with_rows
        self.rows += other.rows
        self.refused += other.refused
        self.failures += other.failures


KINDS: dict[str, tuple[Draw, ...]] = {"matches": MATCHES, "rows": AGGREGATES}


def run_chunk(kind: str, ways: Sequence[str], seed: int, start: int, stop: int) -> Tally:
    """Some cases of a kind in some ways, in one process."""
    tally = Tally()
    (draw,) = KINDS[kind]
    for number in range(start, stop):
        case = draw(random.Random(f"{seed}-{number}"))
        tally.cases += 1
        try:
            rows, refused = check_case(case, random.Random(number), [BY_NAME[name] for name in ways])
        except Exception:
            tally.failures.append(f"case {seed}-{number}\n{case}\n{traceback.format_exc()}")
            continue
        tally.rows += rows
        tally.with_rows += rows > 0
        tally.refused.update(refused)
    return tally


def main(cases: int, seed: int, kind: str, ways: Sequence[str]) -> int:
    """Run the cases on all cores; the exit status."""
    started = time.perf_counter()
    total = Tally()
    run_chunk(kind, ways, seed, 0, 1)  # compile once, not in every process
    with ProcessPoolExecutor() as pool:
        edges = [*range(0, cases, CHUNK), cases]
        chunks = [pool.submit(run_chunk, kind, ways, seed, a, b) for a, b in itertools.pairwise(edges)]
        for chunk in chunks:
            before = len(total.failures)
            total.add(chunk.result())
            for failure in total.failures[before : before + MOST_FAILURES]:
                print(f"\n{failure}", flush=True)
            rate = total.cases / (time.perf_counter() - started)
            progress = f"{total.cases:,} cases, {len(total.failures)} different, {rate:,.0f} a second"
            print(progress, file=sys.stderr, flush=True)
            if len(total.failures) >= MOST_FAILURES:
                pool.shutdown(cancel_futures=True)
                break
    _report(total, kind)
    return 1 if total.failures else 0


def _report(total: Tally, what: str) -> None:
    print(
        f"{total.cases:,} cases, {total.with_rows:,} with {what}, {total.rows:,} {what} in all, "
        f"{total.refused.total():,} refused, {len(total.failures)} different"
    )
    for reason, count in total.refused.most_common(MOST_REASONS):
        print(f"{count:8,} refused: {reason}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=20_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--aggregate", action="store_true", help="queries with AGG")
    parser.add_argument("--method", action="append", default=[], help="of counting, with --aggregate")
    parser.add_argument("--sharing", action="append", default=[], help="between runs, instead of auto")
    chosen = parser.parse_args()
    sharings = [f"nfa {name}".removesuffix(" auto") for name in chosen.sharing]
    methods = ["auto", *(f"aggregate {name}" for name in chosen.method)]
    kind, ways = ("rows", methods) if chosen.aggregate else ("matches", sharings or ["auto"])
    unknown = [name for name in ways if name not in BY_NAME]
    if unknown:
        parser.error(f"no such way: {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    sys.exit(main(chosen.cases, chosen.seed, kind, ways))
