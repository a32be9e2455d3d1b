"""From the header of a query to the plan of the tree engine."""

import math
from typing import Any

from cepheid.errors import QueryError, UnsupportedError
from cepheid.pattern.query import EmitMode, PatternQuery, Strategy
from cepheid.pattern.rewrite import rewrite
from cepheid.plan.engine import Planner
from cepheid.plan.plan import QueryPlan
from cepheid.plan.positions import positions_of
from cepheid.plan.profiles_only import refuse_outside_profiles
from cepheid.plan.summaries import SUMMARIES, emitted_schema
from cepheid.plan.tree.condensing import ALWAYS, NEVER, groupings, why_not
from cepheid.plan.tree.fit import combinations_bits
from cepheid.plan.tree.placement import TreePlacement
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import AUTO, LEFT, tree_of

CONDENSED = (AUTO, ALWAYS, NEVER)


def refusal(query: PatternQuery) -> UnsupportedError | None:
    """Why the tree engine cannot run a query, or None if it can."""
    if query.aggregation is not None:
        return UnsupportedError("AGG is for the aggregate engine", span=query.aggregation.span)
    of_profiles = refuse_outside_profiles(query.pattern)
    if of_profiles is not None:
        return of_profiles
    if query.strategy is not Strategy.ANY:
        return UnsupportedError(
            f"the tree engine runs skip_till_any_match, not {query.strategy.value}",
            hint="the nfa engine runs the other strategies",
        )
    return None


def plan_tree(
    header: QueryPlan,
    planner: Planner,
    *,
    shape: str = AUTO,
    index: bool = True,
    batch: int = 1,
    condense: str = AUTO,
) -> TreePlan:
    """The plan of a query that the engine does not refuse."""
    return _planned(header, shape, index, batch, condense)


def _planned(header: QueryPlan, shape: str, index: bool, batch: int, condense: str) -> TreePlan:
    tree = tree_of(header.query.pattern, header.positions, LEFT if shape == AUTO else shape)
    placement = TreePlacement(header, tree)
    absences, values = placement.absences(), placement.values
    summed = header.query.emit.mode in SUMMARIES
    bits = combinations_bits(header.positions, header.window) if summed else 0
    plan = header.become(
        TreePlan,
        output_schema=emitted_schema(header, bits),
        nodes=placement.nodes(absences),
        leaves=placement.leaves(),
        absences=absences,
        columns=tuple(values.columns),
        slots=tuple(values.slots),
        constants=tuple(values.constants),
        remembered=tuple(values.remembered),
        text_functions=tuple(values.text_functions),
        shape=tree.shape,
        asked_shape=shape,
        index=index,
        batch=batch,
        asked_condense=condense,
        groupings=(),
    )
    plan = plan.become(TreePlan, delay=_delay(plan))
    return condensed(plan) if condense == ALWAYS or (condense == AUTO and _promises(plan)) else plan


def _promises(plan: TreePlan) -> bool:
    """Whether composites are condensed where no event has told yet if it pays: matches are not listed, and
    there are composites to put together. A join of two leaves has none, unless nothing is compared."""
    if plan.query.emit.mode in (EmitMode.ALL, EmitMode.NON_OVERLAPPING) or why_not(plan) is not None:
        return False
    leaves = [number for number, node in enumerate(plan.nodes) if node.position >= 0]
    return len(leaves) != 2 or not all(groupings(plan)[leaf].slots for leaf in leaves)


def condensed(plan: TreePlan) -> TreePlan:
    """The same plan with composites in groups, if they can be."""
    return plan if why_not(plan) else plan.become(TreePlan, groupings=groupings(plan))


def in_shape(plan: TreePlan, shape: str) -> TreePlan:
    """The same plan in another shape; composites stay condensed, or not."""
    condense = ALWAYS if plan.groupings else NEVER
    shaped = _planned(plan, shape, plan.index, plan.batch, condense)
    return shaped.become(TreePlan, asked_condense=plan.asked_condense)


def _delay(plan: TreePlan) -> int | float:
    """A match with nothing after an absence is certain when its window has closed."""
    if not plan.trailing:
        return 0
    return math.inf if plan.window is None or plan.window.counts_events else plan.window.limit


def check_options(
    query: PatternQuery, shape: Any = AUTO, index: Any = True, batch: Any = 1, condense: Any = AUTO
) -> None:
    """Refuse options that the engine has, and that cannot be what they are."""
    if shape != AUTO:
        pattern = rewrite(query).pattern
        tree_of(pattern, positions_of(pattern, has_types=True), shape)
    if not isinstance(index, bool):
        raise QueryError(f"index= is True or False, not {index!r}")
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise QueryError(f"batch= is a number of events from 1 on, not {batch!r}")
    if condense not in CONDENSED:
        raise QueryError(f"condense= is one of {', '.join(CONDENSED)}, not {condense!r}")
