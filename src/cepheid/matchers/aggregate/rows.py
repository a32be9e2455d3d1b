"""Rows of AGG as a table."""

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.aggregate.groups import Groups
from cepheid.matchers.aggregate.layout import AggregateTables
from cepheid.matchers.aggregate.results import item_column
from cepheid.plan.aggregate.plan import Aggregated, AggregatePlan

TOO_MANY_ROWS = (
    "AGG has more than max_matches = {limit} rows: report less often, with EMIT EVERY or EMIT ON CLOSE, "
    "or pass a larger max_matches="
)


def rows_table(
    plan: AggregatePlan,
    tables: AggregateTables,
    time: pa.Array,
    group: list[pa.Array],
    cells: np.ndarray,
    texts: list[str],
) -> pa.Table:
    """Times, the values of GROUP BY, and the aggregates in the cells."""
    items = [item_column(plan, tables, item, cells, texts) for item in plan.items]
    return pa.Table.from_arrays([time, *group, *items], schema=plan.output_schema)


def at_events(plan: Aggregated, batch: EventBatch, found: np.ndarray) -> tuple[pa.Array, list[pa.Array]]:
    """The times of events, and their values of GROUP BY and of what is carried."""
    chosen = pa.array(found)
    time = batch.data.column(plan.schema.time).take(chosen)
    return time, [batch.data.column(name).take(chosen) for name in (*plan.group, *plan.carried)]


def group_names(plan: Aggregated, groups: Groups, chosen: np.ndarray) -> list[pa.Array]:
    """The values that name groups."""
    if not plan.group:
        return []
    return [column.combine_chunks() for column in groups.rows.take(pa.array(chosen)).columns]


def with_matches(plan: AggregatePlan, cells: np.ndarray, groups: int, limbs: int) -> np.ndarray:
    """The groups that have a row: without GROUP BY the one there is."""
    if not plan.group:
        return np.zeros(1, np.int64)
    return np.flatnonzero(cells[:groups, :limbs].any(axis=1))


def as_time(plan: Aggregated, ticks: pa.Array) -> pa.Array:
    """Ticks as the stream's own times."""
    kind = plan.schema.columns.field(plan.schema.time).type
    own = plan.schema.type_of(plan.schema.time)
    if pa.types.is_date32(own):
        ticks = ticks.cast(pa.int32())
    return ticks.cast(own).cast(kind)
