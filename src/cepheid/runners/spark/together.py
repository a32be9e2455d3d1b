"""The matches of all queries of a workload in one table: a DataFrame has one."""

import pyarrow as pa

from cepheid.matchers.protocol import Outputs, joined_tables
from cepheid.plan.plan import Plan
from cepheid.plan.workload.plan import WorkloadPlan


def in_one_table(plan: Plan, outputs: Outputs) -> pa.Table:
    """The matches of a query; those of a workload as rows that begin with the name of their query."""
    if not isinstance(plan, WorkloadPlan):
        (only,) = outputs
        return only
    named = zip(plan.names, outputs, strict=True)
    tables = [_named(name, found, plan.output_schema) for name, found in named if found.num_rows]
    return joined_tables(tables, plan.output_schema)


def _named(name: str, found: pa.Table, schema: pa.Schema) -> pa.Table:
    count = found.num_rows
    columns = [pa.array([name] * count, pa.string())]
    for field in list(schema)[1:]:
        has = field.name in found.column_names
        columns.append(found.column(field.name).cast(field.type) if has else pa.nulls(count, field.type))
    return pa.Table.from_arrays(columns, schema=schema)
