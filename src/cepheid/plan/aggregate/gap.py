"""An absence inside a sequence, or at its end, as algebra: what may not stand in the gap divides the pattern.

The matrix of an absent event is a projection, which has no inverse. But the steps before the gap by
themselves have one, and so have those behind it; only what stands at the last step before the gap is
forgotten. docs/papers/aseq-algebra.md derives how the two halves are joined.
"""

from dataclasses import dataclass, replace

from cepheid.plan.aggregate.algebra import NOTHING, Algebra, Counted, Lane, PatternWays
from cepheid.plan.aggregate.plan import AggregatePlan, Countable
from cepheid.plan.aggregate.sharing.eligible import step_test
from cepheid.plan.states.steps import Step, is_plain_sequence


@dataclass(frozen=True, slots=True)
class Gap:
    """The numbers of the two halves, and which tests begin, join and forbid."""

    left: tuple[int, ...]  # the ways from each step before the gap to the last of them: a column of P
    first: tuple[int, ...]  # the row of Q that a start takes
    joined: tuple[int, ...]  # the row of Q of the first step behind the gap
    right: tuple[int, ...]  # the ways from each step behind it to the end
    begins: int
    joins: int | None  # none if nothing stands behind the gap
    forbids: frozenset[int]


def gap_refusal(plan: Countable, bits: int) -> str | None:
    """Why the absences of a plan are no single gap in a plain sequence that is merely counted, or None."""
    gaps = [number for number, step in enumerate(plan.steps) if step.undone_by]
    if not is_plain_sequence(plan.steps) or len(gaps) != 1 or plan.steps[0].looks_back:
        return "with absences but in one place of a plain sequence"
    if plan.values or bits > 63:
        return "with an absence but to give their number, in 64 bits"
    if plan.alike or not set(plan.query.keys) <= set(plan.group):
        return "with an absence in several partitions of a group"
    return None


def gap_of(plan: AggregatePlan) -> tuple[Algebra, Gap]:
    """The numbers that a plan with a gap keeps."""
    place = next(number for number, step in enumerate(plan.steps) if step.undone_by)
    algebra = Algebra()
    before = PatternWays(algebra, replace(plan, steps=_part(plan.steps[: place + 1])))
    behind = PatternWays(algebra, replace(plan, steps=_part(plan.steps[place + 1 :])))
    last, end = place, len(plan.steps) - place - 2
    gap = Gap(
        left=tuple(_kept(before.product((r, NOTHING), (last, NOTHING))) for r in range(place + 1)),
        first=tuple(_kept(before.inverse((0, NOTHING), (r, NOTHING))) for r in range(place + 1)),
        joined=tuple(_kept(behind.inverse((0, NOTHING), (c, NOTHING))) for c in range(end + 1)),
        right=tuple(_kept(behind.product((c, NOTHING), (end, NOTHING))) for c in range(end + 1)),
        begins=before.tests[0],
        joins=behind.tests[0] if behind.tests else None,
        forbids=frozenset(
            algebra.test(step_test(plan.absences[number].test)) for number in plan.steps[place].undone_by
        ),
    )
    ends = frozenset({behind.tests[-1]}) if behind.tests else {before.tests[-1]} | gap.forbids
    tests = frozenset({*before.tests, *behind.tests}) | gap.forbids
    lane = algebra.lane(Lane(plan.window, ()), plan.most_events)
    algebra.queries.append(Counted(lane, (), frozenset(ends), tests))
    return algebra, gap


def _part(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Steps of a plain sequence as one of their own."""
    return tuple(
        replace(step, after=(number - 1,) if number else (), begins=number == 0, undone_by=())
        for number, step in enumerate(steps)
    )


def _kept(number: int | None) -> int:
    assert number is not None
    return number
