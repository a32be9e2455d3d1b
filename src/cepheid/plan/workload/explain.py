"""What the queries of a workload share, as text and as a diagram."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass

from cepheid.pattern.render import render
from cepheid.plan.aggregate.algebra import Algebra, Inverse, Product, StartSum, algebra_of
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.derived import delays
from cepheid.plan.workload.plan import Share, WorkloadPlan
from cepheid.plan.workload.sharing.prefix_tree import prefix_trees

_LISTED = 12
"""So many queries of a share are named; the rest are counted."""


@dataclass(frozen=True, slots=True)
class WorkloadExplanation:
    """How a workload is run; `str()` is the text."""

    text: str
    diagram: str

    def __str__(self) -> str:
        return self.text

    def mermaid(self) -> str:
        """The shares, and what is kept once in them, as a Mermaid diagram."""
        return self.diagram

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def explain_workload(plan: WorkloadPlan) -> WorkloadExplanation:
    """The explanation of a workload over a stream."""
    shared = [share for share in plan.shares if len(share.members) > 1]
    by_itself = [share.members[0] for share in plan.shares if len(share.members) == 1]
    alone = [plan.names[member] for member in by_itself]
    lines = [f"workload: {len(plan.names):,} queries, read and ordered once"]
    for share in shared:
        lines += _share_lines(plan, share)
    if alone:
        lines.append(f"each by itself: {_listed(alone)}")
    lines += _composition_lines(plan)
    return WorkloadExplanation("\n".join(lines), "\n".join(_diagram(plan, shared, by_itself)) + "\n")


def _composition_lines(plan: WorkloadPlan) -> Iterator[str]:
    waits = delays(plan)
    for member in plan.in_order:
        if plan.feeders[member]:
            names = _listed([plan.names[feeder] for feeder in plan.feeders[member]])
            yield f"{plan.names[member]}: the matches of {names} are events to it{_wait(waits[member])}"


def _wait(delay: int | float) -> str:
    """That a query waits for matches that end in an absence, if it does."""
    if delay == 0:
        return ""
    close = "at the end" if math.isinf(delay) else "when their window has closed"
    return f"; it waits for them, since some end in an absence and are certain {close}"


def _share_lines(plan: WorkloadPlan, share: Share) -> Iterator[str]:
    names = [plan.names[member] for member in share.members]
    yield f"{share.kind}: {len(names):,} queries together: {_listed(names)}"
    if share.sharing is None:
        yield from (f"  {line}" for line in _algebra_lines(plan.plans_of(share)))
        return
    for tree in prefix_trees(share.sharing.workload) if share.kind == "prefix_tree" else ():
        yield from (f"  {line}" for line in str(tree).splitlines())
    if share.kind == "chop_connect":
        yield from (f"  {line}" for line in str(share.sharing).splitlines())


def _algebra_lines(plans: tuple[QueryPlan, ...]) -> Iterator[str]:
    counted = [plan for plan in plans if isinstance(plan, AggregatePlan)]
    together = algebra_of(counted)
    apart = [algebra_of([plan]) for plan in counted]
    yield "each number is kept once for all queries that need it:"
    for kind, what in (
        (Product, "ways through substrings (P)"),
        (Inverse, "their inverses (Q)"),
        (StartSum, "sums over the starts in the window (V)"),
    ):
        kept, needed = _count(together, kind), sum(_count(each, kind) for each in apart)
        yield f"  {kept:,} instead of {needed:,} {what}"
    yield f"  in {len(together.lanes):,} windows instead of {len(counted):,}"


def _count(algebra: Algebra, kind: type) -> int:
    return sum(isinstance(number, kind) for number in algebra.numbers)


def _listed(names: list[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _diagram(plan: WorkloadPlan, shared: list[Share], alone: list[int]) -> Iterator[str]:
    yield "flowchart LR"
    yield '  events(["events"])'
    for place, share in enumerate(shared):
        yield f'  events --> share{place}["{share.kind}"]'
        for member in share.members[:_LISTED]:
            label = f"{plan.names[member]}: {_pattern(plan, member)}"
            yield f'  share{place} --> q{member}["{_safe(label)}"]'
        if len(share.members) > _LISTED:
            yield f'  share{place} --> more{place}["and {len(share.members) - _LISTED:,} more"]'
    feeding = {feeder for fed_by in plan.feeders for feeder in fed_by}
    plain = [member for member in alone if member not in feeding and not plan.feeders[member]]
    left_out = set(plain[_LISTED:])
    for member in alone:
        if member not in left_out:
            yield f'  events --> q{member}["{_safe(plan.names[member])}"]'
    for member in alone:
        for feeder in plan.feeders[member]:
            yield f"  q{feeder} ==> q{member}"


def _pattern(plan: WorkloadPlan, member: int) -> str:
    return render(plan.plans[member].query).splitlines()[0]


def _safe(text: str) -> str:
    return text.replace('"', "#quot;")
