"""Which columns are the time and the type, where the person did not say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.cli.refuse import misuse
from cepheid.cli.say import say
from cepheid.errors import BindingError
from cepheid.time import UNIT_NANOSECONDS, parse_unit

USUAL_TIMES = ("time", "ts")
USUAL_TYPE = "type"


@dataclass(frozen=True, slots=True)
class Binding:
    """What was said about the columns."""

    time: str | None = None
    type: str | None = None
    order: tuple[str, ...] = ()
    time_unit: str | None = None

    def filled(self, schema: pa.Schema) -> dict[str, Any]:
        """The arguments of a run, with what was not said chosen from the schema, and told."""
        columns = self.chosen(schema)
        self.say_chosen(columns)
        return columns

    def chosen(self, schema: pa.Schema) -> dict[str, Any]:
        """The arguments of a run, with what was not said chosen from the schema."""
        if self.time_unit is not None and parse_unit(self.time_unit) is None:
            misuse(f"--time-unit is one of {' '.join(UNIT_NANOSECONDS)}, not '{self.time_unit}'")
        time, kind = choose_time(schema, self.time), choose_type(schema, self.type)
        return {"time": time, "type": kind, "order": list(self.order), "time_unit": self.time_unit}

    def is_there(self, schema: pa.Schema) -> bool:
        """Whether the schema has the columns that were named, and one that can be the time."""
        named = {name for name in (self.time, self.type, *self.order) if name is not None}
        try:
            return named | {choose_time(schema, self.time)} <= set(schema.names)
        except BindingError:
            return False

    def say_chosen(self, columns: Mapping[str, Any]) -> None:
        """Tell which columns were chosen."""
        chosen = [f"time column {columns['time']}"] if self.time is None else []
        kind = columns["type"]
        chosen += [f"type column {kind}"] if self.type is None and kind is not None else []
        if chosen:
            say(f"using {', '.join(chosen)}")


def choose_time(schema: pa.Schema, given: str | None) -> str:
    """The time column: the given one, a usual name, or the only date or timestamp."""
    name = given or _usual_time(schema)
    if name in schema.names and pa.types.is_null(schema.field(name).type):
        raise BindingError(f"the time column '{name}' is empty in every row: are there any events?")
    return name


def _usual_time(schema: pa.Schema) -> str:
    for name in USUAL_TIMES:
        if name in schema.names:
            return name
    clocks = [field.name for field in schema if _is_clock(field.type)]
    if len(clocks) == 1:
        return str(clocks[0])
    raise BindingError(_which_time(schema, clocks))


def choose_type(schema: pa.Schema, given: str | None) -> str | None:
    """The type column: the given one, or `type` where there is one."""
    if given is not None:
        return given
    return USUAL_TYPE if USUAL_TYPE in schema.names else None


def _which_time(schema: pa.Schema, clocks: list[str]) -> str:
    candidates = clocks or [field.name for field in schema if _is_number(field.type)]
    if not candidates:
        return "no column is a time: one should be an integer, a float, a date or a timestamp"
    return f"which column is the time? say --time {' or --time '.join(candidates)}"


def _is_clock(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
