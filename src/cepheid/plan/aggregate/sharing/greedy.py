"""The greedy plan (A-Seq figure 4.6): the best candidate, then the best without conflict with it, and on.

Figure 4.6 sorts by BValue once. Where benefits depend on how a query is chopped already, the order here is
that of what a candidate adds at the time, so the search climbs; where they do not, it is the figure's.
Ranked by "gwmin", a candidate that conflicts with many counts for less: benefit / (conflicts + 1).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from cepheid.plan.aggregate.sharing.benefit import CostModel, cost_of
from cepheid.plan.aggregate.sharing.candidates import Candidate, Use, find_candidates
from cepheid.plan.aggregate.sharing.chops import chop
from cepheid.plan.aggregate.sharing.conflicts import conflict_graph
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan, plan_of
from cepheid.plan.aggregate.sharing.workload import Workload


def greedy(workload: Workload, model: CostModel, *, rank: str = "benefit") -> SharingPlan:
    """The plan that takes the best candidate that is left and free of conflict, until none saves anything."""
    search = _begin(workload, model)
    value = RANKS[rank]
    chosen: list[Candidate] = []
    while (best := _best(search, value)) is not None:
        chosen.append(_take(search, best))
        _measure_again(search, chosen[-1].queries)
    return plan_of(workload, model, chosen, "greedy" if rank == "benefit" else rank)


@dataclass(slots=True)
class _GreedySearch:
    """Where the search stands: what is open, what it would add in each query, and what was taken where."""

    workload: Workload
    model: CostModel
    open: dict[int, Candidate]
    neighbours: tuple[frozenset[int], ...]
    in_query: dict[int, set[int]]
    added: dict[int, dict[int, float]] = field(default_factory=dict)  # by candidate and query
    gains: dict[int, float] = field(default_factory=dict)  # the sums of `added`, less what counting costs
    taken: dict[int, list[tuple[Use, int]]] = field(default_factory=lambda: defaultdict(list))


def _by_benefit(search: _GreedySearch, number: int) -> float:
    return search.gains[number]


def _by_gwmin(search: _GreedySearch, number: int) -> float:
    rivals = search.neighbours[number] & search.open.keys()
    return search.gains[number] / (1 + sum(search.gains[other] > 0 for other in rivals))


RANKS: dict[str, Callable[[_GreedySearch, int], float]] = {"benefit": _by_benefit, "gwmin": _by_gwmin}


def _begin(workload: Workload, model: CostModel) -> _GreedySearch:
    graph = conflict_graph(find_candidates(workload))
    in_query: dict[int, set[int]] = defaultdict(set)
    for number, candidate in enumerate(graph.candidates):
        for query in candidate.queries:
            in_query[query].add(number)
    search = _GreedySearch(workload, model, dict(enumerate(graph.candidates)), graph.neighbours, in_query)
    for number, candidate in search.open.items():
        search.added[number] = {query: _added(search, candidate, query) for query in candidate.queries}
        _sum_up(search, number)
    return search


def _best(search: _GreedySearch, value: Callable[[_GreedySearch, int], float]) -> int | None:
    """The open candidate of the highest rank that adds anything; of equals the longest, then the first."""
    worth = [number for number in search.open if search.gains[number] > 0]
    return max(worth, key=lambda n: (value(search, n), len(search.open[n].steps), -n), default=None)


def _added(search: _GreedySearch, candidate: Candidate, query: int) -> float:
    """What a query saves by using the candidate too, besides what it uses already."""
    text, taken = search.workload[query], search.taken[query]
    more = [*taken, *((use, -1) for use in candidate.uses if use.query == query)]
    return cost_of(search.model, text, chop(text, taken)) - cost_of(search.model, text, chop(text, more))


def _take(search: _GreedySearch, number: int) -> Candidate:
    """Share a candidate, and give up those that it conflicts with."""
    candidate = search.open.pop(number)
    for use in candidate.uses:
        search.taken[use.query].append((use, number))
    for rival in search.neighbours[number] & search.open.keys():
        del search.open[rival]
    return candidate


def _measure_again(search: _GreedySearch, queries: Iterable[int]) -> None:
    """What the open candidates add in queries that have just been chopped."""
    affected: set[int] = set()
    for query in queries:
        for number in search.in_query[query] & search.open.keys():
            search.added[number][query] = _added(search, search.open[number], query)
            affected.add(number)
    for number in affected:
        _sum_up(search, number)


def _sum_up(search: _GreedySearch, number: int) -> None:
    candidate = search.open[number]
    once = search.model.once(candidate.steps, candidate.window)
    search.gains[number] = sum(search.added[number].values()) - once
