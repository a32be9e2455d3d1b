"""Columns of a data frame that Arrow cannot hold: left out, and missed only where they are asked for."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError, UnknownAttributeError
from cepheid.plan.plan import Plan

REFUSED = (pa.ArrowException, ValueError, TypeError, OverflowError)
"""What Arrow raises where it cannot hold a value."""

LeftOut = Mapping[str, str]
"""Why a column was left out, by its name."""


def without_misfits(frame: Any) -> tuple[pa.Table, LeftOut]:
    """A data frame of pandas as a table, without the columns that do not convert."""
    if not frame.columns.is_unique:
        raise ValueError("a column is there twice")
    left_out = {name: why for name in frame.columns if (why := _why_not(frame, name)) is not None}
    kept = frame.drop(columns=list(left_out))
    return pa.Table.from_pandas(kept, preserve_index=False), {
        str(name): why for name, why in left_out.items()
    }


def refuse_asked(left_out: LeftOut, names: Iterable[object]) -> None:
    """Refuse to go on without a column that is asked for."""
    for name in names:
        if isinstance(name, str) and name in left_out:
            raise BindingError(left_out[name])


@contextmanager
def naming_left_out(left_out: LeftOut) -> Iterator[None]:
    """A query that asks for a column which was left out is told why."""
    try:
        yield
    except UnknownAttributeError as error:
        refuse_asked(left_out, [error.attribute])
        raise


def warn_of_left_out(left_out: LeftOut, plan: Plan) -> None:
    """Where whole events are given back, say that they are not quite whole."""
    if left_out and set(plan.schema.columns.names) <= set(plan.needed):
        for why in left_out.values():
            warnings.warn(f"{why}; it is missing from the matches", stacklevel=3)


def _why_not(frame: Any, name: Any) -> str | None:
    try:
        pa.Array.from_pandas(frame[name])
    except REFUSED:
        column = repr(str(name))
        kinds = sorted({type(value).__name__ for value in frame[name].dropna()})
        return (
            f"the column {column} does not convert to Arrow, since it holds {' and '.join(kinds[:4])}: "
            f"make it one kind first, such as df[{column}] = df[{column}].astype(str), or drop it"
        )
    return None
