"""Random workloads of counting queries over one stream, and random plans of what they share."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise

import pyarrow as pa

from cepheid.events import EventBatch, EventSchema, bind, time_values
from cepheid.language.sase.parse import parse
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.aggregate.sharing.candidates import Candidate, Use, find_candidates
from cepheid.plan.aggregate.sharing.choose import choose
from cepheid.plan.aggregate.sharing.chops import Segment
from cepheid.plan.aggregate.sharing.eligible import shared_query
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan, plan_of
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Steps, Workload
from cepheid.plan.aggregate.sizes import Sizes, sized
from cepheid.plan.choose import plan_for

METHODS = ("greedy", "gwmin", "partial", "none")

TIMES = {"int": pa.int64(), "float": pa.float64(), "timestamp": pa.timestamp("s")}


@dataclass(frozen=True, slots=True)
class WorkloadCase:
    """Queries that may share, and an ordered stream."""

    texts: tuple[str, ...]
    table: pa.Table
    cuts: tuple[int, ...]

    @property
    def schema(self) -> EventSchema:
        return bind(self.table.schema, "time", "type")

    def plans(self, method: str) -> tuple[AggregatePlan, ...]:
        """Plans that are sized for this stream."""
        plans = [
            plan_for(parse(text), self.schema, "aggregate", {"method": method} if method else {})
            for text in self.texts
        ]
        fitted = []
        for plan in plans:
            assert isinstance(plan, AggregatePlan)
            fitted.append(sized(plan, Sizes(self.table.num_rows, self.table.num_rows)))
        return tuple(fitted)

    def batches(self) -> list[EventBatch]:
        """The stream, cut."""
        edges = [0, *self.cuts, self.table.num_rows]
        return [_batch(self.table.slice(a, b - a)) for a, b in pairwise(edges)]


def _batch(table: pa.Table) -> EventBatch:
    columns = [column.combine_chunks() for column in table.columns]
    data = pa.RecordBatch.from_arrays(columns, schema=table.schema)
    time = time_values(data.column("time"))
    return EventBatch(data, time, time[-1].item() if time.size else 0)


def random_workload_case(rng: random.Random, events: int = 60) -> WorkloadCase:
    """Three to eight queries over four to six types, of few substrings so that there is much to share."""
    types = "ABCDEF"[: rng.randint(4, 6)]
    keys = rng.choice(["", "", "[k]", "[k, l]", "chain"])
    clock = rng.choice(list(TIMES))
    ending = _ending(rng, keys, clock)
    parts = [_steps(rng, types, rng.randint(2, 4)) for _ in range(3)]
    texts = tuple(_query_text(rng, types, parts, keys, ending) for _ in range(rng.randint(3, 8)))
    cuts = tuple(sorted(rng.randint(0, events) for _ in range(rng.randint(0, 4))))
    return WorkloadCase(texts, _stream(rng, types, events, clock), cuts)


def _ending(rng: random.Random, keys: str, clock: str) -> str:
    """What all queries of a workload have in common."""
    group = {
        "[k]": ["", " GROUP BY k"],
        "[k, l]": ["", " GROUP BY k", " GROUP BY l, k"],
        "chain": ["", " GROUP BY k"],
    }
    length, open_ = rng.choice([3, 10, 20, 40, 80]), rng.choice(["", "< "])
    windows = [f" WITHIN {open_}{length}{' seconds' if clock == 'timestamp' else ''}", ""]
    if not keys:
        windows.append(f" WITHIN {length} events")
    return rng.choice(windows[:1] * 6 + windows[1:]) + " AGG COUNT AS n" + rng.choice(group.get(keys, [""]))


def _steps(rng: random.Random, types: str, length: int) -> list[str]:
    return [rng.choice(types) + rng.choice(["", "", "", "", "", " > 0", " < 3"]) for _ in range(length)]


def _query_text(rng: random.Random, types: str, parts: list[list[str]], keys: str, ending: str) -> str:
    steps: list[str] = []
    for _ in range(rng.randint(1, 3)):
        steps += rng.choice(parts) if rng.random() < 0.75 else _steps(rng, types, rng.randint(1, 2))
    if keys == "chain" and len(steps) == 1:
        steps += _steps(rng, types, 1)  # one variable by itself is held to nothing
    names = [f"v{number}" for number in range(len(steps))]
    tested = [(f"{name}.x", *step.split()) for name, step in zip(names, steps, strict=True)]
    conditions = [f"{attribute} {' '.join(test)}" for attribute, _, *test in tested if test]
    if keys == "chain":
        conditions += [f"{one}.k = {two}.k" for one, two in pairwise(names)]
    elif keys:
        conditions.insert(0, keys)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    atoms = ", ".join(f"{kind} {name}" for name, (_, kind, *_) in zip(names, tested, strict=True))
    return f"PATTERN SEQ({atoms}){where}{ending}"


def _stream(rng: random.Random, types: str, events: int, clock: str) -> pa.Table:
    """Events with ties, types of their own rates, and some keys that are missing."""
    now, times = 0, []
    for _ in range(events):
        now += rng.choice([0, 0, 1, 1, 2])
        times.append(now)
    weights = [rng.choice([1, 2, 4]) for _ in types]
    return pa.table(
        {
            "time": pa.array(times if clock != "float" else [time / 2 for time in times]).cast(TIMES[clock]),
            "type": rng.choices(types, weights, k=events),
            "x": [rng.randint(0, 3) for _ in range(events)],
            "k": pa.array([rng.choice([1, 1, 1, 1, 2, None]) for _ in range(events)], pa.int64()),
            "l": pa.array([rng.choice(["p", "p", "p", "q", None]) for _ in range(events)], pa.string()),
        }
    )


# -- plans of sharing ------------------------------------------------------------------------------


class EverythingPays:
    """A cost model under which sharing always saves: to see plans that no rates would bring about."""

    def once(self, steps: Steps, window: Hashable) -> float:
        return 0.0

    def link(self, query: SharedQuery, before: Segment | None, segment: Segment) -> float:
        return -1.0 if segment.is_shared else 0.0

    def finish(self, query: SharedQuery, last: Segment) -> float:
        return 0.0


def workload_of_plans(plans: tuple[AggregatePlan, ...]) -> Workload:
    return tuple(shared_query(f"q{number}", plan) for number, plan in enumerate(plans))


def chosen_plan(rng: random.Random, workload: Workload) -> SharingPlan:
    """A plan by one of the methods, for random rates."""
    steps = dict.fromkeys(step for query in workload for step in query.steps)
    rates = {step: rng.choice([0.0, 0.01, 0.1, 1.0, 10.0, 100.0]) for step in steps}
    return choose(workload, rates, rng.choice(METHODS))


def forced_plan(rng: random.Random, workload: Workload) -> SharingPlan:
    """A plan of any candidates that do not conflict, at all of their uses or at some."""
    candidates = list(find_candidates(workload))
    rng.shuffle(candidates)
    taken: list[Use] = []
    shared: list[Candidate] = []
    for candidate in candidates:
        free = [use for use in candidate.occurrences if not any(use.overlaps(other) for other in taken)]
        uses: list[Use] = []
        for use in free:
            if not (uses and uses[-1].overlaps(use)) and rng.random() < 0.9:
                uses.append(use)
        if len(uses) >= 2:
            taken += uses
            shared.append(replace(candidate, uses=tuple(uses)))
    return plan_of(workload, EverythingPays(), shared, "forced")
