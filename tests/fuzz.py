"""Random queries over random streams against the oracle: `make fuzz`, or `python -m tests.fuzz 20000 7`."""

from __future__ import annotations

import random
import sys
import time
import traceback

from tests.differential import check_case
from tests.strategies import random_case


def main(cases: int, seed: int, most_failures: int = 5) -> int:
    """Run the cases; the exit status."""
    started = time.perf_counter()
    failures = matched = matches = 0
    for number in range(cases):
        case = random_case(random.Random(f"{seed}-{number}"))
        try:
            count = check_case(case, random.Random(number))
        except Exception:
            failures += 1
            print(f"\ncase {seed}-{number}\n{case}\n{traceback.format_exc()}", flush=True)
            if failures >= most_failures:
                break
            continue
        matched += count > 0
        matches += count
        if number % 1000 == 999:
            rate = (number + 1) / (time.perf_counter() - started)
            print(f"{number + 1:,} cases, {failures} different, {rate:,.0f} a second", flush=True)
    print(f"{cases:,} cases, {matched:,} with matches, {matches:,} matches in all, {failures} different")
    return 1 if failures else 0


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(arguments or [20_000, 1])))
