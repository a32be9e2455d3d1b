"""The second experiment of the A-Seq thesis on many queries (5.3): query groups; and a thousand queries."""

import math
import time
from random import Random
from typing import Any

from cepheid.bench.aseq.events import TYPES, trades
from cepheid.bench.aseq.queries import DEFAULT, counted, counting, nanoseconds
from cepheid.bench.aseq.query_groups import INSTANCES, QueryGroup, query_group
from cepheid.bench.aseq.shared import APART, Contest, compared, refusals, shared_runs
from cepheid.bench.aseq.sizes import AseqSizes
from cepheid.bench.results import Chart, Figure, Section, no_bar
from cepheid.plan.aggregate.sharing.choose import choose_by
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan
from cepheid.workload import workload

GROUP_SEED = 1
EQUAL_SHARE = 11 / 12
SLOWER_BAR = 1.05
GREEDY_TITLE = "Query groups: greedy against exact plans"


def optimizers(sizes: AseqSizes) -> Section:
    """Greedy plans against exact ones, on the groups of the thesis."""
    if not _can_be_exact():
        return Section(GREEDY_TITLE, "pip install 'cepheid[optimize]' adds exact plans to compare with.")
    rows = []
    for number, group in enumerate(_groups(sizes), 1):
        greedy, took = _planned(group, "greedy")
        exact, took_exactly = _planned(group, "exact")
        rows.append(
            {
                "group": number,
                "queries": len(group.queries),
                "greedy ms": round(1e3 * took, 2),
                "exact ms": round(1e3 * took_exactly, 2),
                "greedy saves": round(greedy.benefit),
                "exact saves": round(exact.benefit),
                "shared": len(greedy.shared),
                "equal": _is_equal(greedy, exact),
            }
        )
    equal = sum(row["equal"] for row in rows)
    drawn = tuple(
        {"group": row["group"], "ms": row[f"{kind} ms"], "plan": kind}
        for row in rows
        for kind in ("greedy", "exact")
    )
    return Section(
        GREEDY_TITLE,
        "Groups of 8 to 20 queries made of eight substrings of length 2 and 3, under the thesis's benefit "
        "model; the exact plan is found by integer programming. The thesis: the same plan in 11 of 12 "
        "groups, three groups share nothing, and exhaustive search takes orders of magnitude longer.",
        tuple(rows),
        (Chart("group", "ms", "plan", log_y=True, from_zero=False, title="time to plan (figure 5.6a)"),),
        (
            Figure(
                "greedy equals exact",
                "in at least 11 of 12 groups",
                f"in {equal} of {len(rows)}",
                equal >= EQUAL_SHARE * len(rows),
                f"{sum(row['shared'] == 0 for row in rows)} groups share nothing",
            ),
        ),
        drawn,
    )


def _groups(sizes: AseqSizes) -> list[QueryGroup]:
    random = Random(GROUP_SEED)
    return [query_group(random, size) for size in sizes.group_sizes]


def _can_be_exact() -> bool:
    try:
        import scipy  # noqa: F401
    except ImportError:
        return False
    return True


def _planned(group: QueryGroup, method: str) -> tuple[SharingPlan, float]:
    started = time.perf_counter()
    plan = choose_by(group.queries, group.published, method)
    return plan, time.perf_counter() - started


def _is_equal(greedy: SharingPlan, exact: SharingPlan) -> bool:
    return math.isclose(greedy.benefit, exact.benefit, rel_tol=1e-9)


PLANS: dict[str, dict[str, str]] = {
    APART: {"sharing": "none"},
    "prefix_tree": {"sharing": "prefix_tree"},
    "greedy": {"sharing": "chop_connect", "plan": "greedy"},
    "exact": {"sharing": "chop_connect", "plan": "exact"},
    "partial": {"sharing": "chop_connect", "plan": "partial"},
}


def groups(sizes: AseqSizes) -> Section:
    """The groups over streams in which their connecting types are rare: shared against unshared."""
    rows: list[dict[str, Any]] = []
    results: list[Contest] = []
    slower: dict[int, float] = {}
    for number in sizes.run_groups:
        group = _groups(sizes)[number - 1]
        result = _run(group, sizes.group_events, sizes, PLANS)
        results.append(result)
        rows += result.rows(group=number, queries=len(group.queries))
        ratio = result.ratio(DEFAULT, APART)
        if ratio is not None:
            slower[number] = ratio
    worst = max(slower.values(), default=None)
    return Section(
        "Query groups: shared against unshared",
        f"The same groups over {sizes.group_events:,} events, windows of {sizes.group_window} ms. 'apart' "
        "shares nothing; greedy, exact and partial are plans of Chop-Connect; default is what a "
        "workload does by itself. The thesis: where its optimizer shares, that is always quicker."
        f"{refusals(results)}",
        tuple(rows),
        (Chart("group", "ns/event", "contender", log_y=True, from_zero=False, title="time (figure 5.6b)"),),
        (
            Figure(
                "the default of a group against its queries apart",
                "never slower by more than 5 %",
                "not run" if worst is None else f"{worst:.2f}× at worst",
                None if worst is None else worst <= SLOWER_BAR,
                ", ".join(f"{number}: {ratio:.2f}×" for number, ratio in slower.items()),
            ),
        ),
    )


def thousand(sizes: AseqSizes) -> Section:
    """Very many queries over one stream."""
    group = query_group(Random(GROUP_SEED), sizes.many_queries)
    result = _run(group, sizes.many_events, sizes, {APART: PLANS[APART]}, repeat=1)
    ratio = result.ratio(APART, DEFAULT)
    return Section(
        f"{sizes.many_queries:,} queries over one stream",
        f"Queries of the same kind over {sizes.many_events:,} events, each with rows of its own: "
        "together, and apart.",
        tuple(
            {
                **row,
                "ns/event and query": nanoseconds(
                    result.timings[row["contender"]].best, sizes.many_events * sizes.many_queries
                ),
            }
            for row in result.rows(queries=sizes.many_queries)
        ),
        (Chart("contender", "ns/event", kind="bar", title="time of very many queries"),),
        (
            no_bar(
                f"{sizes.many_queries:,} queries: apart against together",
                "not run" if ratio is None else f"{ratio:.2f}×",
                "best to best",
            ),
        ),
    )


def _run(
    group: QueryGroup,
    size: int,
    sizes: AseqSizes,
    plans: dict[str, dict[str, str]],
    repeat: int | None = None,
) -> Contest:
    weights = {name: group.frequencies.get(name, 1.0) for name in TYPES}
    whole = sum(weights.values())
    events = trades(
        size,
        density=max(1, round(INSTANCES * whole / sizes.group_window)),
        shares={name: weight / whole for name, weight in weights.items() if name in group.frequencies},
    )
    queries = {
        query.name: counted(counting(tuple(map(str, query.steps)), f"{sizes.group_window} ms"))
        for query in group.queries
    }
    asked = workload(queries)
    runs = {DEFAULT: lambda: asked.run(events, time="time", type="type")}
    return compared(runs | shared_runs(asked, plans, events), size, repeat or sizes.repeat)
