"""Times in their zones, settled before data moves: what literals without a zone mean, and in which zone
a time is taken apart."""

from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.pattern.fold import with_children
from cepheid.pattern.functions import CALENDAR
from cepheid.pattern.zones import common_zone, known_zone, moment_of, times_in


def in_zones(node: ex.Expression, schema: EventSchema, given: str | None = None) -> ex.Expression:
    """The same expression, with its zones settled; `given` is the zone of the times beside a timestamp.

    A literal without a zone is in the zone of the times that it meets; one that meets none stays as it is,
    and stands for the same time of UTC. A calendar function knows the zone of what it takes apart.
    """
    if isinstance(node, ex.Literal):
        return _moment(node, given)
    times = times_in(node, schema)
    zone = common_zone(times, schema) or given
    below = [
        in_zones(part, schema, zone if any(part is time for time in times) else None)
        for part in ex.children(node)
    ]
    if isinstance(node, ex.Call) and node.function in CALENDAR:
        if zone is None:
            below = [_as_written(part) for part in below]
        else:
            node = replace(node, zone=None if _is_utc(_zone(zone, node)) else zone)
    return with_children(node, below)


def _moment(literal: ex.Literal, zone: str | None) -> ex.Literal:
    value = literal.value
    if zone is None or not isinstance(value, datetime) or value.tzinfo is not None:
        return literal
    return replace(literal, value=moment_of(value, _zone(zone, literal)))


def _as_written(node: ex.Expression) -> ex.Expression:
    """Literals as the clocks beside their own offset show them."""
    if isinstance(node, ex.Literal) and isinstance(node.value, datetime):
        return replace(node, value=node.value.replace(tzinfo=None))
    return with_children(node, [_as_written(below) for below in ex.children(node)])


def _zone(name: str, node: ex.Expression) -> tzinfo:
    zone = known_zone(name)
    if zone is None:
        raise QueryCheckError(
            f"the time zone '{name}' is not known here",
            span=node.span,
            hint="name one of the IANA database, such as Europe/Berlin; `pip install tzdata` brings it",
        )
    return zone


def _is_utc(zone: tzinfo) -> bool:
    """Whether the clocks of a zone always show UTC."""
    return zone.utcoffset(None) == timedelta(0)  # None where they ever change
