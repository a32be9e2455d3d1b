"""Columns as one plain array: of their pieces, of their dictionaries."""

import pyarrow as pa


def join_arrays(arrays: list[pa.Array]) -> pa.Array:
    """One array; dictionaries are made one first."""
    if len(arrays) == 1:
        return arrays[0]
    if pa.types.is_dictionary(arrays[0].type):
        if any(array.dictionary.null_count for array in arrays):  # Arrow does not unify those
            arrays = [array.cast(array.type.value_type).cast(array.type) for array in arrays]
        chunked = pa.chunked_array(arrays).unify_dictionaries()
        return pa.concat_arrays(chunked.chunks)
    return pa.concat_arrays(arrays)


def decoded(values: pa.Array) -> pa.Array:
    """The values themselves, where a dictionary holds them."""
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
