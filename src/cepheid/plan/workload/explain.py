"""What the queries of a workload share, as text and as a diagram."""

import math
from collections.abc import Iterator, Sequence

from cepheid.pattern.render import render
from cepheid.plan.engine import Share
from cepheid.plan.explanation import Edge, Explanation, OutlineNode, bound_lines, section, spark_lines
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.derived import delays
from cepheid.plan.workload.plan import WorkloadPlan

_LISTED = 12
"""So many queries of a share are named; the rest are counted."""


def explain(plan: WorkloadPlan) -> Explanation:
    """The explanation of a workload."""
    shared = [share for share in plan.shares if share.joined is not None]
    by_itself = [share.members[0] for share in plan.shares if share.joined is None]
    lines = [f"workload: {len(plan.names):,} queries, read and ordered once"]
    for share in shared:
        lines += _share_lines(plan, share)
    if by_itself:
        lines.append(f"each by itself: {_listed([plan.names[member] for member in by_itself])}")
    lines += _composition_lines(plan)
    lines.append(section("stream", [f"columns that travel: {', '.join(plan.needed)}", *bound_lines(plan)]))
    lines.append(section("on Spark", spark_lines(plan)))
    edges = tuple(_edges(plan, shared, by_itself))
    return Explanation("\n".join(lines), edges, tuple(_outline(plan, edges)))


def _share_lines(plan: WorkloadPlan, share: Share) -> Iterator[str]:
    assert share.joined is not None
    names = [plan.names[member] for member in share.members]
    yield f"{share.kind}: {len(names):,} queries together: {_listed(names)}"
    yield from (f"  {line}" for line in share.joined.lines(share.joined))


def _composition_lines(plan: WorkloadPlan) -> Iterator[str]:
    waits = delays(plan)
    for member in plan.in_order:
        if plan.feeders[member]:
            names = _listed([plan.names[feeder] for feeder in plan.feeders[member]])
            what = _what([plan.plans[feeder] for feeder in plan.feeders[member]])
            yield f"{plan.names[member]}: the {what} of {names} are events to it{_wait(waits[member])}"


def _what(feeders: list[QueryPlan]) -> str:
    """What queries tell: matches, or rows of AGG."""
    kinds = {"matches" if feeder.query.aggregation is None else "rows" for feeder in feeders}
    return " and ".join(sorted(kinds))


def _wait(delay: int | float) -> str:
    """That a query waits for matches that end in an absence, if it does."""
    if delay == 0:
        return ""
    close = "at the end" if math.isinf(delay) else "when their window has closed"
    return f"; it waits for them, since some end in an absence and are certain {close}"


def _listed(names: list[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _edges(plan: WorkloadPlan, shared: list[Share], alone: list[int]) -> Iterator[Edge]:
    """From the events to the shares, from these to the queries, and from feeders to those that name them."""
    for place, share in enumerate(shared, 1):
        together = f"{share.kind} {place}"
        yield Edge("events", together, "")
        for member in share.members[:_LISTED]:
            yield Edge(together, f"{plan.names[member]}: {_pattern(plan, member)}", "")
        if len(share.members) > _LISTED:
            yield Edge(together, f"and {len(share.members) - _LISTED:,} more", "")
    feeding = {feeder for fed_by in plan.feeders for feeder in fed_by}
    plain = [member for member in alone if member not in feeding and not plan.feeders[member]]
    left_out = set(plain[_LISTED:])
    yield from (Edge("events", plan.names[member], "") for member in alone if member not in left_out)
    for member in alone:
        for feeder in plan.feeders[member]:
            yield Edge(plan.names[feeder], plan.names[member], _what([plan.plans[feeder]]))


def _outline(plan: WorkloadPlan, edges: Sequence[Edge]) -> Iterator[OutlineNode]:
    """The same as a tree, each query once: below what it shares with others, or below what feeds it."""
    below: dict[str, list[Edge]] = {}
    for edge in edges:
        below.setdefault(edge.source, []).append(edge)
    lines = {f"{share.kind} {n}": told for n, share, told in _shared(plan)}
    known: set[str] = set()
    left: list[tuple[str, int, str]] = [("events", -1, "")]
    place = 0
    while left:
        name, parent, label = left.pop()
        if name not in known:
            known.add(name)
            head, _, pattern = name.partition(": ")
            fed = (f"sees the {label} of the query above",) if label else ()
            yield OutlineNode(head, parent, (*((pattern,) if pattern else ()), *lines.get(name, ()), *fed))
            left += [(edge.target, place, edge.label) for edge in reversed(below.get(name, ()))]
            place += 1


def _shared(plan: WorkloadPlan) -> Iterator[tuple[int, Share, tuple[str, ...]]]:
    """The shares of several queries, numbered, with what is shared in words."""
    together = ((share, share.joined) for share in plan.shares if share.joined is not None)
    for n, (share, joined) in enumerate(together, 1):
        yield n, share, tuple(joined.lines(joined))


def _pattern(plan: WorkloadPlan, member: int) -> str:
    return render(plan.plans[member].query).splitlines()[0]
