"""Time events as a plan knows them: when they are, and under which type they travel among the events."""

from dataclasses import dataclass
from datetime import time
from fractions import Fraction

import pyarrow as pa

from cepheid.errors import QueryCheckError, TimeUnitError
from cepheid.events import EventSchema
from cepheid.expressions import Expression
from cepheid.pattern import nodes as pt
from cepheid.pattern.literals import parse_time_of_day
from cepheid.plan.windows import tick_nanoseconds, ticks_of
from cepheid.time import UNIT_NANOSECONDS, Duration

Ticks = int | float
"""A length of time, or a moment, in the unit of the time column."""

TIME_EVENT = "\0"
"""What the types of time events begin with, and no type of a stream does."""


@dataclass(frozen=True, slots=True)
class TimeKind:
    """One kind of time events of a profile. What means the same is one kind, wherever it stands."""

    text: str  # as the user reads it
    type: str  # the type that they have among the events; no event of a stream has it


@dataclass(frozen=True, slots=True)
class DailyKind(TimeKind):
    """`AT '17:00'`: each day in a time zone."""

    clock: time
    zone: str
    tick: int  # how long a tick of the time column is, in nanoseconds


@dataclass(frozen=True, slots=True)
class PeriodicKind(TimeKind):
    """`EVERY 10 min`: the multiples of a period since 1970 UTC."""

    period: Fraction  # in ticks; whole, unless time is a float


@dataclass(frozen=True, slots=True)
class SilentKind(TimeKind):
    """`SILENCE OF Type v FOR 30 min`: for so long no event has qualified."""

    of: str | None  # the type that is silent; None: any
    length: Ticks
    known: str  # the length as it is known, whatever the unit of the time column
    conditions: tuple[Expression, ...]  # on v alone, which say what qualifies


def daily_kind(node: pt.At, zone: str, schema: EventSchema) -> DailyKind:
    """The time events of an AT."""
    clock, tick = parse_time_of_day(node.time_of_day), tick_nanoseconds(schema)
    assert clock is not None
    if tick is None:
        raise TimeUnitError(
            f"AT reads a clock, and the time column '{schema.time}' is a plain number",
            span=node.span,
            hint="say what it counts, as in time_unit='s'",
        )
    seconds = (clock.hour * 60 + clock.minute) * 60 + clock.second
    nanoseconds = seconds * UNIT_NANOSECONDS["s"] + clock.microsecond * 1000
    if not _is_real(schema) and (tick > UNIT_NANOSECONDS["min"] or nanoseconds % tick):
        raise _too_coarse(f"AT '{node.time_of_day}'", node, schema)
    text = f"AT '{node.time_of_day}' in {zone}"
    return DailyKind(text, f"{TIME_EVENT}AT {node.time_of_day}", clock, zone, tick)


def periodic_kind(node: pt.Every, schema: EventSchema) -> PeriodicKind:
    """The time events of an EVERY."""
    exact = _exact(node.period, node, f"EVERY {node.period}", schema)
    return PeriodicKind(f"EVERY {node.period}", f"{TIME_EVENT}EVERY {_known(exact, schema)}", exact)


def silent_kind(
    node: pt.Silence, of: str | None, own: tuple[Expression, ...], schema: EventSchema
) -> SilentKind:
    """The time events of a SILENCE; `own` are the conjuncts on its variable alone."""
    name = f"SILENCE OF {node.type or 'ANY'} FOR {node.duration}"
    exact = _exact(node.duration, node, name, schema)
    length: Ticks = float(exact) if _is_real(schema) else int(exact)
    known = _known(exact, schema)
    return SilentKind(name, silent_type(of, known, node.variable, own), of, length, known, own)


def silent_type(of: str | None, length: str, variable: str, own: tuple[Expression, ...]) -> str:
    """The type of a silence: by what is silent for how long, whatever the variable is called."""
    asked = sorted(repr(each).replace(f"variable={variable!r}", "variable=it") for each in own)
    return f"{TIME_EVENT}SILENCE {of} {length} {asked}"


def _exact(length: Duration, node: pt.Pattern, name: str, schema: EventSchema) -> Fraction:
    exact = ticks_of(length, schema)
    if not _is_real(schema) and exact.denominator != 1:
        raise _too_coarse(name, node, schema)
    return exact


def _known(exact: Fraction, schema: EventSchema) -> str:
    """A length by which all spellings of it are known, whatever the unit of the time column."""
    tick = tick_nanoseconds(schema)
    return str(exact) if tick is None else f"{exact * tick} ns"


def _is_real(schema: EventSchema) -> bool:
    return bool(pa.types.is_floating(schema.type_of(schema.time)))


def _too_coarse(name: str, node: pt.Pattern, schema: EventSchema) -> QueryCheckError:
    kind = schema.time_unit or schema.type_of(schema.time)
    return QueryCheckError(
        f"{name} falls between two times that the column '{schema.time}' ({kind}) can hold",
        span=node.span,
        hint="use whole units of the time column, or a finer time column",
    )


def exact_length(length: Duration, schema: EventSchema) -> Fraction | Ticks:
    """A duration in ticks: an int if it is one, a float if time is, else exact."""
    exact = ticks_of(length, schema)
    if _is_real(schema):
        return float(exact)
    return int(exact) if exact.denominator == 1 else exact
