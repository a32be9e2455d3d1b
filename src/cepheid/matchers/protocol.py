"""What every engine is to the runners that feed it."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.snapshot import Snapshot


class Matcher(Protocol):
    """Finds the matches of one plan in one ordered stream of events."""

    def process(self, batch: EventBatch) -> pa.Table:
        """What became certain, in `plan.output_schema`."""

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
