"""Results as tables of other libraries."""

from typing import Any, Protocol

import pyarrow as pa

from cepheid.errors import MissingExtraError


class HasTable(Protocol):
    """Whatever has a table of Arrow."""

    @property
    def table(self) -> pa.Table:
        """Its rows."""


class Tabular:
    """What everything with a `table` can do."""

    __slots__ = ()

    def to_pandas(self: HasTable) -> Any:
        """The rows as a pandas data frame."""
        try:
            return self.table.to_pandas()
        except ImportError:
            raise MissingExtraError("to_pandas()", "pandas") from None

    def to_polars(self: HasTable) -> Any:
        """The rows as a Polars data frame."""
        try:
            import polars
        except ImportError:
            raise MissingExtraError("to_polars()", "polars") from None
        return polars.from_arrow(self.table)

    def __arrow_c_stream__(self: HasTable, requested_schema: object = None) -> object:
        """The rows for any library that takes Arrow: Polars, DuckDB, pandas, …"""
        return self.table.__arrow_c_stream__(requested_schema)
