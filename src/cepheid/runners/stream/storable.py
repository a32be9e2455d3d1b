"""Column types that Arrow can hold but not compute with, as types that it can."""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.errors import BindingError


def storable_schema(schema: pa.Schema) -> pa.Schema:
    """The columns as the engines hold them: nullable, without metadata, of types that can be taken from."""
    return pa.schema([pa.field(column.name, storable_type(column.type)) for column in schema])


def storable_type(kind: pa.DataType) -> pa.DataType:
    """Views, runs, extensions and dictionaries of anything but text as what they stand for."""
    if isinstance(kind, pa.BaseExtensionType):
        return storable_type(kind.storage_type)
    if pa.types.is_dictionary(kind):
        value = storable_type(kind.value_type)
        is_text = pa.types.is_string(value) or pa.types.is_large_string(value)
        return pa.dictionary(pa.int32(), value) if is_text else value  # of room for the texts of all batches
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(part.name, storable_type(part.type)) for part in kind])
    for is_kind, replaced in _REPLACED:
        if is_kind(kind):
            return replaced(kind)
    return kind


_REPLACED: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.DataType], pa.DataType]], ...] = (
    (pa.types.is_string_view, lambda kind: pa.large_string()),
    (pa.types.is_binary_view, lambda kind: pa.large_binary()),
    (pa.types.is_run_end_encoded, lambda kind: storable_type(kind.value_type)),
    (pa.types.is_list, lambda kind: pa.list_(storable_type(kind.value_type))),
    (pa.types.is_large_list, lambda kind: pa.large_list(storable_type(kind.value_type))),
    (pa.types.is_fixed_size_list, lambda kind: pa.list_(storable_type(kind.value_type), kind.list_size)),
    (pa.types.is_map, lambda kind: pa.map_(storable_type(kind.key_type), storable_type(kind.item_type))),
)


def storable_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch with the types of its storable schema."""
    if batch.schema.equals(schema):
        return batch
    columns = [_storable(column, kind) for column, kind in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _storable(column: pa.Array, field: pa.Field) -> pa.Array:
    kind = column.type
    if kind == field.type:
        return column
    try:
        if isinstance(kind, pa.BaseExtensionType):
            return _storable(column.storage, field)
        if pa.types.is_run_end_encoded(kind):
            return _storable(pc.run_end_decode(column), field)
        if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(field.type):
            return _storable(column.dictionary_decode(), field)
        return column.cast(field.type)
    except pa.ArrowException as error:
        raise BindingError(
            f"the column '{field.name}' is {kind}, which does not convert to {field.type}: {error}"
        ) from None
