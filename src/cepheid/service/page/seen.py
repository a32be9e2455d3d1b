"""What has come lately: types of events, their attributes, and a value of each as an example."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from cepheid.service.steps import EventsAccepted
from cepheid.service.tables import STEPS

STEPS_READ, EVENTS_READ = 200, 2_000
MOST = 200  # names that are offered


@dataclass(slots=True)
class LatelySeen:
    """Types, the most frequent first, and the attributes of each with an example."""

    types: Counter[str] = field(default_factory=Counter)
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, event: dict[str, Any]) -> None:
        """One event."""
        kind = event["type"]
        self.types[kind] += 1
        mine = self.attributes.setdefault(kind, {})
        for name, value in event.items():
            if name not in ("type", "time") and not isinstance(value, dict | list) and len(mine) < MOST:
                mine.setdefault(name, value)

    @property
    def type_names(self) -> list[str]:
        """The types to choose from."""
        return [name for name, _ in self.types.most_common(MOST)]

    @property
    def attribute_names(self) -> list[str]:
        """All attributes, the most frequent first."""
        found: Counter[str] = Counter()
        for kind, names in self.attributes.items():
            found.update(dict.fromkeys(names, self.types[kind]))
        return [name for name, _ in found.most_common(MOST)]

    def shared(self, *kinds: str) -> list[str]:
        """Attributes that all of these types have."""
        known = [self.attributes[kind] for kind in kinds if kind in self.attributes]
        return [name for name in (known[0] if known else ()) if all(name in each for each in known)]


def seen_lately(connection: Connection) -> LatelySeen:
    """From the newest recorded events."""
    steps = select(STEPS.c.body).where(STEPS.c.kind == EventsAccepted.kind).order_by(STEPS.c.seq.desc())
    seen, left = LatelySeen(), EVENTS_READ
    for body in connection.execute(steps.limit(STEPS_READ)).scalars():
        for text in reversed(bytes(body).decode().split("\n")):
            seen.take(json.loads(text))
            left -= 1
            if left == 0:
                return seen
    return seen
