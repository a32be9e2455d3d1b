"""From the header of a query with AGG to the plan of the aggregate engine."""

from cepheid.errors import QueryError, UnsupportedError
from cepheid.plan.aggregate.chains import without_chains
from cepheid.plan.aggregate.having import row_test
from cepheid.plan.aggregate.methods import METHODS
from cepheid.plan.aggregate.neighbours import ORDERED, neighbours
from cepheid.plan.aggregate.output import group_columns, period_of
from cepheid.plan.aggregate.plan import AggregatePlan, Countable, TwoStepPlan
from cepheid.plan.aggregate.sizes import Sizes, sized
from cepheid.plan.aggregate.two_step import TWO_STEP, needs_matches, plan_two_step
from cepheid.plan.aggregate.values import AggregateValues
from cepheid.plan.engine import Planner
from cepheid.plan.magnitude import EXPECTED_EVENTS
from cepheid.plan.plan import QueryPlan
from cepheid.plan.states.placement import placed
from cepheid.plan.states.steps import steps_of
from cepheid.plan.states.structure import has_conjunction


def plan_aggregate(
    header: QueryPlan, planner: Planner, *, method: str = "auto", max_events: int = EXPECTED_EVENTS
) -> AggregatePlan | TwoStepPlan:
    """The plan of a query that the engine does not refuse."""
    _check_options(method, max_events)
    if has_conjunction(header.query.pattern):
        if method not in ("auto", TWO_STEP):
            raise UnsupportedError(
                f"the method '{method}' does not count matches of a pattern with AND",
                hint=f"the method '{TWO_STEP}' does",
            )
        return plan_two_step(header, planner, max_events)
    query, chained = without_chains(header.query)
    placement = placed(header, query.conjuncts)
    compared, unordered = neighbours(placement)
    if method == TWO_STEP or (method == "auto" and unordered is not None):
        return plan_two_step(header, planner, max_events)
    uncountable = unordered if method in ("auto", ORDERED) else needs_matches(placement)
    if uncountable is not None:
        raise uncountable
    automaton, absences = placement.automaton(), placement.absences()
    steps = steps_of(automaton, absences)
    table = AggregateValues(header, steps)
    columns = dict.fromkeys([*table.columns, *(column for pair in compared for column in pair.values)])
    countable = header.become(
        Countable,
        query=query,
        results=tuple(table.results),
        automaton=automaton,
        absences=absences,
        columns=tuple(columns),
        values=tuple(table.values),
        items=table.items,
        group=group_columns(header),
        period=period_of(header.query, header.schema),
        having=row_test(header, table),
        steps=steps,
        alike=tuple(header.schema.column_of(name) or name for name in chained),
        compared=compared,
        asked=method,
    )
    return sized(countable, Sizes(max_events))


def _check_options(method: str, max_events: int) -> None:
    if method not in METHODS:
        raise QueryError(f"there is no method '{method}' of counting", hint=f"methods: {', '.join(METHODS)}")
    if not isinstance(max_events, int) or max_events < 1:
        raise QueryError(f"max_events= is a number of events, not {max_events!r}")
