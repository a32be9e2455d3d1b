"""The plans of many queries over one stream."""

from dataclasses import dataclass, replace

import pyarrow as pa

from cepheid.errors import BindingError
from cepheid.pattern.query import PatternQuery
from cepheid.plan.engine import Share
from cepheid.plan.plan import Plan, QueryPlan

QUERY = "query"
"""The column that names the query where the rows of all stand in one table."""


@dataclass(frozen=True, slots=True)
class WorkloadPlan(Plan):
    """The plans of named queries over one stream, and how they share their work."""

    names: tuple[str, ...]
    plans: tuple[QueryPlan, ...]
    shares: tuple[Share, ...]  # in the order in which they run
    feeders: tuple[tuple[int, ...], ...]  # of each query, the others whose matches are events to it

    @property
    def queries(self) -> tuple[PatternQuery, ...]:
        """The queries of all plans."""
        return tuple(plan.query for plan in self.plans)

    @property
    def query_plans(self) -> tuple[QueryPlan, ...]:
        """The plans by the names of their queries."""
        return self.plans

    @property
    def computed(self) -> set[str]:
        """The columns that any of the queries computes with."""
        return {name for plan in self.plans for name in plan.computed}

    @property
    def is_composed(self) -> bool:
        """Whether some query names another."""
        return any(self.feeders)

    @property
    def in_order(self) -> tuple[int, ...]:
        """The queries, each after its feeders."""
        return tuple(member for share in self.shares for member in share.members)

    @property
    def text(self) -> str:
        """The queries by their names."""
        return "\n".join(f"{name}: {plan.text}" for name, plan in zip(self.names, self.plans, strict=True))

    @property
    def output_schemas(self) -> tuple[pa.Schema, ...]:
        """The columns of each query's matches."""
        return tuple(plan.output_schema for plan in self.plans)


def united(plan: WorkloadPlan) -> WorkloadPlan:
    """The plan whose rows all stand in one table: the query's name, then the columns of any."""
    schemas = [plan.output_schema for plan in plan.plans]
    try:
        together = pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise BindingError(
            f"the results of the workload do not fit one table: {error}; give columns of different types "
            "different names, with AS"
        ) from None
    if QUERY in together.names:
        raise BindingError(f"a result has a column '{QUERY}', which names the query: rename it with AS")
    return replace(plan, output_schema=pa.schema([pa.field(QUERY, pa.string()), *together]))
