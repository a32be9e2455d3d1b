"""From a checked query to the plan of the nfa engine."""

from __future__ import annotations

from dataclasses import replace

from cepheid.errors import QueryError, UnsupportedError
from cepheid.events import EventSchema
from cepheid.pattern.query import EmitMode, PatternQuery
from cepheid.plan.automaton.automaton import Automaton
from cepheid.plan.automaton.placement import Placement, fingerprints, needed_columns, placed
from cepheid.plan.automaton.structure import structure_of
from cepheid.plan.coerce import coerce
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.nfa.summaries import SUMMARIES, emitted_schema, matches_bits
from cepheid.plan.output import needed_attributes, output_columns
from cepheid.plan.program import Absence
from cepheid.plan.windows import window_test

BACKTRACKING = "backtracking"
SHARINGS = ("auto", "basic", "merging", BACKTRACKING)
"""How runs share: by `basic` only the buffer; by `merging` those that are alike become one; `auto`
merges where that is measured to help; `backtracking` follows one run at a time, to compare with."""


def refusal(query: PatternQuery) -> UnsupportedError | None:
    """Why the nfa engine cannot run a query, or None if it can."""
    if query.aggregation is not None:
        return UnsupportedError("AGG is for the aggregate engine", span=query.aggregation.span)
    try:
        structure_of(query.pattern, has_types=True)
    except UnsupportedError as error:
        return error
    return None


def plan_nfa(
    query: PatternQuery, original: PatternQuery, schema: EventSchema, sharing: str = "auto"
) -> NfaPlan:
    """The plan of a rewritten query; `original` is as the user wrote it, and names the matches."""
    if sharing not in SHARINGS:
        raise QueryError(
            f"runs cannot share by '{sharing}'", hint=f"sharing= is one of {', '.join(SHARINGS)}"
        )
    problem = refusal(query)
    if problem is not None:
        raise problem
    query, placement = placed(query, schema, extremes=True)
    if sharing == BACKTRACKING:
        _refuse_backtracking(query, placement)
    query = _with_coerced_returns(query, schema)
    columns = output_columns(query, schema, placement.unit)
    absences = placement.absences()
    names = needed_columns(query, schema) | needed_attributes(columns, schema)
    needed = tuple(name for name in schema.columns.names if name in names)
    automaton = placement.automaton()
    window = window_test(query.window, schema) if query.window is not None else None
    bits = matches_bits(automaton, absences, window) if query.emit.mode in SUMMARIES else 0
    identity, fingerprint = fingerprints(original, schema)
    return NfaPlan(
        query=query,
        schema=schema,
        unit=placement.unit,
        automaton=automaton,
        absences=absences,
        columns=tuple(placement.values.columns),
        slots=tuple(placement.values.slots),
        constants=tuple(placement.values.constants),
        remembered=tuple(placement.values.remembered),
        text_functions=tuple(placement.values.text_functions),
        window=window,
        inner_windows=tuple(window_test(w, schema, members) for w, members in placement.structure.windows),
        needed=needed,
        results=tuple(column.expression for column in columns if column.expression is not None),
        output=columns,
        output_schema=emitted_schema(query, original, schema, columns, needed, bits),
        identity=identity,
        fingerprint=fingerprint,
        sharing=sharing,
    )


def may_trail(absence: Absence, automaton: Automaton) -> bool:
    """Whether some match has no event after an absence that counts in it."""
    return any(
        last < absence.place and all(last in branch for branch in absence.branches) for last in automaton.last
    )


def _refuse_backtracking(query: PatternQuery, placement: Placement) -> None:
    """The baseline is for what the paper compares it on."""
    hint = "leave the choice of sharing= open"
    if query.emit.mode not in (EmitMode.ALL, EmitMode.NON_OVERLAPPING):
        what = f"EMIT {query.emit.mode.value}"
        raise UnsupportedError(f"backtracking does not run {what}", span=query.emit.span, hint=hint)
    automaton = placement.automaton()
    for absence, written in zip(placement.absences(), placement.structure.absences, strict=True):
        if may_trail(absence, automaton):
            raise UnsupportedError(
                f"backtracking does not run a pattern that may end in the absence of {absence.variable}",
                span=written.atom.span,
                hint=hint,
            )


def _with_coerced_returns(query: PatternQuery, schema: EventSchema) -> PatternQuery:
    if query.returns is None:
        return query
    items = (
        item if item.expression is None else replace(item, expression=coerce(item.expression, schema))
        for item in query.returns
    )
    return replace(query, returns=tuple(items))
