"""The rows of EMIT EVERY: periods in which nothing changes have the same numbers, worked out once."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cepheid.matchers.aggregate.groups import Groups
from cepheid.matchers.aggregate.layout import AggregateTables
from cepheid.matchers.aggregate.results import item_column
from cepheid.matchers.aggregate.rows import as_time, group_names
from cepheid.matchers.allowance import Allowance
from cepheid.plan.aggregate.plan import AggregatePlan, TwoStepPlan

TOO_MANY_PERIODS = (
    "EMIT EVERY would give {rows} rows here, more than max_matches = {limit}. Is the time of an event wrong? "
    "Else report less often, with a longer period or EMIT ON CLOSE, or pass a larger max_matches="
)

_ENOUGH = 1 << 16
"""So many rows are worth a table."""


def foresee_rows(
    plan: AggregatePlan | TwoStepPlan,
    periods: int,
    groups: int,
    allowance: Allowance,
    *,
    exactly: bool,
    output: int = 0,
) -> bool:
    """Refuse so many periods if each surely has a row; whether the rows of so many groups may be too many."""
    if exactly and not plan.group:
        allowance.expect(periods, TOO_MANY_PERIODS, output)
        return False
    return allowance.may_pass(periods * groups if plan.group else periods, output)


class Alike(NamedTuple):
    """Periods in which nothing changes."""

    moments: np.ndarray
    groups: np.ndarray
    cells: np.ndarray  # one for each of the groups
    tables: AggregateTables  # which say how wide the numbers in the cells are


class PeriodRows:
    """Gathers the rows of one query until they are worth a table."""

    def __init__(self, plan: AggregatePlan, allowance: Allowance, output: int = 0) -> None:
        self.plan, self.allowance, self.output = plan, allowance, output
        self._parts: list[Alike] = []
        self._rows = 0

    def add(
        self, moments: np.ndarray, groups: np.ndarray, cells: np.ndarray, tables: AggregateTables, beyond: int
    ) -> None:
        """Rows at each of the moments for each of the groups. They are refused if they would be too many with
        the same at so many periods beyond."""
        rows = int(moments.size * groups.size)
        if rows == 0:
            return
        self.allowance.expect(rows + beyond * int(groups.size), TOO_MANY_PERIODS, self.output)
        self.allowance.take(rows, TOO_MANY_PERIODS, self.output)
        self._parts.append(Alike(moments, groups, cells, tables))
        self._rows += rows

    @property
    def is_enough(self) -> bool:
        """Whether to make a table of them before more are gathered."""
        return self._rows >= _ENOUGH

    def taken(self, groups: Groups, texts: Sequence[str] = ()) -> Iterator[pa.Table]:
        """The rows so far. Cells get wider in between where numbers do not fit."""
        parts, self._parts, self._rows = self._parts, [], 0
        for _, alike in groupby(parts, lambda part: part.tables.limbs):
            yield self._table(list(alike), groups, texts)

    def _table(self, parts: list[Alike], groups: Groups, texts: Sequence[str]) -> pa.Table:
        plan, tables = self.plan, parts[0].tables
        time = np.concatenate([np.repeat(part.moments, part.groups.size) for part in parts])
        named = np.concatenate([part.groups for part in parts])
        cells = np.concatenate([part.cells for part in parts])
        columns = group_names(plan, groups, named)
        columns += [item_column(plan, tables, item, cells, list(texts)) for item in plan.items]
        if time.size > named.size:
            place = pa.array(_places(parts))
            columns = [column.take(place) for column in columns]
        return pa.Table.from_arrays([as_time(plan, pa.array(time)), *columns], schema=plan.output_schema)


def _places(parts: list[Alike]) -> np.ndarray:
    """For each row the place of its cell."""
    places, first = [], 0
    for part in parts:
        places.append(np.tile(np.arange(first, first + part.groups.size), part.moments.size))
        first += part.groups.size
    return np.concatenate(places)
