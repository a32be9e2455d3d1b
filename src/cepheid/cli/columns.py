"""Which columns are the time and the type, where the person did not say."""

import pyarrow as pa

from cepheid.errors import BindingError

USUAL_TIMES = ("time", "ts")
USUAL_TYPE = "type"


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
