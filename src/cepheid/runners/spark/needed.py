"""What a match cannot do without: an event of a type, with the texts that conditions ask for.

Whether such events come is seen as they pass, ahead of the shuffle. The filter has dropped all others by
then, so it is not known what else there is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from cepheid.pattern.literals import nearest
from cepheid.pattern.render import render_expression
from cepheid.plan.plan import Plan
from cepheid.plan.program import EventTest
from cepheid.plan.workload.plan import WorkloadPlan
from cepheid.runners.spark.ticks import quoted
from cepheid.runners.stream.asked_values import AskedValues, SeenValues, asked_values
from cepheid.runners.stream.passed import required_of_events

MOST = 60  # that are looked for: each is one bit of an integer
TOLD = 5  # that are named at a time
IN_SQL = "SELECT {names}, count(*) FROM … GROUP BY {names}"
"""How users of SQL list the kinds of events that there are."""

_DROPPED = "events that cannot matter were dropped unseen: {listing} lists all kinds"


@dataclass(frozen=True, slots=True)
class Needed:
    """One kind of event that a match needs."""

    values: tuple[AskedValues, ...]  # it has one of the texts of each
    text: str  # in words


def needed_of(plan: Plan, opaque: Iterable[str] = ()) -> tuple[Needed, ...]:
    """What the matches of a plan need. Spark compares texts in `opaque` columns in other ways than we do."""
    comparable = set(plan.needed).difference(opaque)
    found: dict[Needed, None] = {}
    for number, asked in required_of_events(plan):
        query = plan.query_plans[number]
        values = tuple(asked_values(asked.test, query.schema))
        if values and comparable.issuperset(each.column for each in values):
            name = f"query '{plan.names[number]}': " if isinstance(plan, WorkloadPlan) else ""
            found[Needed(values, f"{name}{_in_words(asked.test, query.query.keys)}")] = None
    return tuple(found)[:MOST]


def _in_words(test: EventTest, keys: Sequence[str]) -> str:
    """That no event is what is asked for. The filter tests all of it, so none of it may be left out."""
    first = [] if test.type is None else [f"type '{test.type}'"]
    asked = " and ".join([*first, *map(render_expression, test.conditions)])
    return f"no event{' with ' if keys else ''}{' and '.join(keys)} has {asked}"


def seen_by_spark(needed: Sequence[Needed]) -> Column:
    """A bit for each that came, over the rows of a DataFrame."""
    bits = [
        F.when(reduce(Column.__and__, map(_has_one, each.values)), F.lit(1 << number)).otherwise(0)
        for number, each in enumerate(needed)
    ]
    return F.bit_or(reduce(Column.bitwiseOR, bits, F.lit(0)))


def _has_one(asked: AskedValues) -> Column:
    return F.col(quoted(asked.column)).isin(*asked.values)


def seen_in(needed: Sequence[Needed], events: pa.Table) -> int:
    """A bit for each that may have come, in events of Arrow: its texts are there, in whichever rows."""
    seen = SeenValues(events)
    bits = (1 << number for number, each in enumerate(needed) if all(map(seen.has_any, each.values)))
    return sum(bits)


def in_python(frame: str) -> str:
    """How users list the kinds of events that there are, in what they call `frame`."""
    return f"{frame}.groupBy({{columns}}).count().show()"


def unseen_text(needed: Sequence[Needed], seen: int, listing: str) -> str | None:
    """What never came, in words, and how to list what there is; None if all of it did."""
    came = [each for number, each in enumerate(needed) if seen >> number & 1]
    missing = [each for number, each in enumerate(needed) if not seen >> number & 1]
    if not missing:
        return None
    known = {(values.column, value) for each in came for values in each.values for value in values.values}
    lines = [f"{each.text}{_near(each, known)}" for each in missing[:TOLD]]
    more = [f"… and {len(missing) - TOLD:,} more"] if len(missing) > TOLD else []
    columns = dict.fromkeys(values.column for each in missing for values in each.values)
    listed = listing.format(columns=", ".join(map(repr, columns)), names=", ".join(columns))
    return "\n".join([*lines, *more, _DROPPED.format(listing=listed)])


def _near(each: Needed, known: set[tuple[str, str]]) -> str:
    """A text of the same query that events have, if one is near."""
    hints = (
        nearest(value, sorted(text for column, text in known if column == values.column))
        for values in each.values
        for value in values.values
        if (values.column, value) not in known
    )
    hint = next(filter(None, hints), None)
    return f"; {hint}" if hint else ""
