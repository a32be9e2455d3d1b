"""What a checkpoint was made by and with: a stream goes on from its own checkpoint only."""

import json
from dataclasses import asdict, dataclass

from cepheid.errors import SnapshotError

FORMAT = 1

INSTEAD = "or start with a new checkpoint folder"


@dataclass(frozen=True, slots=True)
class Stamp:
    """A stream, as far as its state depends on it."""

    query: str
    fingerprint: str
    shards: int
    format: int = FORMAT

    def to_text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    def refuse(self, made: str) -> None:
        """Refuse a checkpoint with another stamp, and say what it was made with."""
        then = json.loads(made)
        if then["format"] != self.format:
            raise SnapshotError(
                f"this checkpoint has format {then['format']}, this version reads format {self.format}: "
                f"go on with the version that wrote it, {INSTEAD}"
            )
        if then["query"] != self.query:
            raise SnapshotError(
                f"this checkpoint was made by another query: go on with that, {INSTEAD}\n"
                f"  made by  {then['query']}\n  not by   {self.query}"
            )
        if then["fingerprint"] != self.fingerprint:
            raise SnapshotError(
                "this checkpoint was made over other columns, or with other time=, type=, order= or "
                f"time_unit=: go on with those, {INSTEAD}"
            )
        if then["shards"] != self.shards:
            raise SnapshotError(
                f"this checkpoint was made with {then['shards']} shards, and the stream now asks for "
                f"{self.shards}: pass shards={then['shards']}, {INSTEAD}"
            )
