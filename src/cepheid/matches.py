"""What a run gives back."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cepheid.errors import MissingExtraError
from cepheid.views.notebook import table_html


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of a query, what was not used of the events, and figures about the run."""

    table: pa.Table
    late: pa.Table
    bad: pa.Table
    stats: dict[str, Any]

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.table.to_batches(max_chunksize=1024):
            yield from batch.to_pylist()

    def to_pandas(self) -> Any:
        """The matches as a pandas data frame."""
        try:
            return self.table.to_pandas()
        except ImportError:
            raise MissingExtraError("to_pandas()", "pandas") from None

    def to_polars(self) -> Any:
        """The matches as a Polars data frame."""
        try:
            import polars
        except ImportError:
            raise MissingExtraError("to_polars()", "polars") from None
        return polars.from_arrow(self.table)

    def _repr_html_(self) -> str:
        return table_html(self.table)

    def __repr__(self) -> str:
        used = f" in {self.stats['events']:,} events" if "events" in self.stats else ""
        side = "".join(f", {self.stats[what]:,} {what}" for what in ("late", "bad") if self.stats.get(what))
        return f"<{len(self):,} matches{used}{side}>"
