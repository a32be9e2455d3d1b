"""Which plans of AGG can be counted together, and what sharing sees of them."""

from dataclasses import dataclass, field

import pyarrow as pa

from cepheid.errors import UnsupportedError
from cepheid.pattern.query import EmitMode
from cepheid.pattern.render import render_expression
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.aggregate.sharing.workload import SharedQuery
from cepheid.plan.plan import Plan
from cepheid.plan.program import EventTest, WindowTest
from cepheid.plan.states.steps import is_plain_sequence


@dataclass(frozen=True, slots=True)
class StepTest:
    """A step of a shared query: equal ones are passed by the same events.

    Conditions are compared as text, in any order: as trees `x > 1` and `x > 1.0` would be equal, and these
    are not the same for every whole number.
    """

    type: str | None
    conditions: tuple[str, ...]
    test: EventTest = field(compare=False, repr=False)

    def __str__(self) -> str:
        conditions = f"[{' AND '.join(self.conditions)}]" if self.conditions else ""
        return f"{self.type or 'any'}{conditions}"


@dataclass(frozen=True, slots=True)
class CounterScope:
    """All that the counters of a query depend on besides its steps."""

    window: WindowTest | None
    keys: tuple[str, ...]
    alike: tuple[str, ...]
    group: tuple[str, ...]
    unit: str  # of timestamps in conditions
    most_events: int  # in a window, as far as the types of counts go


def refusal(plan: Plan) -> str | None:
    """What counting together is not for, and a plan is; None if the plan can take part."""
    if not isinstance(plan, AggregatePlan):
        return "queries whose matches must be built"
    if plan.compared:
        return "conditions between events"
    if plan.absences or not is_plain_sequence(plan.steps):
        return "patterns other than a plain sequence of single variables"
    if plan.values or any(item.function != "count" for item in plan.items):
        return "aggregates other than COUNT"
    if plan.having is not None:
        return "rows that HAVING chooses"
    if plan.query.emit.mode is not EmitMode.ALL:
        return f"EMIT {plan.query.emit.mode.value}"
    if any(not pa.types.is_int64(item.type) for item in plan.items):
        return "counts that may need more than 64 bits"
    divided = {*plan.query.keys, *plan.alike}
    if plan.window is not None and plan.window.counts_events and divided:
        return "windows of the events of each partition"
    others = sorted(set(plan.group) - divided)
    return f"groups by '{others[0]}', which is no equivalence test" if others else None


def shared_query(name: str, plan: AggregatePlan) -> SharedQuery:
    """A plan as sharing sees it."""
    reason = refusal(plan)
    if reason is not None:
        raise UnsupportedError(f"counting together is not for {reason}", hint=f"run '{name}' by itself")
    return SharedQuery(name, tuple(_step(plan, step.test) for step in plan.steps), scope_of(plan))


def scope_of(plan: AggregatePlan) -> CounterScope:
    """What must be equal for two plans to share counters."""
    return CounterScope(
        plan.window,
        tuple(sorted(set(plan.query.keys))),
        tuple(sorted(set(plan.alike))),
        tuple(sorted(set(plan.group))),
        plan.unit,
        plan.most_events,
    )


def _step(plan: AggregatePlan, number: int) -> StepTest:
    """The test of a step: those of a first turn stand before those of all others."""
    return step_test((*plan.automaton.begin, *plan.automaton.take)[number])


def step_test(test: EventTest) -> StepTest:
    """A test as sharing compares it."""
    return StepTest(test.type, tuple(sorted({render_expression(each) for each in test.conditions})), test)
