"""Random queries over random streams against the oracle: `make fuzz`, or `python -m tests.fuzz 20000 7`."""

from __future__ import annotations

import itertools
import random
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor

from tests.differential import check_case
from tests.strategies import random_case

CHUNK = 250
MOST_FAILURES = 5


def run_chunk(seed: int, start: int, stop: int) -> tuple[int, int, list[str]]:
    """Cases with matches, matches in all, and what went wrong."""
    matched = matches = 0
    failures = []
    for number in range(start, stop):
        case = random_case(random.Random(f"{seed}-{number}"))
        try:
            count = check_case(case, random.Random(number))
        except Exception:
            failures.append(f"case {seed}-{number}\n{case}\n{traceback.format_exc()}")
            continue
        matched += count > 0
        matches += count
    return matched, matches, failures


def main(cases: int, seed: int) -> int:
    """Run the cases on all cores; the exit status."""
    started = time.perf_counter()
    done = matched = matches = different = 0
    run_chunk(seed, 0, 1)  # compile once, not in every process
    with ProcessPoolExecutor() as pool:
        edges = [*range(0, cases, CHUNK), cases]
        chunks = [pool.submit(run_chunk, seed, a, b) for a, b in itertools.pairwise(edges)]
        for chunk, (a, b) in zip(chunks, itertools.pairwise(edges), strict=True):
            chunk_matched, chunk_matches, failures = chunk.result()
            done, matched, matches = done + b - a, matched + chunk_matched, matches + chunk_matches
            different += len(failures)
            for failure in failures[:MOST_FAILURES]:
                print(f"\n{failure}", flush=True)
            rate = done / (time.perf_counter() - started)
            print(f"{done:,} cases, {different} different, {rate:,.0f} a second", file=sys.stderr, flush=True)
            if different >= MOST_FAILURES:
                pool.shutdown(cancel_futures=True)
                break
    print(f"{done:,} cases, {matched:,} with matches, {matches:,} matches in all, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(arguments or [20_000, 1])))
