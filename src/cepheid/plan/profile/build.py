"""From a profile and its stream to a plan: the plan of its query, and what is asked of its matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError, TimeUnitError
from cepheid.events import EventSchema
from cepheid.expressions import Index, Scope, variables
from cepheid.pattern.check import check_against
from cepheid.pattern.nodes import Absent, Within, atoms, walk
from cepheid.pattern.profile import ProfileTerms, without_selection
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.plan.choose import plan_for
from cepheid.plan.engine import QueryEngine
from cepheid.plan.engines import ENGINES
from cepheid.plan.header import digest
from cepheid.plan.output import OutputColumn, output_schema
from cepheid.plan.plan import EngineChoice, QueryPlan
from cepheid.plan.precedence import Neighbourhood, neighbourhoods
from cepheid.plan.profile.engine import PROFILE
from cepheid.plan.profile.kinds import SilentKind, exact_length
from cepheid.plan.profile.parts import InnerQuery, inner_query, unused_column
from cepheid.plan.profile.plan import Chosen, Closing, OpenAbsence, ProfilePlan
from cepheid.time import Duration, Window

HIDDEN = ("place", "partition", "rank")
"""What an event has besides: its place in the stream, its partition, and 0 or the number of its kind
of time events."""


def plan_profile(
    query: PatternQuery,
    terms: ProfileTerms,
    schema: EventSchema,
    engine: str = "auto",
    options: Mapping[str, Any] = {},
    engines: Sequence[QueryEngine] = ENGINES,
) -> ProfilePlan:
    """How a profile is run over a stream."""
    check_against(query, schema)
    _check_period(terms, schema)
    inside = inner_query(query, terms, schema)
    found = plan_for(inside.query, inside.schema, engine, options, engines)
    hidden = tuple(pa.field(unused_column(name, inside.schema.columns.names), pa.int64()) for name in HIDDEN)
    shown = tuple(_without_types(column, schema) for column in found.output or ())
    known = digest(render(replace(query, pattern=without_selection(query.pattern))))
    inner = _watched(replace(found, output=shown, identity=known), hidden)
    text, binding = render(query), (schema.time, schema.type, schema.order, schema.time_unit)
    around = neighbourhoods(found.query.pattern)
    return found.become(
        ProfilePlan,
        engine=PROFILE,
        schema=schema,
        needed=_needed(found, inside, schema),
        output_schema=output_schema(shown),
        identity=known,
        fingerprint=digest(text, repr(terms), str(schema.columns), repr(binding)),
        choice=_choice(found),
        original=query,
        query=replace(found.query, conjuncts=_of_the_user(found, inside)),
        output=shown,
        method="beside",
        terms=terms,
        inner=inner,
        kinds=inside.kinds,
        needs_every_tick=inside.needs_every_tick,
        chosen=tuple(_chosen(found, terms, around)),
        absences=tuple(_open_absences(found, around, schema)),
        period=exact_length(terms.once, schema) if isinstance(terms.once, Duration) else None,
        asked=(engine, tuple(options.items())),
        hidden=tuple(field.name for field in hidden),
    )


def _check_period(terms: ProfileTerms, schema: EventSchema) -> None:
    if not isinstance(terms.once, Duration):
        return
    if terms.once.unit is None and not schema.has_numeric_time:
        raise TimeUnitError(
            f"once= is {terms.once} without a unit, and the time column '{schema.time}' is a time",
            hint=f"write once='{terms.once} min'",
        )
    try:
        exact_length(terms.once, schema)
    except QueryCheckError:
        raise TimeUnitError(
            f"once= is {terms.once}, and the time column '{schema.time}' is a plain number",
            hint="say what it counts, as in time_unit='s', or give a bare number",
        ) from None


def _choice(found: QueryPlan) -> EngineChoice:
    reason = f"its matches are found by the {found.engine.name} engine ({found.choice.reason}), and then told"
    return EngineChoice(reason, found.choice.cost, found.choice.others)


def _of_the_user(found: QueryPlan, inside: InnerQuery) -> tuple[ex.Expression, ...]:
    """The conjuncts over columns that the stream has, with those that say what is silent."""
    own = (each for each in found.query.conjuncts if each not in inside.told_apart)
    return (*own, *(each for kind in _silent(inside) for each in kind.conditions))


def _silent(inside: InnerQuery) -> list[SilentKind]:
    return [kind for kind in inside.kinds if isinstance(kind, SilentKind)]


# ---------------------------------------------------------------- columns


def _needed(found: QueryPlan, inside: InnerQuery, schema: EventSchema) -> tuple[str, ...]:
    """The stream's columns that the inner engine reads, or that say what is silent."""
    read = (node for kind in _silent(inside) for each in kind.conditions for node in ex.walk(each))
    names = {schema.column_of(node.name) for node in read if isinstance(node, ex.Attribute)}
    names |= {*found.needed, schema.type}
    return tuple(name for name in schema.columns.names if name in names)


def _without_types(column: OutputColumn, schema: EventSchema) -> OutputColumn:
    """An event without the column of types that only the inner engine sees."""
    if column.variable is None:
        return column
    kind = column.type
    struct = kind.value_type if pa.types.is_list(kind) else kind
    own = pa.struct([field for field in struct if field.name in schema.columns.names])
    return replace(column, type=pa.list_(own) if pa.types.is_list(kind) else own)


def _watched(plan: QueryPlan, hidden: Sequence[pa.Field]) -> QueryPlan:
    """The plan that also returns, for each variable, time, place, partition and rank of its events."""
    schema = plan.schema
    for field in hidden:
        schema = replace(schema, columns=schema.columns.append(field))
    time = schema.columns.field(schema.time)
    output = [*(plan.output or ())]
    for position in plan.positions:
        for field in (time, *hidden):
            one: ex.Expression = ex.Attribute(position.variable, Index.ONLY, field.name)
            if position.kleene:
                one = ex.Aggregate("collect", position.variable, Scope.WHOLE, ex.Element(field.name))
            kind = pa.list_(field.type) if position.kleene else field.type
            output.append(OutputColumn(field.name, one, None, kind))
    return replace(
        plan,
        schema=schema,
        needed=(*plan.needed, *(field.name for field in hidden)),
        output=tuple(output),
        output_schema=output_schema(tuple(output)),
    )


# ---------------------------------------------------------------- select


def _chosen(found: QueryPlan, terms: ProfileTerms, around: Mapping[str, Neighbourhood]) -> Iterator[Chosen]:
    places = {position.variable: number for number, position in enumerate(found.positions)}
    for variable, choice in terms.select:
        own = [c for c in found.query.conjuncts if _last_named(c, places) == places[variable]]
        alone = tuple(c for c in own if variables(c) == {variable})
        yield Chosen(
            variable,
            places[variable],
            found.positions[places[variable]].type,
            choice,
            around[variable].before,
            around[variable].after,
            alone,
            tuple(c for c in own if c not in alone),
        )


def _last_named(conjunct: ex.Expression, places: Mapping[str, int]) -> int:
    """The last position that a conjunct names in the text; -1 if it names a negated variable, or none."""
    named = variables(conjunct)
    return max((places[v] for v in named), default=-1) if named <= places.keys() else -1


# ---------------------------------------------------------------- completion


def _open_absences(
    found: QueryPlan, around: Mapping[str, Neighbourhood], schema: EventSchema
) -> Iterator[OpenAbsence]:
    query = found.query
    inner = [node.window for node in walk(query.pattern) if isinstance(node, Within)]
    everything = frozenset(range(len(found.positions)))
    for atom in atoms(query.pattern):
        if not isinstance(atom, Absent) or around[atom.variable].followed:
            continue
        here = around[atom.variable]
        windows = [] if query.window is None else [_closing(query.window, everything, schema)]
        windows += [
            _closing(inner[number], frozenset(found.inner_windows[number].members), schema)
            for number in here.windows
        ]
        yield OpenAbsence(here.after, here.branches, tuple(windows))


def _closing(window: Window, members: frozenset[int], schema: EventSchema) -> Closing:
    if isinstance(window.length, int):
        return Closing(members, window.length, True, False)
    return Closing(members, exact_length(window.length, schema), False, window.half_open)
