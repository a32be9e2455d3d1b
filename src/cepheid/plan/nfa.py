"""From a checked query to the plan of the nfa engine."""

from __future__ import annotations

from dataclasses import replace

from cepheid.errors import UnsupportedError
from cepheid.events import EventSchema
from cepheid.pattern.query import EmitMode, PatternQuery
from cepheid.plan.coerce import coerce
from cepheid.plan.nodes import NfaPlan
from cepheid.plan.output import needed_attributes, output_columns, output_schema
from cepheid.plan.placement import fingerprints, needed_columns, placed
from cepheid.plan.structure import structure_of
from cepheid.plan.windows import window_test

_EMITTED = (EmitMode.ALL, EmitMode.NON_OVERLAPPING)


def refusal(query: PatternQuery) -> UnsupportedError | None:
    """Why the nfa engine cannot run a query, or None if it can."""
    if query.aggregation is not None:
        return UnsupportedError("AGG is for the aggregate engine", span=query.aggregation.span)
    if query.emit.mode not in _EMITTED:
        return UnsupportedError(
            f"EMIT {query.emit.mode.value} is not supported by any engine yet",
            span=query.emit.span,
            hint="EMIT ALL and EMIT NON OVERLAPPING are",
        )
    try:
        structure_of(query.pattern, has_types=True)
    except UnsupportedError as error:
        return error
    return None


def plan_nfa(query: PatternQuery, original: PatternQuery, schema: EventSchema) -> NfaPlan:
    """The plan of a rewritten query; `original` is as the user wrote it, and names the matches."""
    problem = refusal(query)
    if problem is not None:
        raise problem
    query, placement = placed(query, schema)
    query = _with_coerced_returns(query, schema)
    columns = output_columns(query, schema, placement.unit)
    absences = placement.absences()
    names = needed_columns(query, schema) | needed_attributes(columns, schema)
    identity, fingerprint = fingerprints(original, schema)
    return NfaPlan(
        query=query,
        schema=schema,
        unit=placement.unit,
        automaton=placement.automaton(),
        absences=absences,
        columns=tuple(placement.values.columns),
        slots=tuple(placement.values.slots),
        constants=tuple(placement.values.constants),
        remembered=tuple(placement.values.remembered),
        text_functions=tuple(placement.values.text_functions),
        window=window_test(query.window, schema) if query.window is not None else None,
        inner_windows=tuple(window_test(w, schema, members) for w, members in placement.structure.windows),
        needed=tuple(name for name in schema.columns.names if name in names),
        results=tuple(column.expression for column in columns if column.expression is not None),
        output=columns,
        output_schema=output_schema(columns),
        identity=identity,
        fingerprint=fingerprint,
    )


def _with_coerced_returns(query: PatternQuery, schema: EventSchema) -> PatternQuery:
    if query.returns is None:
        return query
    items = (
        item if item.expression is None else replace(item, expression=coerce(item.expression, schema))
        for item in query.returns
    )
    return replace(query, returns=tuple(items))
