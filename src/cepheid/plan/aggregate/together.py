"""Queries with AGG that are counted together in a workload.

Queries that are counted by algebra keep their common numbers once (`algebra`). As the thesis on A-Seq has it,
they may share counters for common prefixes (`prefix_tree`) or for common substrings (`chop_connect`).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from cepheid.plan.aggregate.algebra import Algebra, Inverse, Product, StartSum, algebra_of
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.aggregate.sharing.choose import METHODS, choose
from cepheid.plan.aggregate.sharing.eligible import refusal, shared_query
from cepheid.plan.aggregate.sharing.prefix_tree import prefix_trees
from cepheid.plan.aggregate.sharing.rated import Rates
from cepheid.plan.engine import Joined, Share, Sharing
from cepheid.plan.plan import QueryPlan

BY_ALGEBRA = "cepheid.matchers.aggregate.algebra.matcher.counting_together"
BY_COUNTERS = "cepheid.matchers.baselines.chop_connect.matcher.counting_together"

TESTED = "cepheid.matchers.aggregate.having.having_together"
"""Around one of these, where HAVING chooses among the rows."""

RatesOf = Callable[[Sequence[AggregatePlan]], Rates]
"""How often the steps of some plans are taken."""


# ---------------------------------------------------------------- which queries


def _by_algebra(
    plans: Sequence[QueryPlan], names: Sequence[str], choice: str, rates: RatesOf | None
) -> Iterable[Share]:
    """Common numbers are kept once: an operation less for each, and none more."""
    return _grouped(plans, _counted_alike, lambda members, chosen: _one_algebra(chosen), "algebra")


def _one_algebra(plans: tuple[AggregatePlan, ...]) -> Joined:
    if all(plan.having is None for plan in plans):
        return Joined(plans, BY_ALGEBRA, _algebra_lines)
    return Joined(plans, TESTED, _algebra_lines, details=BY_ALGEBRA)


def _by_counters(
    plans: Sequence[QueryPlan], names: Sequence[str], choice: str, rates: RatesOf | None
) -> Iterable[Share]:
    """Common substrings are counted once where that is worth the connecting."""

    def share(members: tuple[int, ...], chosen: tuple[AggregatePlan, ...]) -> Joined:
        queries = [shared_query(names[n], plan) for n, plan in zip(members, chosen, strict=True)]
        known: Rates = (lambda step, window: 1.0) if rates is None else rates(chosen)
        return Joined(chosen, BY_COUNTERS, _counter_lines, choose(queries, known, choice))

    return _grouped(plans, _marked_alike, share, "chop_connect")


def _by_prefixes(
    plans: Sequence[QueryPlan], names: Sequence[str], choice: str, rates: RatesOf | None
) -> Iterable[Share]:
    """Common prefixes alone are counted once: nothing is connected."""
    for share in _by_counters(plans, names, "none", rates):
        joined = share.joined and replace(share.joined, lines=_prefix_lines)
        yield replace(share, kind="prefix_tree", joined=joined) if joined else share


def _grouped(
    plans: Sequence[QueryPlan],
    alike: Callable[[QueryPlan], Hashable | None],
    together: Callable[[tuple[int, ...], tuple[AggregatePlan, ...]], Joined],
    kind: str,
) -> Iterable[Share]:
    """A share for all that are alike; what has no likeness runs by itself."""
    groups: dict[Hashable, list[int]] = {}
    for number, plan in enumerate(plans):
        key = alike(plan)
        groups.setdefault(("apart", number) if key is None else key, []).append(number)
    for members in map(tuple, groups.values()):
        chosen = tuple(plan for n in members if isinstance(plan := plans[n], AggregatePlan))
        yield Share(kind, members, together(members, chosen)) if len(members) > 1 else Share("none", members)


def _counted_alike(plan: QueryPlan) -> Hashable | None:
    """Numbers are kept by partition, and rows made by group and at moments: these must be the same."""
    if not isinstance(plan, AggregatePlan) or plan.method != "inverse":
        return None
    if any(step.undone_by for step in plan.steps):
        return None
    return plan.unit, plan.query.keys, plan.alike, plan.group, plan.query.emit.mode, plan.period


def _marked_alike(plan: QueryPlan) -> Hashable | None:
    """Counters also depend on the window."""
    if not isinstance(plan, AggregatePlan) or refusal(plan) is not None:
        return None
    return shared_query("", plan).window


# ---------------------------------------------------------------- in words


def _counter_lines(joined: Joined) -> list[str]:
    return str(joined.details).splitlines()


def _prefix_lines(joined: Joined) -> Iterator[str]:
    for tree in prefix_trees(joined.details.workload):
        yield from str(tree).splitlines()


def _algebra_lines(joined: Joined) -> Iterator[str]:
    together, apart = algebra_of(joined.plans), [algebra_of([plan]) for plan in joined.plans]
    yield "each number is kept once for all queries that need it:"
    for kind, what in (
        (Product, "ways through substrings (P)"),
        (Inverse, "their inverses (Q)"),
        (StartSum, "sums over the starts in the window (V)"),
    ):
        kept, needed = _count(together, kind), sum(_count(each, kind) for each in apart)
        yield f"  {kept:,} instead of {needed:,} {what}"
    yield f"  in {len(together.lanes):,} windows instead of {len(joined.plans):,}"


def _count(algebra: Algebra, kind: type) -> int:
    return sum(isinstance(number, kind) for number in algebra.numbers)


SHARING = Sharing(
    ways={
        "auto": _by_algebra,
        "algebra": _by_algebra,
        "chop_connect": _by_counters,
        "prefix_tree": _by_prefixes,
    },
    choices=tuple(METHODS),
    rates="cepheid.matchers.baselines.chop_connect.rates.rates_of",
)
