"""Random queries over random streams against the oracle: `make fuzz`, or `python -m tests.fuzz 20000 7`.

python -m tests.fuzz --sharing merging --sharing backtracking 2000     with these ways of sharing between runs
python -m tests.fuzz --aggregate 20000 7     the same for AGG; what the engines refuse is counted by reason
python -m tests.fuzz --aggregate --method stacks 2000     and with this method of counting besides
python -m tests.fuzz --tree 20000 7     the tree engine, each case under options that are drawn too
python -m tests.fuzz --profiles 20000 7     profiles alone, in sets and without a schema, cut and resumed
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
from dataclasses import dataclass, field, replace

from tests.cases import (
    AggregateCase,
    Case,
    random_and_aggregate_case,
    random_and_case,
    random_any_case,
    random_tree_options,
)
from tests.cases.constructs import constructs
from tests.cases.loose import random_loose_case
from tests.cases.profiles import random_profile_case
from tests.laws.differential import check_case
from tests.laws.loose_sets import check_loose
from tests.laws.profile_sets import check_set, is_followed
from tests.laws.profiles import check_profile, tried
from tests.laws.ways import AGGREGATES, BY_NAME, MATCHES, Draw, Way, has_engine, tree_way

CHUNK = 250
MOST_FAILURES = 5
MOST_REASONS = 20
MOST_BREAKS = 3  # snapshots in a session
TREE = "tree"
PROFILES = "profiles"
SINGLE = "a profile that is followed in the single step"
ANY_ENGINE = replace(BY_NAME["auto"], takes_all=False)


@dataclass
class Tally:
    """What came of some cases."""

    cases: int = 0
    with_rows: int = 0
    rows: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    drawn: Counter[str] = field(default_factory=Counter)  # constructs and options of the cases that were run
    single: Counter[str] = field(default_factory=Counter)  # the same of profiles in the single step alone
    followed: Counter[str] = field(default_factory=Counter)  # by way, runs of profiles that it follows itself
    beside: Counter[str] = field(default_factory=Counter)  # and those that it leaves to another engine
    in_sets: int = 0  # profiles that were compared besides, as members of sets
    failures: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.cases += other.cases
        self.with_rows += other.with_rows
        self.rows += other.rows
        self.refused += other.refused
        self.drawn += other.drawn
        self.single += other.single
        self.followed += other.followed
        self.beside += other.beside
        self.in_sets += other.in_sets
        self.failures += other.failures


KINDS: dict[str, tuple[Draw, ...]] = {
    "matches": MATCHES,
    "rows": AGGREGATES,
    TREE: (*4 * (random_and_case,), random_and_aggregate_case, random_any_case),
}


def run_chunk(kind: str, ways: Sequence[str], seed: int, start: int, stop: int) -> Tally:
    """Some cases of a kind in some ways, in one process."""
    if kind == PROFILES:
        return run_profiles(seed, start, stop)
    tally = Tally()
    for number in range(start, stop):
        case = KINDS[kind][number % len(KINDS[kind])](random.Random(f"{seed}-{number}"))
        rng, chosen, breaks = random.Random(number), [BY_NAME[name] for name in ways], 1
        drawn: set[str] = set()
        if kind == TREE:
            way, drawn = _tree_way(case, random.Random(f"tree-{seed}-{number}"))
            chosen, breaks = [way], rng.randint(1, MOST_BREAKS)
        tally.cases += 1
        try:
            rows, refused = check_case(case, rng, chosen, breaks)
        except Exception:
            tally.failures.append(_failure(f"{seed}-{number}", case, chosen))
            continue
        tally.rows += rows
        tally.with_rows += rows > 0
        tally.refused.update(refused if kind != TREE else [reason.rpartition(": ")[2] for reason in refused])
        tally.drawn.update(drawn if not refused else ())
    return tally


def run_profiles(seed: int, start: int, stop: int) -> Tally:
    """Some profiles, in one process."""
    tally = Tally()
    for number in range(start, stop):
        case, rng = random_profile_case(random.Random(f"{seed}-{number}")), random.Random(number)
        tally.cases += 1
        try:
            rows = check_profile(case, rng, rng.randint(1, MOST_BREAKS))
            checked = check_set(case, rng)
        except Exception:
            tally.failures.append(_failure(f"{seed}-{number}", case, ()))
            continue
        loose = random_loose_case(random.Random(f"loose-{seed}-{number}"))
        try:
            check_loose(loose, rng)
        except Exception:
            tally.failures.append(f"case {seed}-{number}, loose\n{loose}\n{traceback.format_exc()}")
            continue
        tally.rows += rows
        tally.with_rows += rows > 0
        tally.followed += checked.followed
        tally.beside += checked.beside
        tally.in_sets += len(checked.told) + len(loose.profiles)
        drawn = tried(case) | {"a notification"} if rows else tried(case)
        drawn |= {"several profiles tell"} if sum(map(bool, checked.told.values())) > 1 else set()
        tally.drawn.update(drawn)
        if is_followed(case):
            tally.drawn[SINGLE] += 1
            tally.single.update(drawn)
    return tally


def _tree_way(case: Case, rng: random.Random) -> tuple[Way, set[str]]:
    """The tree engine under random options, and what is tried so; for AGG, whichever engine takes it."""
    if isinstance(case, AggregateCase):
        return ANY_ENGINE, {*constructs(case), "AGG over AND"}
    options = random_tree_options(rng, case.query_text)
    index = "index" if options.index else "nested loops"
    return tree_way(options), {
        *constructs(case),
        f"condense {options.condense}, {index}, {options.kind}",
    }


def _failure(name: str, case: Case, ways: Sequence[Way]) -> str:
    return f"case {name} in {', '.join(map(str, ways))}\n{case}\n{traceback.format_exc()}"


def main(cases: int, seed: int, kind: str, ways: Sequence[str], processes: int | None = None) -> int:
    """Run the cases in so many processes, one a core unless told; the exit status."""
    started = time.perf_counter()
    total = Tally()
    run_chunk(kind, ways, seed, 0, 1)  # compile once, not in every process
    with ProcessPoolExecutor(processes) as pool:
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
    _report(total, {TREE: "rows", PROFILES: "notifications"}.get(kind, kind))
    return 1 if total.failures else 0


def _report(total: Tally, what: str) -> None:
    share = f"{total.with_rows / max(1, total.cases):.0%}"
    print(
        f"{total.cases:,} cases, {total.with_rows:,} ({share}) with {what}, {total.rows:,} {what} in all, "
        f"{total.refused.total():,} refused, {len(total.failures)} different"
    )
    for reason, count in total.refused.most_common(MOST_REASONS):
        print(f"{count:8,} refused: {reason}")
    for name, count in sorted(total.drawn.items()):
        print(f"{count:8,} ({count / total.cases:4.0%}) with {name}{_in_single_step(total, name)}")
    if total.in_sets:
        print(f"{total.in_sets:8,} more profiles in sets, with a schema and without")
    for way, count in sorted(total.followed.items()):
        print(f"{count:8,} runs of profiles by {way}, and {total.beside[way]:,} beside it")


def _in_single_step(total: Tally, name: str) -> str:
    """The share of a construct among the profiles that are followed in the single step."""
    followed = total.drawn[SINGLE]
    return f"; in the single step {total.single[name] / followed:.0%}" if followed and name != SINGLE else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=int, nargs="?", default=20_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--aggregate", action="store_true", help="queries with AGG")
    parser.add_argument("--method", action="append", default=[], help="of counting, with --aggregate")
    parser.add_argument("--sharing", action="append", default=[], help="between runs, instead of auto")
    parser.add_argument("--tree", action="store_true", help="the tree engine, under options that are drawn")
    parser.add_argument("--profiles", action="store_true", help="profiles")
    parser.add_argument("--processes", type=int, default=None, help="as many as there are cores unless told")
    chosen = parser.parse_args()
    if chosen.tree and not has_engine(TREE):
        print("skipped: no engine is named tree, so there is nothing to compare with the oracle")
        sys.exit(0)
    sharings = [f"nfa {name}".removesuffix(" auto") for name in chosen.sharing]
    methods = ["auto", *(f"aggregate {name}" for name in chosen.method)]
    kind, ways = ("rows", methods) if chosen.aggregate else ("matches", sharings or ["auto"])
    kind, ways = (TREE, []) if chosen.tree else (PROFILES, []) if chosen.profiles else (kind, ways)
    unknown = [name for name in ways if name not in BY_NAME]
    if unknown:
        parser.error(f"no such way: {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    sys.exit(main(chosen.cases, chosen.seed, kind, ways, chosen.processes))
