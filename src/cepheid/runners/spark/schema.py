"""The columns of Spark as columns of Arrow, and back; nothing is lost on the way that Spark can hold."""

from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as st

from cepheid.errors import BindingError
from cepheid.runners.spark.zone import session_zone
from cepheid.runners.stream.storable import storable_schema

_TO_ARROW: dict[type[st.DataType], pa.DataType] = {
    st.NullType: pa.null(),
    st.BooleanType: pa.bool_(),
    st.ByteType: pa.int8(),
    st.ShortType: pa.int16(),
    st.IntegerType: pa.int32(),
    st.LongType: pa.int64(),
    st.FloatType: pa.float32(),
    st.DoubleType: pa.float64(),
    st.StringType: pa.string(),
    st.CharType: pa.string(),
    st.VarcharType: pa.string(),
    st.BinaryType: pa.binary(),
    st.DateType: pa.date32(),
    st.TimestampNTZType: pa.timestamp("us"),
    st.DayTimeIntervalType: pa.duration("us"),
}

_TO_SPARK: tuple[tuple[Callable[[pa.DataType], bool], st.DataType], ...] = (
    (pa.types.is_null, st.NullType()),
    (pa.types.is_boolean, st.BooleanType()),
    (pa.types.is_int8, st.ByteType()),
    (lambda kind: pa.types.is_int16(kind) or pa.types.is_uint8(kind), st.ShortType()),
    (lambda kind: pa.types.is_int32(kind) or pa.types.is_uint16(kind), st.IntegerType()),
    (lambda kind: pa.types.is_int64(kind) or pa.types.is_uint32(kind), st.LongType()),
    (pa.types.is_uint64, st.DecimalType(20, 0)),
    (lambda kind: pa.types.is_float16(kind) or pa.types.is_float32(kind), st.FloatType()),
    (pa.types.is_float64, st.DoubleType()),
    (lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind), st.StringType()),
    (lambda kind: pa.types.is_binary(kind) or pa.types.is_large_binary(kind), st.BinaryType()),
    (pa.types.is_fixed_size_binary, st.BinaryType()),
    (pa.types.is_date, st.DateType()),
    (pa.types.is_duration, st.DayTimeIntervalType()),
)

TimeType: type[st.DataType] | None = getattr(st, "TimeType", None)  # since Spark 4.1


def arrow_schema(columns: st.StructType, zone: str = "UTC") -> pa.Schema:
    """The columns of a DataFrame as its workers see them; TIMESTAMP is an instant, shown in the zone."""
    return storable_schema(
        pa.schema([(field.name, _arrow_type(field.dataType, field, zone)) for field in columns])
    )


def zoned_schema(df: DataFrame) -> pa.Schema:
    """The same, in the zone of the DataFrame's session."""
    return arrow_schema(df.schema, session_zone(df.sparkSession))


def _arrow_type(kind: st.DataType, field: st.StructField, zone: str = "UTC") -> pa.DataType:
    if isinstance(kind, st.TimestampType):
        return pa.timestamp("us", zone)
    if isinstance(kind, st.DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, st.ArrayType):
        return pa.list_(_arrow_type(kind.elementType, field, zone))
    if isinstance(kind, st.MapType):
        return pa.map_(_arrow_type(kind.keyType, field, zone), _arrow_type(kind.valueType, field, zone))
    if isinstance(kind, st.StructType):
        return pa.struct([(part.name, _arrow_type(part.dataType, field, zone)) for part in kind])
    if TimeType is not None and isinstance(kind, TimeType):
        return pa.time64("ns")
    for known, arrow in _TO_ARROW.items():
        if isinstance(kind, known):
            return arrow
    raise BindingError(
        f"the column '{field.name}' is {kind.simpleString()}, which Arrow cannot hold: drop or cast it first"
    )


def spark_schema(columns: pa.Schema) -> st.StructType:
    """The columns of a table of matches as those of a DataFrame."""
    return st.StructType([st.StructField(field.name, _spark_type(field.type, field)) for field in columns])


def _spark_type(kind: pa.DataType, field: pa.Field) -> st.DataType:
    if pa.types.is_dictionary(kind):
        return _spark_type(kind.value_type, field)
    if pa.types.is_decimal(kind) and kind.precision <= 38:
        return st.DecimalType(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return st.TimestampNTZType() if kind.tz is None else st.TimestampType()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return st.ArrayType(_spark_type(kind.value_type, field))
    if pa.types.is_map(kind):
        return st.MapType(_spark_type(kind.key_type, field), _spark_type(kind.item_type, field))
    if pa.types.is_struct(kind):
        return st.StructType([st.StructField(part.name, _spark_type(part.type, field)) for part in kind])
    if pa.types.is_time(kind) and TimeType is not None:
        return TimeType()
    for is_kind, spark in _TO_SPARK:
        if is_kind(kind):
            return spark
    raise BindingError(f"the column '{field.name}' is {kind}, which Spark cannot hold: leave it out")


def row_schema(columns: pa.Schema) -> pa.Schema:
    """The Arrow columns in which Spark takes rows of these; the same but for widths and units."""
    return pa.schema(
        [(field.name, _arrow_type(field.dataType, field)) for field in spark_schema(columns)],
    )


def as_events(batch: pa.RecordBatch, columns: pa.Schema) -> pa.RecordBatch:
    """What a worker was given, as the columns that a plan expects."""
    if batch.schema.equals(columns):
        return batch
    arrays = [_cast(batch.column(field.name), field.type) for field in columns]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def as_rows(table: pa.Table, rows: pa.Schema) -> list[pa.RecordBatch]:
    """Matches as what Spark takes from a worker."""
    if not table.schema.equals(rows):
        arrays = [_cast(table.column(field.name), field.type) for field in rows]
        table = pa.Table.from_arrays(arrays, schema=rows)
    return [batch for batch in table.to_batches() if batch.num_rows]


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if column.type == kind:
        return column
    return column.cast(kind, safe=False) if pa.types.is_timestamp(kind) else column.cast(kind)
