"""What every engine is to the runners that feed it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.snapshot import Snapshot


class Matcher(Protocol):
    """Finds the matches of one plan in one ordered stream of events."""

    engine: str  # its name, as in q.using(…)
    max_matches: int
    matches: int  # found so far; more than max_matches stop the matcher

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

    @property
    def max_state(self) -> int:
        """The most it may hold, in bytes."""

    @property
    def figures(self) -> Mapping[str, int | str]:
        """What else is worth knowing of its work."""
