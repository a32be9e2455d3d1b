"""Matches as rows: from which event is bound to which variable to the columns of RETURN."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.errors import LimitError
from cepheid.expressions import Index
from cepheid.matchers.bindings import Bindings
from cepheid.matchers.bits import sum_fits
from cepheid.matchers.decimals import as_decimals
from cepheid.matchers.evaluate import evaluate, numbers
from cepheid.matchers.jit import kernel
from cepheid.matchers.masks import BatchRows, field_of, plain
from cepheid.matchers.match_identity import match_ids
from cepheid.matchers.store import EventStore
from cepheid.plan.output import OutputColumn, bare_column
from cepheid.plan.plan import QueryPlan

_OFFSETS_LIMIT = 2**31 - 1


class MatchRows:
    """Matches as the rows that RETURN's expressions are evaluated over."""

    def __init__(self, plan: QueryPlan, bindings: Bindings, store: EventStore) -> None:
        self.plan = plan
        self.bindings = bindings
        self.store = store
        self.unit = plan.unit
        self.length = bindings.count
        self.variables = {p.variable: i for i, p in enumerate(plan.positions)}
        self._gathered: dict[tuple[int, str], pa.Array] = {}

    def leaf(self, node: ex.Expression) -> pa.Array:
        """The values of a leaf, as plain numbers, truth values or text."""
        match node:
            case ex.Attribute() | ex.Call():
                raw = self.raw(node)
                assert raw is not None
                return plain(raw, self.unit)
            case ex.Length(variable=variable):
                return pa.array(self.bindings.lengths(self.variables[variable]))
            case ex.Aggregate():
                return self._aggregate(node)
            case _:
                raise AssertionError(f"not a leaf: {node}")

    def raw(self, node: ex.Expression) -> pa.Array | None:
        """An attribute's values as the stream has them."""
        match node:
            case ex.Attribute(variable=variable, index=index, name=name, path=path):
                rows = self.bindings.at(self.variables[variable], index)
                return field_of(self.store.column(self._column(name), rows), path)
            case ex.Call(function="first_time"):
                return self.store.column(self.plan.schema.time, self.bindings.first)
            case ex.Call(function="last_time"):
                return self.store.column(self.plan.schema.time, self.bindings.last)
            case _:
                return None

    def elements(self, variable: int, name: str) -> pa.Array:
        """A column's values for all events of a variable, match after match."""
        key = (variable, name)
        if key not in self._gathered:
            self._gathered[key] = self.store.column(name, self.bindings.events[variable])
        return self._gathered[key]

    def _column(self, attribute: str) -> str:
        name = self.plan.schema.column_of(attribute)
        assert name is not None
        return name

    def element_rows(self, variable: int) -> BatchRows:
        """All events of a variable as rows of their own."""
        names = self.plan.needed
        batch = pa.RecordBatch.from_arrays([self.elements(variable, n) for n in names], list(names))
        return BatchRows(batch, self.plan.schema, self.unit)

    def _aggregate(self, node: ex.Aggregate) -> pa.Array:
        variable = self.variables[node.variable]
        offsets = self.bindings.offsets[variable]
        if node.argument is None:
            return pa.array(np.diff(offsets))
        values = evaluate(node.argument, self.element_rows(variable))
        return aggregate_lists(node, values, offsets)


def aggregate_lists(node: ex.Aggregate, values: pa.Array, offsets: np.ndarray) -> pa.Array:
    """One aggregate for each list of values; nulls are skipped, over nothing it is null."""
    function = node.function
    if node.distinct:
        return _count_distinct(values, offsets)
    if function in ("first", "last"):
        edge = offsets[1:] - 1 if function == "last" else offsets[:-1]
        return values.take(pa.array(edge, mask=offsets[1:] == offsets[:-1]))
    if function == "count":
        totals = np.concatenate([[0], np.cumsum(np.asarray(values.is_valid()))])
        return pa.array(totals[offsets[1:]] - totals[offsets[:-1]], pa.int64())
    if pa.types.is_string(values.type):
        order = np.argsort(np.array(pc.sort_indices(values)))
        least = _reduce(function, pa.array(order, mask=np.asarray(values.is_null())), offsets)
        return values.take(pc.sort_indices(values).take(least))
    return _reduce(function, values, offsets)


def _count_distinct(values: pa.Array, offsets: np.ndarray) -> pa.Array:
    """How many values of each list are not null, equal ones counted once; so is NaN."""
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.equal(values, 0.0), 0.0, values)  # -0.0 equals it
    codes = values.dictionary_encode().indices
    lists = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    known = np.asarray(codes.is_valid())
    pairs = np.stack([lists[known], codes.drop_null().to_numpy(zero_copy_only=False)])
    return pa.array(np.bincount(np.unique(pairs, axis=1)[0], minlength=offsets.size - 1), pa.int64())


def _reduce(function: str, values: pa.Array, offsets: np.ndarray) -> pa.Array:
    bits, valid = numbers(values)
    result = np.zeros(offsets.size - 1, np.int64)
    known = np.zeros(offsets.size - 1, np.bool_)
    reals = pa.types.is_floating(values.type)
    code = ("sum", "avg", "min", "max").index(function)
    _REDUCE[reals](bits.view(np.float64) if reals else bits, valid, offsets, code, result, known)
    real_result = reals or function == "avg"
    return pa.array(result.view(np.float64) if real_result else result, mask=~known)


@kernel
def _reduce_whole(values, valid, offsets, code, result, known):
    """Sum, mean, least or greatest of each list of int64; a sum that leaves int64 is null."""
    reals = result.view(np.float64)
    for m in range(offsets.size - 1):
        total = np.int64(0)
        count = 0
        fits = True
        for k in range(offsets[m], offsets[m + 1]):
            if valid[k] == 0:
                continue
            count += 1
            if code <= 1:
                fits = fits and sum_fits(total, values[k])
                total += values[k]
            elif count == 1 or (values[k] < total if code == 2 else values[k] > total):
                total = values[k]
        known[m] = count > 0 and fits
        if code == 1 and count > 0:
            reals[m] = float(total) / count
        else:
            result[m] = total


@kernel
def _reduce_real(values, valid, offsets, code, result, known):
    """Sum, mean, least or greatest of each list of float64, from left to right; NaN stays."""
    reals = result.view(np.float64)
    for m in range(offsets.size - 1):
        total = 0.0
        count = 0
        for k in range(offsets[m], offsets[m + 1]):
            if valid[k] == 0:
                continue
            count += 1
            if code <= 1:
                total += values[k]
            elif count == 1 or np.isnan(values[k]) or (values[k] < total if code == 2 else values[k] > total):
                total = values[k]
        known[m] = count > 0
        reals[m] = total / count if code == 1 and count > 0 else total


_REDUCE: dict[bool, Callable[..., None]] = {False: _reduce_whole, True: _reduce_real}


def match_table(plan: QueryPlan, bindings: Bindings, store: EventStore) -> pa.Table:
    """The rows of matches in `plan.output_schema`."""
    arrays = match_columns(plan, bindings, store)
    arrays.append(match_ids(plan.identity, bindings.hashes))
    return pa.Table.from_arrays(arrays, schema=plan.output_schema)


def match_columns(plan: QueryPlan, bindings: Bindings, store: EventStore) -> list[pa.Array]:
    """The same without the ids."""
    rows = MatchRows(plan, bindings, store)
    return [_output(column, rows) for column in plan.output or ()]


def _output(column: OutputColumn, rows: MatchRows) -> pa.Array:
    if column.expression is None:
        assert column.variable is not None
        return _structs(column, rows)
    node = column.expression
    if isinstance(node, ex.Aggregate) and node.function == "collect":
        return _collected(node, column.type, rows)
    if bare_column(node, rows.plan.schema) is not None:
        raw = rows.raw(node)
        if raw is not None:
            return raw
    return from_plain(evaluate(node, rows), column.type, rows.unit)


def from_plain(values: pa.Array, kind: pa.DataType, unit: str) -> pa.Array:
    """Plain numbers back as times, or as whatever the column is declared to be."""
    if values.type == kind:
        return values
    if pa.types.is_dictionary(kind):
        return from_plain(values, kind.value_type, unit).dictionary_encode().cast(kind)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        zone = kind.tz if pa.types.is_timestamp(kind) else None
        return values.cast(pa.timestamp(unit, zone)).cast(kind, safe=False)
    if pa.types.is_duration(kind):
        return values.cast(pa.duration(unit)).cast(kind, safe=False)
    if pa.types.is_time(kind):
        return values.cast(pa.time64("us")).cast(kind, safe=False)
    if pa.types.is_null(kind):
        return pa.nulls(len(values))
    return as_decimals(values, kind) if pa.types.is_decimal(kind) else values.cast(kind)


def _structs(column: OutputColumn, rows: MatchRows) -> pa.Array:
    variable = rows.variables[column.variable or ""]
    kleene = rows.plan.positions[variable].kleene
    struct = column.type.value_type if kleene else column.type
    chosen = rows.bindings.events[variable] if kleene else rows.bindings.at(variable, Index.ONLY)
    few = rows.store.structs(column.name, struct, chosen)
    if kleene:
        fields = [] if few is not None else [rows.elements(variable, field.name) for field in struct]
        values = few if few is not None else pa.StructArray.from_arrays(fields, fields=list(struct))
        return _listed(values, variable, column.type, rows)
    if few is not None:
        return few
    absent = chosen < 0
    fields = [rows.store.column(field.name, chosen) for field in struct]
    mask = pa.array(absent) if absent.any() else None
    return pa.StructArray.from_arrays(fields, fields=list(struct), mask=mask)


def _collected(node: ex.Aggregate, kind: pa.DataType, rows: MatchRows) -> pa.Array:
    assert node.argument is not None
    variable = rows.variables[node.variable]
    bare = bare_column(node.argument, rows.plan.schema)
    if bare is not None:
        values = field_of(rows.elements(variable, bare.name), bare.path)
    else:
        values = from_plain(evaluate(node.argument, rows.element_rows(variable)), kind.value_type, rows.unit)
    return _listed(values, variable, kind, rows, nulls=False)


def _listed(
    values: pa.Array, variable: int, kind: pa.DataType, rows: MatchRows, nulls: bool = True
) -> pa.Array:
    """Lists of values; null where the variable stands in an OR branch that was not taken."""
    offsets = rows.bindings.offsets[variable]
    if offsets[-1] > _OFFSETS_LIMIT:
        raise LimitError("the matches of one batch hold more than 2**31 events: push smaller batches")
    branches = rows.plan.positions[variable].branches
    absent = np.zeros(rows.length, np.bool_)
    for branch in branches if nulls else ():
        absent |= np.all([rows.bindings.lengths(p) == 0 for p in branch], axis=0)
    mask = pa.array(absent) if absent.any() else None
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values, type=kind, mask=mask)
