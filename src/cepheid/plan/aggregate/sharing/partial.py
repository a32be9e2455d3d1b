"""Share a substring where it pays, and not elsewhere: past the thesis, which shares it by all or by none.

Given which substrings are counted, the best chop of each query is a shortest path. What remains is which to
count: each costs something once, and serves whichever queries take it, as in locating facilities. The search
drops the candidate that is least worth its cost, as long as there is one, while the queries choose again. In
a small workload it then brings back what has become worth it, and closes and opens each on trial.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from cepheid.plan.aggregate.sharing.benefit import CostModel
from cepheid.plan.aggregate.sharing.candidates import FEWEST_USES, Candidate, Use, find_candidates
from cepheid.plan.aggregate.sharing.greedy import greedy
from cepheid.plan.aggregate.sharing.paths import Paths, Shortest, paths_of, shortest
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan, plan_of
from cepheid.plan.aggregate.sharing.workload import Workload

SMALL = 100  # queries of a workload up to which trials are quick
ROUNDING = 1e-12  # a smaller share of the cost is no improvement


def partial(workload: Workload, model: CostModel) -> SharingPlan:
    """The plan found by dropping and trying substrings, or the greedy one where that is better."""
    candidates = find_candidates(workload)
    once = tuple(model.once(each.steps, each.window) for each in candidates)
    paths = paths_of(workload, model, candidates)
    search = _PartialSearch(candidates, once, paths, set(range(len(candidates))))
    _choose_again(search, paths)
    _drop(search)
    if len(workload) <= SMALL:
        search = _with_trials(_with_missed(search))
    found, simple = plan_of(workload, model, _chosen(search), "partial"), greedy(workload, model)
    return found if found.benefit >= simple.benefit else replace(simple, method="partial")


@dataclass(slots=True)
class _PartialSearch:
    """Which candidates are open, the chop that each query has chosen among them, and who uses what."""

    candidates: Sequence[Candidate]
    once: Sequence[float]
    paths: dict[int, Paths]
    open: set[int]
    chops: dict[int, Shortest] = field(default_factory=dict)
    users: dict[int, dict[int, int]] = field(default_factory=dict)  # of a candidate: its uses by query

    def cost(self) -> float:
        counted = sum(self.once[number] for number in self.users)
        return counted + sum(each.cost for each in self.chops.values())

    def copy(self) -> _PartialSearch:
        users = {number: dict(by_query) for number, by_query in self.users.items()}
        return replace(self, open=set(self.open), chops=dict(self.chops), users=users)


def _choose_again(search: _PartialSearch, queries: Iterable[int]) -> set[int]:
    """Queries choose their chops among what is open; says which candidates they took or left."""
    touched: set[int] = set()
    for index in queries:
        before = search.chops.get(index)
        after = search.chops[index] = shortest(search.paths[index], search.open)
        left = {each.shared for each in before.chop if each.shared is not None} if before else set()
        for number in left:
            search.users[number].pop(index, None)
        for segment in after.chop:
            if segment.shared is not None:
                users = search.users.setdefault(segment.shared, {})
                users[index] = users.get(index, 0) + 1
                touched.add(segment.shared)
        touched |= left
    for number in touched:
        if not search.users[number]:
            del search.users[number]
    return touched


def _worth(search: _PartialSearch, number: int) -> float:
    """What a used candidate saves over the queries' next best choices, less what counting it costs."""
    others = search.open - {number}
    saved = sum(shortest(search.paths[i], others).cost - search.chops[i].cost for i in search.users[number])
    return saved - search.once[number]


def _drop(search: _PartialSearch, keep: int | None = None) -> None:
    """Close the candidate that is least worth counting, until all are worth it and have more than one use.

    What is known of a worth may be too little, since alternatives have been closed meanwhile; it is looked at
    again before it counts.
    """
    worth = {number: _worth(search, number) for number in search.users if number != keep}
    while (least := _least(search, worth)) is not None:
        known, worth[least] = worth[least], _worth(search, least)
        if worth[least] > known:
            continue
        search.open.discard(least)
        for number in _choose_again(search, tuple(search.users[least])):
            worth.pop(number, None)
            if number in search.users and number != keep:
                worth[number] = _worth(search, number)


def _least(search: _PartialSearch, worth: dict[int, float]) -> int | None:
    """What is least worth counting; only then what is worth it for one use, since others may yet join."""
    order = sorted(worth, key=lambda number: (worth[number], number))
    if order and worth[order[0]] <= 0:
        return order[0]
    return next((number for number in order if sum(search.users[number].values()) < FEWEST_USES), None)


def _with_missed(search: _PartialSearch) -> _PartialSearch:
    """The search after opening what now saves more than it costs, and closing what does not, in turns."""
    while (best := _most_missed(search)) is not None:
        trial = search.copy()
        _open(trial, best)
        if not _is_better(trial, search):
            break
        search = trial
    return search


def _most_missed(search: _PartialSearch) -> int | None:
    closed = (number for number in range(len(search.candidates)) if number not in search.open)
    gains = {number: _gain(search, number) for number in closed}
    best = max(gains, key=lambda n: (gains[n], -n), default=None)
    return best if best is not None and gains[best] > 0 else None


def _gain(search: _PartialSearch, number: int) -> float:
    """What opening a closed candidate would save, less what counting it costs."""
    more = search.open | {number}
    queries = search.candidates[number].queries
    saved = sum(search.chops[i].cost - shortest(search.paths[i], more).cost for i in queries)
    return saved - search.once[number]


def _with_trials(search: _PartialSearch) -> _PartialSearch:
    """The search after closing what is used and opening what is closed, one by one, where that is better."""
    improved = True
    while improved:
        improved = False
        for number in range(len(search.candidates)):
            if number in search.open and number not in search.users:
                continue
            trial = search.copy()
            if number in search.users:
                trial = _closed(trial, number)
            else:
                _open(trial, number)
            if _is_better(trial, search):
                search, improved = trial, True
    return search


def _open(search: _PartialSearch, number: int) -> None:
    search.open.add(number)
    _choose_again(search, search.candidates[number].queries)
    _drop(search, keep=number)
    _drop(search)


def _closed(search: _PartialSearch, number: int) -> _PartialSearch:
    search.open.discard(number)
    _choose_again(search, tuple(search.users[number]))
    _drop(search)
    return _with_missed(search)


def _is_better(one: _PartialSearch, other: _PartialSearch) -> bool:
    cost = other.cost()
    return cost - one.cost() > ROUNDING * abs(cost)


def _chosen(search: _PartialSearch) -> list[Candidate]:
    uses: dict[int, list[Use]] = defaultdict(list)
    for index, choice in sorted(search.chops.items()):
        for segment in choice.chop:
            if segment.shared is not None:
                uses[segment.shared].append(Use(index, segment.start, segment.stop))
    return [replace(search.candidates[number], uses=tuple(within)) for number, within in sorted(uses.items())]
