"""Matches as one row an event, for grouping, joining and plotting with what people know."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.matchers.joining import join_arrays

MATCH, VARIABLE, POSITION, MATCH_ID = "match", "variable", "position", "match_id"


def long_table(table: pa.Table, variables: Mapping[str, str]) -> pa.Table:
    """The events of each match: number, variable, place in a Kleene variable, the event's columns.

    `variables` says which columns of the table are the events of which variable.
    """
    pieces = [_events(table.column(column), name) for column, name in variables.items()]
    joined = pa.concat_tables(pieces)
    order = np.repeat(np.arange(len(pieces)), [piece.num_rows for piece in pieces])
    match, place = np.asarray(joined.column(0)), np.asarray(joined.column(2))
    sorted_rows = joined.take(pa.array(np.lexsort((place, order, match))))
    if MATCH_ID not in table.column_names:
        return sorted_rows
    return sorted_rows.append_column(MATCH_ID, table.column(MATCH_ID).take(sorted_rows.column(0)))


def _events(column: pa.ChunkedArray, variable: str) -> pa.Table:
    """The events of one variable, with the number of their match and their place in it."""
    values = join_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if pa.types.is_struct(values.type):
        match = np.flatnonzero(np.asarray(values.is_valid()))
        place = np.ones(len(match), np.int64)
        events = values.take(pa.array(match))
    else:
        match = np.asarray(pc.list_parent_indices(values))
        lengths = np.asarray(pc.fill_null(pc.list_value_length(values), 0))
        place = np.arange(len(match)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
        events = pc.list_flatten(values)
    names = [field.name for field in events.type]
    return pa.Table.from_arrays(
        [
            pa.array(match, pa.int64()),
            pa.repeat(pa.scalar(variable, pa.string()), len(match)),
            pa.array(place, pa.int64()),
            *events.flatten(),
        ],
        names=[MATCH, VARIABLE, POSITION, *(free_name(name) for name in names)],
    )


def free_name(name: str) -> str:
    """A name for a column of events beside our own."""
    return f"event_{name}" if name in (MATCH, VARIABLE, POSITION, MATCH_ID) else name
