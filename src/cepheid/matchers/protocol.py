"""What every engine is to the runners that feed it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.snapshot import Snapshot

Outputs = tuple[pa.Table, ...]
"""A table for each output of a plan: one for a query, one for each query of a workload."""


def joined_tables(tables: Sequence[pa.Table], schema: pa.Schema) -> pa.Table:
    """The rows of all tables in one; of none, an empty one."""
    return pa.concat_tables(tables) if tables else pa.Table.from_batches([], schema)


class Matcher(Protocol):
    """Finds the matches of one plan in one ordered stream of events."""

    engine: str  # its name, as in q.using(…)

    def process(self, batch: EventBatch) -> Outputs:
        """What became certain: a table for each of `plan.output_schemas`."""

    def snapshot(self) -> Snapshot:
        """Everything needed to go on elsewhere."""

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""

    @property
    def state_bytes(self) -> int:
        """How much the matcher holds now."""

    @property
    def peak_state_bytes(self) -> int:
        """The most it has held."""

    @property
    def figures(self) -> Mapping[str, int | str]:
        """What else is worth knowing of its work."""


@runtime_checkable
class Beginning(Protocol):
    """A matcher for which something begins with time itself, before any event."""

    def begin(self, start: int | float) -> None:
        """Time has come to here."""


class Ahead(NamedTuple):
    """What is to come: the times of the first and the newest event, if there are any, and the watermark."""

    first: int | float | None
    newest: int | float | None
    watermark: int | float


@runtime_checkable
class Foreseeing(Protocol):
    """A matcher that may have rows for time alone, and can tell from times how many."""

    @property
    def has_periods(self) -> bool:
        """Whether it has such rows."""

    def foresee(self, ahead: Ahead, events: int, *, exactly: bool = True) -> bool:
        """Refuse rows of which there are surely too many, before anything is done; whether others, which
        cannot be counted yet, may be too many. `exactly` is whether just these events come to the matcher."""
