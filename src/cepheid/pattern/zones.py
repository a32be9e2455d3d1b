"""Time zones: which one a time of a query is in, and which moment a time on the clocks of a zone is."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.functions import MATCH_FUNCTIONS
from cepheid.pattern.types import ValueType, column_type, type_of, value_type

_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
_LEAST = timedelta(microseconds=1)


@cache
def known_zone(name: str) -> tzinfo | None:
    """The zone of a name such as Europe/Berlin, or of an offset such as +05:30; None if there is none."""
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        sign, hours, minutes = offset.groups()
        length = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-length if sign == "-" else length) if length < timedelta(days=1) else None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def zone_of(node: ex.Expression, schema: EventSchema) -> str | None:
    """The zone of an expression that is a timestamp: that of the first column in it which has one."""
    if isinstance(node, ex.Attribute | ex.Element):
        return _zone_of_type(column_type(node, schema))
    if isinstance(node, ex.Call) and node.function in MATCH_FUNCTIONS:
        return _zone_of_type(schema.type_of(schema.time))
    return common_zone(times_in(node, schema), schema)


def times_in(node: ex.Expression, schema: EventSchema) -> list[ex.Expression]:
    """The direct sub-expressions that are timestamps."""
    return [below for below in ex.children(node) if _is_time(below, schema)]


def _is_time(node: ex.Expression, schema: EventSchema) -> bool:
    """A column may be of a type that expressions cannot use: `collect` only passes it on."""
    if isinstance(node, ex.Attribute | ex.Element):
        return value_type(column_type(node, schema)) is ValueType.TIMESTAMP
    return type_of(node, schema) is ValueType.TIMESTAMP


def common_zone(times: list[ex.Expression], schema: EventSchema) -> str | None:
    """The first zone that one of some timestamps has."""
    return next(filter(None, (zone_of(time, schema) for time in times)), None)


def _zone_of_type(kind: pa.DataType) -> str | None:
    return kind.tz if pa.types.is_timestamp(kind) else None


def moment_of(local: datetime, zone: tzinfo) -> datetime:
    """The moment at which the clocks of a zone show a time: the first, where they show it twice; where they
    jump over it, the moment at which they jump."""
    before, after = (_offset(local.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    if before >= after:
        return local.replace(tzinfo=timezone(before))
    early, late = local - after, local - before  # of UTC; the jump is after the one, and not after the other
    while late - early > _LEAST:
        middle = early + (late - early) // 2
        is_before = _offset(middle.replace(tzinfo=UTC).astimezone(zone)) == before
        early, late = (middle, late) if is_before else (early, middle)
    return (late + after).replace(tzinfo=timezone(after))


def _offset(moment: datetime) -> timedelta:
    offset = moment.utcoffset()
    assert offset is not None
    return offset
